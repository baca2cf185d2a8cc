#include "base/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

namespace espalier {
namespace {

/// Typing errors between two words ("optimal string alignment").
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t wrong = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + wrong});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
      }
    }
  }
  return d[a.size()][b.size()];
}

constexpr std::size_t kLongestWord = 64;  // beyond it, nobody mistyped anything

}  // namespace

std::string nearest(std::string_view word, std::span<const std::string> candidates) {
  if (word.size() > kLongestWord) return "";
  std::string best;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t errors = distance(word, candidate);
    if (errors >= least) continue;
    least = errors;
    best = candidate;
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> candidates) {
  const std::string near = nearest(word, candidates);
  return near.empty() ? "" : "did you mean \"" + near + "\"? ";
}

std::string some_names(std::string_view word, std::span<const std::string> candidates) {
  constexpr std::size_t kMostNames = 10;
  std::vector<std::pair<std::size_t, std::string>> names;
  for (const std::string& candidate : candidates) {
    names.emplace_back(distance(word.substr(0, kLongestWord), candidate), candidate);
  }
  if (names.size() > kMostNames) {
    std::stable_sort(names.begin(), names.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(kMostNames, names.size()); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", names[i].second);
  }
  if (names.size() > kMostNames) text += fmt::format(" and {} more", names.size() - kMostNames);
  return text;
}

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// "64K", "100 Mb", "100M": the end of the unit was left out.
bool is_shortened(std::string_view unit, std::string_view name) {
  if (lower(name.substr(0, unit.size())) != lower(unit)) return false;
  const std::string_view rest = name.substr(std::min(name.size(), unit.size()));
  constexpr std::array<std::string_view, 5> kEnds{"B", "iB", "/s", "bit/s", "B/s"};
  return std::find(kEnds.begin(), kEnds.end(), rest) != kEnds.end();
}

}  // namespace

std::string meant_quantity(std::string_view number, std::string_view unit,
                           std::span<const NamedUnit> units) {
  std::vector<const NamedUnit*> meant;
  const auto add = [&](const NamedUnit& one) {
    const bool is_worth_the_same = std::any_of(
        meant.begin(), meant.end(), [&](const NamedUnit* m) { return m->scale == one.scale; });
    if (!is_worth_the_same) meant.push_back(&one);
  };
  for (const NamedUnit& one : units) {
    if (lower(one.name) == lower(unit)) add(one);
  }
  if (meant.empty()) {
    for (const NamedUnit& one : units) {
      if (is_shortened(unit, one.name)) add(one);
    }
  }
  // In a unit of two letters, one wrong letter is half of it.
  if (meant.empty() && unit.size() > 2) {
    std::vector<std::string> names;
    for (const NamedUnit& one : units) names.push_back(one.name);
    const std::string near = nearest(unit, names);
    for (const NamedUnit& one : units) {
      if (one.name == near) add(one);
    }
  }
  if (meant.empty()) return "";
  std::string text;
  for (const NamedUnit* one : meant) {
    text += fmt::format("{}\"{:.40}{}\"", text.empty() ? "" : " or ", number, one->name);
  }
  return fmt::format("did you mean {}?", text);
}

}  // namespace espalier
