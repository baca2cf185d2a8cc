#include "select/shared_memory.hpp"

#include <algorithm>

namespace espalier::select {
namespace {

using schedule::Collective;
using schedule::Operation;

/// With three ranks or more, pieces of this length and more are combined slice by slice.
constexpr std::uint64_t kSliced = 4096;

/// What the busiest rank copies and combines, in bytes, and how often it waits for a flag.
struct Work {
  std::uint64_t copied = 0;
  std::uint64_t folded = 0;
  std::int64_t flags = 0;
};

std::uint64_t piece_of(std::uint64_t bytes) {
  return std::min(bytes, std::clamp(bytes / 4, kShortestSharedPiece, kLongestSharedPiece));
}

/// Every rank writes its vector. Whoever wants the result combines all; or each combines a slice,
/// and whoever wants the result reads the slices.
Work reduction(std::uint64_t bytes, std::uint64_t ranks, std::int64_t flags) {
  if (ranks > 2 && piece_of(bytes) >= kSliced) return {2 * bytes, bytes, 2};
  return {bytes, ranks * bytes, flags};
}

Work work_of(const Collective& call) {
  const std::uint64_t bytes = call.count * call.element.value;
  const std::uint64_t ranks = call.size;
  switch (call.operation) {
    case Operation::Barrier:
      return {0, 0, 1};
    case Operation::Broadcast:  // readers follow the writer piece by piece
      return {bytes + piece_of(bytes), 0};
    case Operation::Scatter:  // the root writes all parts
      return {(ranks - 1) * bytes + piece_of(bytes), 0};
    case Operation::Gather:  // the root reads all, and moves its own
      return {ranks * bytes, 0};
    case Operation::Allgather:
      return {bytes + ranks * bytes, 0, 1};
    case Operation::Alltoall:
      return {2 * (ranks - 1) * bytes + bytes, 0, 1};
    case Operation::ReduceScatter:
      return {ranks * bytes, ranks * bytes, 1};
    case Operation::Scan:
    case Operation::Exscan:  // the last rank combines all
      return {bytes, ranks * bytes};
    case Operation::Reduce:
      return reduction(bytes, ranks, 0);
    case Operation::Allreduce:
      return reduction(bytes, ranks, 1);
    case Operation::Unknown:
    case Operation::NeighbourAllgather:
    case Operation::NeighbourAlltoall:
      break;
  }
  return {};
}

}  // namespace

bool is_one_node(const topology::Machine& machine) {
  const auto levels = machine.levels();
  return !levels.empty() && levels.front().channel.starts_with("memory");
}

bool may_copy_once(const Collective& call) {
  switch (call.operation) {
    case Operation::Broadcast:
    case Operation::Gather:
    case Operation::Scatter:
    case Operation::Allgather:
    case Operation::Alltoall:
      return !call.irregular() && call.count > 0;
    default:
      return false;
  }
}

bool is_worth_one_copy(const Collective& call) {
  constexpr std::uint64_t kLeast = 16384;
  constexpr std::uint64_t kLeastOfOne = 65536;
  const bool is_of_one =
      call.operation == Operation::Broadcast || call.operation == Operation::Gather;
  const std::uint64_t bytes = call.count * call.element.value;
  return may_copy_once(call) && bytes >= (is_of_one ? kLeastOfOne : kLeast);
}

std::optional<Time> predict_shared_memory(const topology::Machine& machine, const Collective& call,
                                          const SharedMemoryCosts& costs) {
  if (!is_one_node(machine) || call.size < 2 || call.size > kMostSharing || call.irregular()) {
    return std::nullopt;
  }
  return time_in_memory(call, costs);
}

Time time_in_memory(const Collective& call, const SharedMemoryCosts& costs) {
  const Work work = work_of(call);
  return costs.call + work.flags * costs.flag +
         static_cast<std::int64_t>(work.copied) * costs.copy_of_byte +
         static_cast<std::int64_t>(work.folded) * costs.fold_of_byte;
}

}  // namespace espalier::select
