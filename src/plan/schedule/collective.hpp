#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "schedule/neighbour_graph.hpp"

namespace espalier::schedule {

enum class Operation : std::uint8_t {
  Broadcast,
  Reduce,
  Allreduce,
  Barrier,
  Gather,
  Scatter,
  Allgather,
  Alltoall,
  ReduceScatter,
  Scan,
  Exscan,
  Unknown,  ///< messages whose meaning is not known, all in Scratch: another tool's schedule
  // Neighbourhood collectives, v and w forms too. The library plans them where they are called; the
  // tool does not, since it knows no graph.
  NeighbourAllgather,
  NeighbourAlltoall,
};
/// Number of operations that the table of algorithms has: all before Unknown.
inline constexpr int kOperationCount = 11;
/// Number of enumerators.
inline constexpr int kAnyOperationCount = 14;

/// "broadcast", "reduce-scatter", "unknown": as CLI, JSON and documents call it.
[[nodiscard]] std::string_view name_of(Operation operation);
/// The operation of that name among those of the table; never Unknown.
[[nodiscard]] std::optional<Operation> operation_named(std::string_view name);
/// Likewise, neighbourhood collectives among them.
[[nodiscard]] std::optional<Operation> called_operation_named(std::string_view name);
[[nodiscard]] constexpr bool is_neighbourhood(Operation operation) {
  return operation == Operation::NeighbourAllgather || operation == Operation::NeighbourAlltoall;
}
[[nodiscard]] bool has_root(Operation operation);
/// Whether it combines what several ranks bring along.
[[nodiscard]] bool reduces(Operation operation);

/// A call, as far as all its ranks know it alike.
///
/// In and Out of each rank are counted in units. Where all blocks have the same number of elements
/// a unit is an element, and block b of a buffer begins at b * count. Where they differ (the v
/// forms: `counts` is not empty) a unit is a whole block, whatever its length, because a plan's
/// shape must not depend on lengths that not every rank knows; they travel in the messages'
/// headers.
///
///   operation      In of rank r                     Out of rank r
///   broadcast      -                                count, the root's is there from the start
///   reduce         count                            count, at the root
///   allreduce      count                            count
///   barrier        -                                -
///   gather         1 block                          P blocks, at the root
///   scatter        P blocks, at the root            1 block
///   allgather      1 block                          P blocks
///   alltoall       P blocks                         P blocks
///   reduce-scatter P blocks                         1 block, the reduction of all blocks r
///   scan, exscan   count                            count, of ranks 0 .. r (exscan: .. r-1)
///
/// Neighbourhood collectives go along `graph`, and a unit is always a block. In of rank r is one
/// block (allgather) or one for each destination of r, Out one for each source.
struct Collective {
  Operation operation = Operation::Barrier;
  Rank size = 1;
  Rank root = 0;            ///< rooted operations only
  std::uint64_t count = 0;  ///< number of elements; of each block, where there are blocks
  Bytes element{1};         ///< size of one element
  bool commutative = true;  ///< reductions only
  std::vector<std::uint64_t>
      counts;  ///< v forms: elements of each block (alltoallv: [from * P + to]); neighbourhood
               ///< collectives: of each block that a rank sends, [from]
  /// Neighbourhood collectives only: who sends to whom. Two calls are equal if they have the same
  /// object.
  std::shared_ptr<const NeighbourGraph> graph = {};

  [[nodiscard]] bool irregular() const { return !counts.empty(); }
  /// Units of one block: the elements, or 1.
  [[nodiscard]] std::uint64_t block() const { return irregular() ? 1 : count; }
  friend bool operator==(const Collective&, const Collective&) = default;
};

/// Units of the two user buffers of a rank, by the table above.
[[nodiscard]] std::uint64_t units_in(const Collective& call, Rank rank);
[[nodiscard]] std::uint64_t units_out(const Collective& call, Rank rank);

}  // namespace espalier::schedule
