// How fast processes compute, for lengths of blocks by speed (dichev2010 sets them so). Not part of
// what the library does in a program: it would take the program's own time.
#include "discover/cpu_speed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>

#include "base/contract.hpp"
#include "discover/classes.hpp"

namespace espalier::discover {
namespace {

constexpr std::size_t kWords = 2048;  // 16 KiB: in any first cache
constexpr int kWindows = 3;

/// One round: every word depends on the one before and on one elsewhere, so that nothing can be
/// left out or done for all words at once.
double one_round(std::array<double, kWords>& table, double seed) {
  double sum = seed;
  std::size_t at = static_cast<std::size_t>(std::abs(seed)) % kWords;
  for (double& word : table) {
    sum = 0.9999 * sum + 0.5 * word + table[at];
    word = sum - std::floor(sum);
    at = (at * 5 + static_cast<std::size_t>(word * 64)) % kWords;
  }
  return sum - std::floor(sum);
}

}  // namespace

double rounds_a_second(Time window) {
  using Clock = std::chrono::steady_clock;
  expects(window > Time{}, "rounds_a_second: no time to measure in");
  std::array<double, kWords> table{};
  double kept = 1;
  double best = 0;
  for (int w = 0; w < kWindows; ++w) {
    const auto begin = Clock::now();
    double seconds_taken = 0;
    std::uint64_t rounds = 0;
    while (seconds_taken < to_seconds(window)) {
      kept = one_round(table, kept);
      ++rounds;
      seconds_taken = std::chrono::duration<double>(Clock::now() - begin).count();
    }
    best = std::max(best, static_cast<double>(rounds) / seconds_taken);
  }
  // The result counts as used, so that no compiler leaves the work out.
  return kept < 0 ? 0 : best;
}

std::vector<std::uint64_t> speed_classes(std::span<const double> rates) {
  expects(!rates.empty(), "speed_classes: nobody");
  expects(*std::min_element(rates.begin(), rates.end()) > 0,
          "speed_classes: a rate that is not above 0");
  const std::vector<std::size_t> middles = class_middles(rates);
  std::vector<double> of_class;
  for (const std::size_t middle : middles) of_class.push_back(rates[middle]);
  std::vector<double> sorted = of_class;
  std::sort(sorted.begin(), sorted.end());
  const double usual = sorted[(sorted.size() - 1) / 2];
  std::vector<std::uint64_t> speeds;
  for (const double rate : of_class) {
    speeds.push_back(std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::llround(1'000'000 * rate / usual))));
  }
  return speeds;
}

std::vector<std::string> speeds_in_words(std::span<const std::uint64_t> speeds,
                                         std::span<const std::string> nodes) {
  expects(speeds.size() == nodes.size(), "speeds_in_words: not a node for each rank");
  std::map<std::uint64_t, std::vector<std::size_t>, std::greater<>> classes;
  for (std::size_t r = 0; r < speeds.size(); ++r) classes[speeds[r]].push_back(r);
  if (classes.size() == 1) return {"all processes compute equally fast"};
  std::vector<std::string> words;
  for (const auto& [speed, ranks] : classes) {
    std::vector<std::string> names;
    for (const std::size_t r : ranks) {
      if (std::find(names.begin(), names.end(), nodes[r]) == names.end()) names.push_back(nodes[r]);
    }
    constexpr std::size_t kNamed = 4;
    const std::string more =
        names.size() > kNamed ? fmt::format(" and {} more", names.size() - kNamed) : "";
    names.resize(std::min(names.size(), kNamed));
    words.push_back(fmt::format("{}{} ({} process{}): {:.2f} times the usual speed",
                                fmt::join(names, ", "), more, ranks.size(),
                                ranks.size() == 1 ? "" : "es", static_cast<double>(speed) / 1e6));
  }
  return words;
}

}  // namespace espalier::discover
