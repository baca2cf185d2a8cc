#include "group/message.hpp"

#include <array>

namespace espalier::group {

std::string_view name(Kind kind) {
  static constexpr std::array<std::string_view, kKinds> kNames{
      "begin",  "up",       "down",   "down_empty", "list",    "announce", "relay",
      "parent", "children", "fill",   "graft",      "grafted", "ask",      "answer",
      "adopt",  "forward",  "placed", "gather",     "scan",    "sort",     "table",
      "finish", "data",     "find",   "found",      "traffic"};
  return kNames[static_cast<std::size_t>(kind)];
}

}  // namespace espalier::group
