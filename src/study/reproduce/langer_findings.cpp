#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/figures_of.hpp"
#include "reproduce/findings.hpp"

namespace espalier::reproduce {
namespace {

/// Any time is faster than none: what gave wrong results has no time.
bool is_faster(double time, double than) {
  return time < than || (std::isnan(than) && !std::isnan(time));
}

}  // namespace

Findings langer_time_findings(const report::Table& table) {
  const FiguresOf figures(table);
  std::size_t faster = 0, beaten = 0, low = 0;
  double first_to_win = 2;  // the lowest fraction at which Shrink-and-Balance is the faster
  for (std::size_t row = 0; row < figures.rows(); ++row) {
    const double central = figures.number(row, "centralized_ms");
    const double shrunk = figures.number(row, "shrink_and_balance_ms");
    const double hashed = figures.number(row, "rank_and_hash_ms");
    const bool is_low = figures.number(row, "fraction") <= 0.01;
    low += is_low ? 1 : 0;
    beaten += !is_low && (central <= shrunk || central <= hashed) ? 1 : 0;
    if (shrunk >= hashed) continue;
    ++faster;
    first_to_win = std::min(first_to_win, figures.number(row, "fraction"));
  }
  Findings found{fmt::format(
      "The paper: except at very low fractions (0.01) the distributed schemes are faster than the "
      "centralized one even at modest process counts. Here the centralized one is as fast as one "
      "of them in {} of {} cells above 0.01.",
      beaten, figures.rows() - low)};
  if (faster == 0) {
    found.emplace_back(
        "The paper: Shrink-and-Balance is slower than Rank-and-Hash. So it is here, in every "
        "cell.");
  } else {
    found.push_back(fmt::format(
        "The paper: Shrink-and-Balance is slower than Rank-and-Hash, because of a longer critical "
        "path. Against that, it is faster here in {} of {} cells, from f = {} on. Part cause shows "
        "what decides.",
        faster, figures.rows(), first_to_win));
  }
  return found;
}

Findings langer_count_findings(const report::Table& table) {
  const FiguresOf figures(table);
  std::size_t fewer = 0;
  for (std::size_t row = 0; row < figures.rows(); ++row) {
    const double shrunk = figures.number(row, "shrink_and_balance_ratio");
    fewer += shrunk < figures.number(row, "rank_and_hash_ratio") ? 1 : 0;
  }
  double still_from = 2;  // from this fraction on no vertex moves
  for (std::size_t row = figures.rows(); row-- > 0 && figures.number(row, "moves") == 0;) {
    still_from = figures.number(row, "fraction");
  }
  return {fmt::format(
      "Shrink-and-Balance sends fewer messages than Rank-and-Hash at {} of {} "
      "fractions (the paper: far fewer). {}",
      fewer, figures.rows(),
      still_from <= 1 ? fmt::format("From f = {} on the shrunk tree is not too tall, and no "
                                    "vertex moves.",
                                    still_from)
                      : std::string("Vertices move at the highest fraction too."))};
}

std::string langer_formula_finding(Rank processes, Rank members, std::uint64_t fills,
                                   std::uint64_t moves, std::uint64_t all) {
  const auto formula =
      double(processes - 1) + double(members - 1) + double(fills) + 2 * double(moves);
  const bool near = processes == 131'072 && std::abs(formula / 260'000 - 1) < 0.05;
  return fmt::format(
      "Shrink-and-Balance by the formula (n - 1) + (m - 1) + one a fill + two a move: {:.2g}{}; "
      "all "
      "that is sent: {:.2g}. The rest is ask and answer (sub-suppliers find sub-consumers) and "
      "forward (a vertex on its way down to room).",
      formula,
      processes != 131'072 ? ""
      : near               ? ", which is the paper's 2.6e5"
                           : ", where the paper has 2.6e5",
      double(all));
}

