#pragma once

// A collective call as a value: what all its ranks know alike.
//
//   espalier::Call call{.operation = espalier::Operation::Broadcast, .count = 1 << 20};

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "espalier/types.hpp"

namespace espalier {

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
};

/// "broadcast", "reduce-scatter": as the tool and documents call it.
[[nodiscard, gnu::visibility("default")]] std::string_view name_of(Operation operation);
/// By that name, or by MPI's: "MPI_Bcast", "bcast". Nothing where there is none of this name.
[[nodiscard, gnu::visibility("default")]] std::optional<Operation> operation_named(
    std::string_view name);

struct Call {
  Operation operation = Operation::Barrier;
  Rank root = 0;            ///< root of a rooted operation; ignored by others
  std::uint64_t count = 0;  ///< elements of the message, or of each rank's block
  Bytes element{1};         ///< size of one element
  bool commutative = true;  ///< a reduction may combine in any order
  /// The v forms of gather, scatter, allgather, alltoall and reduce-scatter: elements of each
  /// rank's block (alltoall: [from * ranks + to]). Empty: all have `count`.
  std::vector<std::uint64_t> counts = {};
  friend bool operator==(const Call&, const Call&) = default;
};

}  // namespace espalier
