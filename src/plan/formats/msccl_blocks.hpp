#pragma once

#include <cstdint>
#include <vector>

#include "base/expected.hpp"
#include "schedule/schedule.hpp"

namespace espalier::formats {

/// One step of a thread block, in units.
struct ThreadStep {
  enum class Kind : std::uint8_t { Send, Recv, Reduce, Copy, Nothing };
  /// A slice of a buffer; Temporary is for reductions with their operands the other way round.
  enum class Space : std::uint8_t { In, Out, Scratch, Temporary };
  struct Slice {
    Space space = Space::In;
    std::uint64_t offset = 0;
  };
  Kind kind = Kind::Nothing;
  Slice src, dst;
  std::uint64_t count = 0;
  std::int64_t dep_block = -1;
  std::int64_t dep_step = -1;
  bool announced = false;
};

struct ThreadBlock {
  std::int64_t send = -1;
  std::int64_t recv = -1;
  std::vector<ThreadStep> steps;
};

/// A rank's thread blocks.
struct BlockProgram {
  std::vector<ThreadBlock> blocks;
  std::uint64_t temporary = 0;  ///< length of Temporary in units
};

/// Cuts a schedule into thread blocks, each of which runs its steps one by one: one for local
/// steps, one for each peer sent to, one for each received from.
///
/// All orders are those of one run of the schedule with synchronous messages. So no thread block
/// can wait in a circle: of the messages that are not over, the first of that run has all that it
/// waits for behind it, also in the thread blocks at its two ends.
///
/// Messages and local ops of several slices become several steps, each contiguous at both ends.
/// @param keep_operands reductions with the written operand on the right take a detour through
///        Temporary, since MSCCL's write the left one
/// An error if the schedule is malformed, messages do not pair up or wait for each other, or if
/// there would be more than kMaxBlockSteps.
Expected<std::vector<BlockProgram>> thread_blocks(const schedule::Schedule& schedule,
                                                  bool keep_operands);

inline constexpr std::uint64_t kMaxBlockSteps = std::uint64_t{1} << 22;

}  // namespace espalier::formats