Findings langer_split_findings(const report::Table& table) {
  const FiguresOf figures(table);
  std::vector<double> paper, ours;
  for (std::size_t row = 0; row < figures.rows(); ++row) {
    const double stated = figures.number(row, "paper_rank_and_hash_ms");
    if (std::isnan(stated)) continue;
    paper.push_back(stated);
    ours.push_back(figures.number(row, "rank_and_hash_ms"));
  }
  Findings found;
  double off = 0;  // the calibrated split's largest distance from the paper's times
  for (std::size_t row = 0; row < figures.rows(); ++row) {
    const double stated = figures.number(row, "paper_split_ms");
    if (std::isnan(stated)) continue;
    off = std::max(off, 100 * std::abs(figures.number(row, "split_ms") / stated - 1));
  }
  if (!paper.empty()) {
    found.push_back(fmt::format("The calibrated split is within {:.1f} % of the paper's times{}.",
                                off, off > 5 ? ": it does not fit them" : ""));
  }
  const std::size_t last = figures.rows() - 1;
  const double growth = figures.number(last, "peak_bytes") / figures.number(0, "peak_bytes");
  const double more = figures.number(last, "colours") / figures.number(0, "colours");
  found.push_back(fmt::format(
      "With {:.0f} times as many colours one process holds up to {:.0f} times as many bytes{}.",
      more, growth,
      growth > 100 ? ": with as many colours as processes this is an allgather too" : ""));
  if (paper.size() > 1) {
    const double theirs = 100 * (paper.back() / paper.front() - 1);
    const double rise = 100 * (ours.back() / ours.front() - 1);
    found.push_back(fmt::format(
        "From 1 to 8 colours the paper's Rank-and-Hash rises by {:.0f} %, ours by {:.1f} %: {}.",
        theirs, rise,
        rise < theirs / 2
            ? "the rise is absent here. A word more for each colour costs nothing to speak of in "
              "this model; what it cost the paper's handlers is not known"
            : "the rise is there"));
  }
  found.push_back(fmt::format(
      "The factor x ({:.0f} with one colour) has a fitted time on either side: the split is "
      "calibrated to the paper's four times, Rank-and-Hash to its first. It repeats the paper's "
      "measurements and is no measurement. Against the best allgather, which is not fitted, it is "
      "{:.0f}.",
      figures.number(0, "ratio"), figures.number(0, "best_ratio")));
  return found;
}

Findings langer_cause_findings(const report::Table& table) {
  const FiguresOf figures(table);
  const double fitted = figures.number(0, "faster");
  Findings found{fmt::format("As fitted, Shrink-and-Balance is faster in {:.0f} of {:.0f} cells.",
                             fitted, figures.number(0, "cells"))};
  std::string most;
  double least = fitted;
  for (std::size_t row = 1; row < figures.rows(); ++row) {
    if (figures.number(row, "faster") >= least) continue;
    least = figures.number(row, "faster");
    most = figures.text(row, "variant");
  }
  found.push_back(most.empty()
                      ? std::string("No variant makes it slower: the cause is not among them.")
                      : fmt::format("What turns it towards the paper most: {} ({:.0f} cells left).",
                                    most, least));
  return found;
}

Findings langer_fastest_findings(const report::Table& table, const std::string& key) {
  const FiguresOf figures(table);
  const auto fastest = [&](std::size_t row) {
    std::string best;
    for (const report::Column& column : table.columns) {
      if (column.key == key) continue;
      if (best.empty() || is_faster(figures.number(row, column.key), figures.number(row, best))) {
        best = column.key;
      }
    }
    return figures.title(best);
  };
  const std::size_t last = figures.rows() - 1;
  return {fmt::format("The fastest: {} at {}, {} at {}.", fastest(0), figures.text(0, key),
                      fastest(last), figures.text(last, key))};
}

