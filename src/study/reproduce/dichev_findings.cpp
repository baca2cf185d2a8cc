#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reproduce/figures_of.hpp"
#include "reproduce/findings.hpp"

namespace espalier::reproduce {
namespace {

constexpr double kWorthSpeakingOf = 5;  ///< smallest gain that counts, in per cent

}  // namespace

Findings dichev_switch_findings(const report::Table& table) {
  const FiguresOf figures(table);
  std::vector<double> by_speed, larger, traeff = figures.numbers("traeff_gain_percent");
  std::size_t ours_last = 0;
  for (std::size_t row = 0; row < figures.rows(); ++row) {
    const bool is_speed = figures.text(row, "lengths") == "cpu-speed";
    (is_speed ? by_speed : larger).push_back(figures.number(row, "maximum_first_gain_percent"));
    ours_last += figures.number(row, "ours_ms") > figures.number(row, "linear_ms") ? 1 : 0;
  }
  const double most = largest_of(larger);
  return {
      fmt::format(
          "The paper: by CPU speed the improvement \"was not significant\"; with a larger ratio "
          "between the lengths maximum-first was faster \"by 25-35% or more for larger messages\" "
          "than an arbitrary binomial tree. Here maximum-first takes up to {:.0f} % less by CPU "
          "speed and up to {:.0f} % less with larger ratios: {}.",
          largest_of(by_speed), most,
          most >= 25 ? "as in the paper" : "less than the paper's 25 %"),
      fmt::format(
          "The paper: the modified Traeff tree is like the original. Here it takes {:.0f} to "
          "{:.0f} % less; below 0 it takes more.",
          smallest_of(traeff), largest_of(traeff)),
      fmt::format("Our plan is slower than the linear tree in {} of {} rows.", ours_last,
                  figures.rows())};
}

Findings dichev_grid_findings(const report::Table& table) {
  const FiguresOf figures(table);
  std::map<std::string, std::pair<double, double>> most;  // placement -> minimum-first, Traeff
  std::size_t losses = 0, capped = 0;
  for (std::size_t row = 0; row < figures.rows(); ++row) {
    const double first = figures.number(row, "minimum_first_gain_percent");
    const double traeff = figures.number(row, "traeff_gain_percent");
    auto& [a, b] = most[figures.text(row, "placement")];
    a = std::max(a, first);
    b = std::max(b, traeff);
    if (first >= 0 && traeff >= 0) continue;
    ++losses;
    capped += figures.text(row, "network").find("cap=") != std::string::npos ? 1 : 0;
  }
  Findings found;
  double best_first = 0, best_traeff = 0;
  for (const auto& [placement, gain] : most) {
    found.push_back(fmt::format(
        "{} placement: up to {:.0f} % less (minimum-first) and {:.0f} % (Traeff){}.", placement,
        gain.first, gain.second,
        gain.first < kWorthSpeakingOf ? "; nothing to speak of for minimum-first" : ""));
    best_first = std::max(best_first, gain.first);
    best_traeff = std::max(best_traeff, gain.second);
  }
  std::vector<std::string> first_gains, traeff_gains;  // placements
  for (const auto& [placement, gain] : most) {
    if (gain.first >= kWorthSpeakingOf) first_gains.push_back(placement);
    if (gain.second >= kWorthSpeakingOf) traeff_gains.push_back(placement);
  }
  if (!first_gains.empty() && first_gains.size() < most.size()) {
    found.push_back(fmt::format(
        "Minimum-first gains in {} placement only: there the binomial tree by rank crosses the WAN "
        "again and again on one way from the root.",
        fmt::join(first_gains, " and ")));
  }
  if (traeff_gains.size() == most.size()) {
    found.emplace_back(
        "The model-based Traeff tree gains however ranks lie: its original goes by lengths, not by "
        "ranks, and crosses the WAN again and again.");
  }
  found.push_back(fmt::format(
      "The paper: \"time reductions for scatterv and gatherv of up to 75% for the binomial "
      "algorithm "
      "(minimum-first mapping) and up to 60% for Traeff's algorithm\"; ours: {:.0f} and {:.0f} %. "
      "How its ranks lay and what the WAN was like it does not say.",
      best_first, best_traeff));
  found.push_back(fmt::format(
      "A model-based tree takes longer than its original in {} of {} rows, {} of them with capped "
      "flows.",
      losses, figures.rows(), capped));
  return found;
}

Findings dichev_lab_findings(const report::Table& table) {
  const FiguresOf figures(table);
  const auto gain = [&](std::size_t row, const char* now, const char* before) {
    return 100 * (1 - figures.number(row, now) / figures.number(row, before));
  };
  struct Gains {  // NaN: no row has right results of both
    double first = std::nan(""), last = std::nan(""), traeff = std::nan("");
  };
  std::map<std::string, Gains> most;  // placement -> largest gains over the originals
  std::size_t linear_best = 0, beats_native = 0;
  for (std::size_t row = 0; row < figures.rows(); ++row) {
    Gains& gains = most[figures.text(row, "placement")];
    gains.first = std::fmax(gains.first, gain(row, "minimum-first_ms", "binomial_ms"));
    gains.last = std::fmax(gains.last, gain(row, "maximum-first_ms", "binomial_ms"));
    gains.traeff = std::fmax(gains.traeff, gain(row, "model-traeff_ms", "traeff_ms"));
    beats_native += figures.number(row, "chosen_ms") < figures.number(row, "native_ms") ? 1 : 0;
    bool is_best = !std::isnan(figures.number(row, "linear_ms"));
    for (const char* other :
         {"binomial_ms", "minimum-first_ms", "maximum-first_ms", "traeff_ms", "model-traeff_ms"}) {
      is_best = is_best && !(figures.number(row, other) < figures.number(row, "linear_ms"));
    }
    linear_best += is_best ? 1 : 0;
  }
  Findings found;
  for (const auto& [placement, gains] : most) {
    const auto told = [](double percent) {
      return percent < 0 ? fmt::format("at least {:.0f} % more", -percent)
                         : fmt::format("up to {:.0f} % less", percent);
    };
    if (std::isnan(gains.first + gains.last + gains.traeff)) {
      found.push_back(fmt::format(
          "{} placement: some tree has no right result, so no gains are told.", placement));
      continue;
    }
    found.push_back(
        fmt::format("{} placement: against the binomial tree by rank minimum-first takes {} time, "
                    "maximum-first "
                    "{}; against Traeff's tree the model-based one takes {}.",
                    placement, told(gains.first), told(gains.last), told(gains.traeff)));
  }
  found.push_back(fmt::format(
      "The linear tree is the fastest of the six in {} of {} rows. Espalier's choice is ahead of "
      "the MPI itself in {}.",
      linear_best, figures.rows(), beats_native));
  return found;
}

}  // namespace espalier::reproduce
