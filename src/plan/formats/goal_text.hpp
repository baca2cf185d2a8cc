#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "base/types.hpp"

namespace espalier::formats {

/// A GOAL file as it is written, not yet understood.
struct GoalOp {
  enum class Kind : std::uint8_t { Send, Recv, Calc };
  Kind kind = Kind::Calc;
  std::uint64_t amount = 0;  ///< Calc: nanoseconds; else bytes
  Rank peer = kNoRank;
  std::uint32_t tag = 0;
};

struct GoalWait {
  std::uint32_t op = 0;
  std::uint32_t for_op = 0;
  bool to_begin = false;  ///< irequires: waits until `for_op` has begun, not ended
};

struct GoalBlock {
  Rank rank = 0;
  std::uint32_t line = 0;
  std::vector<GoalOp> ops;
  std::vector<GoalWait> waits;
};

struct GoalText {
  Rank ranks = 0;
  std::vector<GoalBlock> blocks;  ///< one for each rank, in the order of ranks
};

/// Words into statements; labels into numbers. @param file only named in errors
Expected<GoalText> parse_goal_text(std::string_view text, const std::string& file);

}  // namespace espalier::formats