Findings langer_made_findings(const report::Table& table) {
  const FiguresOf figures(table);
  double split = 0, created = 0;
  std::size_t best = 0, schemes = 0, ahead_of_split = 0, ahead_of_both = 0;
  for (std::size_t row = 0; row < figures.rows(); ++row) {
    const std::string& what = figures.text(row, "made_by");
    const double us = figures.number(row, "time_us");
    if (what == "comm_split") split = us;
    if (what == "create_group") created = us;
    // A second pass over a group that is there makes none.
    const bool makes = what != "along-topology";
    const bool none_yet = figures.text(best, "made_by") == "along-topology";
    if (makes && (none_yet || is_faster(us, figures.number(best, "time_us")))) best = row;
  }
  for (std::size_t row = 0; row < figures.rows(); ++row) {
    const std::string& what = figures.text(row, "made_by");
    if (what == "comm_split" || what == "create_group" || what == "along-topology") continue;
    const double us = figures.number(row, "time_us");
    ++schemes;
    ahead_of_split += us < split ? 1 : 0;
    ahead_of_both += us < split && us < created ? 1 : 0;
  }
  return {
      fmt::format("The fastest is {}. Of {} schemes {} are ahead of MPI_Comm_split, and {} of "
                  "MPI_Comm_create_group too, which only the members call.",
                  figures.text(best, "made_by"), schemes, ahead_of_split, ahead_of_both)};
}

Findings langer_call_findings(const report::Table& table) {
  const FiguresOf figures(table);
  std::size_t group = 0, along = 0, gained = 0;
  for (std::size_t row = 0; row < figures.rows(); ++row) {
    const double native = figures.number(row, "communicator_us");
    const double flat = figures.number(row, "group_us"), followed = figures.number(row, "along_us");
    group += flat < native ? 1 : 0;
    along += followed < native ? 1 : 0;
    gained += followed < flat ? 1 : 0;
  }
  return {
      fmt::format("Groups are ahead of the MPI's own collectives on a communicator in {} of {} "
                  "calls, groups along the topology in {}. Following the topology is faster than "
                  "not following it in {}.",
                  group, figures.rows(), along, gained)};
}

Findings langer_smpi_findings(const report::Table& table) {
  const FiguresOf figures(table);
  double off = 0;
  std::size_t ahead = 0, central = 0, agree = 0;
  for (std::size_t row = 0; row < figures.rows(); ++row) {
    const auto us = [&](const char* scheme, const char* how) {
      return figures.number(row, fmt::format("{}{}", scheme, how));
    };
    for (const char* scheme : {"centralized", "shrink_and_balance", "rank_and_hash"}) {
      off = std::max(off, 100 * std::abs(us(scheme, "_us") / us(scheme, "_simulated_us") - 1));
    }
    const bool is_ahead = us("shrink_and_balance", "_us") < us("rank_and_hash", "_us");
    ahead += is_ahead ? 1 : 0;
    agree += is_ahead == (us("shrink_and_balance", "_simulated_us") <
                          us("rank_and_hash", "_simulated_us"))
                 ? 1
                 : 0;
    central += us("centralized", "_us") <
                       std::min(us("shrink_and_balance", "_us"), us("rank_and_hash", "_us"))
                   ? 1
                   : 0;
  }
  return {fmt::format("Under SMPI Shrink-and-Balance is ahead of Rank-and-Hash in {} of {} cells, "
                      "Centralized is the fastest in {}.",
                      ahead, figures.rows(), central),
          fmt::format("The simulation is at most {:.0f} % from it, and says the same of the two "
                      "distributed schemes in {} of {} cells.",
                      off, agree, figures.rows())};
}

Findings langer_smpi_split_findings(const report::Table& table) {
  const FiguresOf figures(table);
  std::size_t wins = 0;
  std::vector<std::size_t> right;  // rows whose groups were right
  for (std::size_t row = 0; row < figures.rows(); ++row) {
    wins += figures.number(row, "ratio") > 1 ? 1 : 0;
    if (!std::isnan(figures.number(row, "rank_and_hash_us"))) right.push_back(row);
  }
  std::string text = fmt::format(
      "Rank-and-Hash is ahead of SMPI's MPI_Comm_split in {} of {} rows.", wins, figures.rows());
  if (right.size() > 1) {
    const auto us = [&](std::size_t row) { return figures.number(row, "rank_and_hash_us"); };
    text += fmt::format(" From {:.0f} to {:.0f} colours its time changes by {:+.1f} %.",
                        figures.number(right.front(), "colours"),
                        figures.number(right.back(), "colours"),
                        100 * (us(right.back()) / us(right.front()) - 1));
  }
  return {text};
}

}  // namespace espalier::reproduce
