#include "collective/level_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "collective/name_reader.hpp"

namespace espalier::collective {

using schedule::Collective;

namespace {

constexpr std::string_view kWhole = " whole";

}  // namespace

std::string text_of_levels(const MultilevelChoice& choice, const Collective& call) {
  const std::uint64_t first = choice.levels.front().segment;
  const bool is_uniform = std::all_of(choice.levels.begin(), choice.levels.end(),
                                      [&](const auto& level) { return level.segment == first; });
  std::size_t told = choice.levels.size();
  while (told > 2 && choice.levels[told - 1] == choice.levels[told - 2]) --told;
  std::string text;
  for (std::size_t l = 0; l < told; ++l) {
    const LevelChoice& level = choice.levels[l];
    std::string here = l == 0 && choice.top == Top::Exchange ? "exchange" : name_of(level.shape);
    if (!is_uniform && level.segment == 0) here += kWhole;
    if (!is_uniform) here = with_segment(here, level.segment, call);
    text += (text.empty() ? "" : "/") + here;
  }
  return is_uniform ? with_segment(text, first, call) : text;
}

std::optional<MultilevelChoice> read_levels(NameReader& reader, std::size_t levels) {
  MultilevelChoice choice;
  std::size_t segments = 0;
  bool is_told = false;  // the level read last has a segment of its own
  do {
    if (choice.levels.size() == levels) return std::nullopt;
    LevelChoice level{Shape::Flat, 0};
    if (choice.levels.empty() && reader.take("exchange")) {
      choice.top = Top::Exchange;
    } else {
      const auto shape = reader.take_shape();
      if (!shape) return std::nullopt;
      level.shape = *shape;
    }
    is_told = reader.at(' ');
    if (is_told) ++segments;
    if (!reader.take(kWhole)) {
      const auto segment = reader.take_segment();
      if (!segment) return std::nullopt;
      level.segment = *segment;
    }
    choice.levels.push_back(level);
  } while (reader.take("/"));
  if (segments == 1 && is_told) {
    for (LevelChoice& level : choice.levels) level.segment = choice.levels.back().segment;
  } else if (segments != 0 && segments != choice.levels.size()) {
    return std::nullopt;
  }
  choice.levels.resize(levels, choice.levels.back());
  return choice;
}

std::string cut_text(std::uint64_t segment, const Collective& call) {
  return segment == 0 ? ", whole messages" : ", segments of " + segment_text(segment, call);
}

std::string tree_text(const LevelChoice& level, const Collective& call) {
  return fmt::format("{} tree{}", name_of(level.shape), cut_text(level.segment, call));
}

}  // namespace espalier::collective
