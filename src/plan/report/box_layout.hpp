#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/outline.hpp"

namespace espalier::report {

/// A part of a machine with its place on the paper, relative to the box it is in.
struct Box {
  enum class Kind : std::uint8_t { Cluster, Processes, More };
  Kind kind = Kind::Cluster;
  std::uint32_t node = 0;  ///< index into the outline's nodes
  double x = 0, y = 0, width = 0, height = 0;
  std::vector<std::string> captions;  ///< lines of text at the top of the box
  std::string channel;                ///< label of the channel's bar; clusters only
  std::string uplink;                 ///< label beside the line upwards
  std::vector<std::vector<Box>> rows;
  std::vector<std::string> tiles;  ///< boxes of processes only: their ranks, row by row
  std::uint32_t tile_columns = 1;
};

/// Measures, shared by layout and drawing.
inline constexpr double kBoxPadding = 12;
inline constexpr double kCaptionLine = 17;
inline constexpr double kCaptionSize = 12;
inline constexpr double kSmallSize = 11;
inline constexpr double kBusHeight = 22;   ///< height of the bar with its label
inline constexpr double kStemHeight = 22;  ///< distance from the bar down to a member
inline constexpr double kBoxGap = 16;
inline constexpr double kTileHeight = 22;
inline constexpr double kTileGap = 4;
inline constexpr double kStackStep = 5;  ///< offset between the boxes of a stack

/// Processes need no line up to the bar: it speaks for them all.
[[nodiscard]] bool only_tiles(const std::vector<Box>& row);
[[nodiscard]] double tile_width(const Box& processes);

/// Sizes and places for everything; the outermost box is at (0, 0).
[[nodiscard]] Box lay_out(const topology::Machine& machine, const Outline& outline, bool folded);

}  // namespace espalier::report
