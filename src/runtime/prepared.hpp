#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "schedule/program.hpp"

namespace espalier::runtime {

/// One message of a program.
struct Message {
  std::uint32_t op = 0;
  std::uint32_t tag = 0;
  schedule::Region region;
};

/// All messages one way between this rank and another, in the order of the program.
struct Lane {
  Rank peer = 0;
  bool sends = false;
  std::uint32_t level = 0;  ///< of the channel that joins the two ranks
  std::uint32_t first = 0;  ///< into PreparedProgram::messages
  std::uint32_t count = 0;
};

/// A program as an executor wants it: who waits for whom turned round, messages by lane.
///
/// An executor posts the messages of a lane in order and bounds how many are under way in each.
/// That cannot deadlock where the program itself cannot: the k-th message between two ranks is the
/// k-th on both sides, so what is posted on one side comes to be posted on the other.
struct PreparedProgram {
  schedule::Program program;
  std::vector<Lane> lanes;
  std::vector<Message> messages;
  std::vector<std::uint32_t> waits;            ///< for each op: how many it waits for
  std::vector<std::uint32_t> message_count;    ///< for each op
  std::vector<std::uint32_t> first_dependent;  ///< for each op, and one past the last
  std::vector<std::uint32_t> dependents;
  std::vector<std::uint32_t> first_lane;  ///< for each op: the lanes its messages are in
  std::vector<std::uint32_t> lanes_of_op;
  /// Few messages of plain slices, one peer each: running the steps one by one costs less than
  /// keeping several under way, if the messages are short.
  bool is_small = false;
  std::uint32_t end_of_receives = 0;  ///< ops from here on receive nothing
  std::uint64_t longest = 0;          ///< units of the longest slice that is sent or received

  [[nodiscard]] std::span<const std::uint32_t> dependents_of(std::uint32_t op) const {
    return std::span(dependents)
        .subspan(first_dependent[op], first_dependent[op + 1] - first_dependent[op]);
  }
  [[nodiscard]] std::span<const std::uint32_t> lanes_of(std::uint32_t op) const {
    return std::span(lanes_of_op).subspan(first_lane[op], first_lane[op + 1] - first_lane[op]);
  }
};

/// @param level_of the level of the channel to a rank; called once for each lane
[[nodiscard]] PreparedProgram prepare(schedule::Program program,
                                      const std::function<std::uint32_t(Rank)>& level_of);

}  // namespace espalier::runtime
