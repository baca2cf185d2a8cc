#include <fmt/format.h>

#include <algorithm>

#include "reproduce/figures_of.hpp"
#include "reproduce/findings.hpp"

namespace espalier::reproduce {
namespace {

/// Rows in which the first curve is below, level with and above the second, and by how much at
/// most.
struct Against {
  std::size_t below = 0, level = 0, above = 0;
  double most_below = 0, most_above = 0;  ///< largest distances, in per cent of the second curve
  std::vector<std::string> above_at;      ///< sizes of those rows, in bytes
};

Against against(const FiguresOf& figures, const std::string& one, const std::string& other) {
  Against found;
  for (std::size_t row = 0; row < figures.rows(); ++row) {
    const double a = figures.number(row, one), b = figures.number(row, other);
    if (a == b) ++found.level;
    if (a < b) ++found.below;
    if (a < b) found.most_below = std::max(found.most_below, 100 * (1 - a / b));
    if (a > b) ++found.above;
    if (a > b) found.most_above = std::max(found.most_above, 100 * (a / b - 1));
    if (a > b && figures.has("size_bytes")) {
      found.above_at.push_back(figures.text(row, "size_bytes"));
    }
  }
  return found;
}

std::vector<std::string> there(const FiguresOf& figures, const std::vector<const char*>& keys) {
  std::vector<std::string> found;
  for (const char* key : keys) {
    if (figures.has(key)) found.emplace_back(key);
  }
  return found;
}

/// In how many rows a curve is below all others.
std::size_t lowest(const FiguresOf& figures, const std::string& key,
                   const std::vector<std::string>& others) {
  std::size_t count = 0;
  for (std::size_t row = 0; row < figures.rows(); ++row) {
    count += std::all_of(others.begin(), others.end(),
                         [&](const std::string& other) {
                           return figures.number(row, key) < figures.number(row, other);
                         })
                 ? 1
                 : 0;
  }
  return count;
}

std::string site_finding(const Against& site) {
  std::string text = fmt::format(
      "Two-level by site and multilevel give the same time to every digit at {} of {} sizes",
      site.level, site.level + site.below + site.above);
  if (site.below > 0) {
    text +=
        fmt::format("; multilevel is ahead at {}, by up to {:.1f} %", site.below, site.most_below);
  }
  if (site.above > 0) {
    text += fmt::format("; it is behind at {}, by up to {:.1f} %", site.above, site.most_above);
  }
  return text + (site.level > site.below + site.above
                     ? ": on this LAN the site that has the WAN to cross is always the last, and "
                       "hides what happens inside a site. Part lan has other LANs."
                     : ".");
}

}  // namespace

Findings karonis_findings(const report::Table& table) {
  const FiguresOf figures(table);
  const auto papers = there(figures, {"mpich_ms", "magpie_machine_ms", "magpie_site_ms"});
  Findings found{fmt::format(
      "The paper measured multilevel as the lowest of its curves at every size. Here it is below "
      "{} at {} of {} sizes.",
      papers.size() == 1 ? "the binomial tree" : "all others of the paper",
      lowest(figures, "multilevel_ms", papers), figures.rows())};
  if (figures.has("magpie_machine_ms")) {
    const Against machine = against(figures, "multilevel_ms", "magpie_machine_ms");
    if (machine.above > 0) {
      found.push_back(fmt::format(
          "Two-level by machine is ahead of multilevel at {} sizes ({} to {} bytes), by up to "
          "{:.1f} "
          "%: from the lone site it sends straight to both machines and so spares the LAN's "
          "latency, at twice the bytes over the WAN.",
          machine.above, machine.above_at.front(), machine.above_at.back(), machine.most_above));
    }
    found.push_back(site_finding(against(figures, "multilevel_ms", "magpie_site_ms")));
  }
  if (figures.has("chosen_ms")) {
    std::vector<std::string> others = papers;
    others.emplace_back("multilevel_ms");
    if (figures.has("pipelined_ms")) others.emplace_back("pipelined_ms");
    double behind = 0;
    for (const std::string& other : others) {
      behind = std::max(behind, against(figures, "chosen_ms", other).most_above);
    }
    const std::size_t won = lowest(figures, "chosen_ms", others);
    found.push_back(fmt::format(
        "Espalier's choice (the plan that is predicted to be the fastest, of all, for each size) "
        "is "
        "below all other curves at {} of {} sizes{}.",
        won, figures.rows(),
        behind > 0             ? fmt::format(", and behind the lowest by up to {:.1f} %", behind)
        : won < figures.rows() ? std::string(", and level with the lowest at the others")
                               : std::string()));
  }
  return found;
}

Findings karonis_turn_findings(const report::Table& table) {
  const FiguresOf figures(table);
  double least = 100, most = 0, gain = 0, shown = 0;
  for (std::size_t row = 0; row < figures.rows(); ++row) {
    least = std::min(least, figures.number(row, "barrier_percent"));
    most = std::max(most, figures.number(row, "barrier_percent"));
    gain = std::max(gain, figures.number(row, "factor"));
    shown = std::max(shown, figures.number(row, "turn_factor"));
  }
  const bool hides = gain > 1.05 * shown;
  return {fmt::format("The barrier is {:.0f} to {:.0f} % of a multilevel turn. {}", least, most,
                      hides ? fmt::format("Timed with it, multilevel seems up to {:.2f} times as "
                                          "fast as the binomial tree; the broadcasts alone are up "
                                          "to {:.2f} times as fast.",
                                          shown, gain)
                            : "It hides next to nothing of what the broadcasts gain.")};
}

Findings karonis_count_findings(const report::Table& table) {
  const FiguresOf figures(table);
  const auto row_of = [&](const char* figure, const std::string& tree, const char* network) {
    std::size_t row = 0;
    while (row < figures.rows() &&
           (figures.text(row, "figure") != figure || figures.text(row, "tree") != tree ||
            figures.text(row, "network") != network)) {
      ++row;
    }
    return row;
  };
  const auto messages = [&](const std::string& tree, const char* network) {
    const std::size_t row = row_of("9", tree, network);
    return row < figures.rows() ? figures.number(row, "messages") : 0;
  };
  const double wide = messages("multilevel", "WAN"), local = messages("multilevel", "LAN");
  std::string fewer;  // trees that send fewer messages over the wide area, or as many and fewer
                      // over the local one
  for (std::size_t row = 0; row < figures.rows(); ++row) {
    const std::string& tree = figures.text(row, "tree");
    const bool is_asked = figures.text(row, "figure") == "9" &&
                          figures.text(row, "network") == "WAN" && tree != "multilevel";
    if (!is_asked) continue;
    const double other = figures.number(row, "messages");
    if (other > wide || (other == wide && messages(tree, "LAN") >= local)) continue;
    fewer += (fewer.empty() ? "" : ", ") + tree;
  }
  return {fmt::format(
      "Here, in Figure 9, multilevel sends {:.2f} messages over the wide area and {:.2f} over the "
      "local one; {}.",
      wide, local,
      fewer.empty() ? "no other tree sends fewer over the wide area, or as many and fewer over the "
                      "local one"
                    : "fewer are sent by " + fewer)};
}

Findings karonis_lan_findings(const report::Table& table) {
  const FiguresOf figures(table);
  const Against site = against(figures, "multilevel_ms", "magpie_site_ms");
  double most = 0;
  std::size_t at = 0;
  for (std::size_t row = 0; row < figures.rows(); ++row) {
    const double factor =
        figures.number(row, "magpie_site_ms") / figures.number(row, "multilevel_ms");
    if (factor > most) at = row;
    most = std::max(most, factor);
  }
  Findings found{fmt::format(
      "Multilevel is ahead of the two-level tree by site on {} of {} LANs, level on {}, behind on "
      "{}.",
      site.below, figures.rows(), site.level, site.above)};
  if (most > 1) {
    found.push_back(
        fmt::format("Most is gained with {} and {}: {:.0f} against {:.0f} ms. There it "
                    "matters that the message crosses the LAN of a site once.",
                    figures.text(at, "latency"), figures.text(at, "bandwidth"),
                    figures.number(at, "multilevel_ms"), figures.number(at, "magpie_site_ms")));
  } else {
    found.emplace_back("No LAN of the table shows a gain of the third level.");
  }
  return found;
}

}  // namespace espalier::reproduce
