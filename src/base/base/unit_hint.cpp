#include "base/unit_hint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "base/nearest.hpp"

namespace espalier {
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
  if (meant.empty() && unit.size() > 2) {  // of two letters, one is half of it
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
