#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "mpi/engine.hpp"
#include "schedule/collective.hpp"

namespace espalier::pmpi {

/// The raw arguments that decide whether a call is planned.
struct CallShape {
  schedule::Operation operation = schedule::Operation::Barrier;
  bool irregular = false;
  bool in_place = false;
  std::array<std::int64_t, 3> numbers{};  ///< counts and root
  std::array<MPI_Datatype, 2> types{};    ///< MPI_Datatype{} if there is none
  MPI_Op op{};
  const int* counts = nullptr;  ///< counts of all blocks, compared by value; may be null
};

/// Remembers, for each thread, the last call of each kind that is native for good. The next call
/// like it need not ask the engine, which is most of the cost of a native call.
///
/// A program may free handles, and MPI may use them again for something else. So only MPI's own
/// types and operations are remembered, and a freed communicator makes all entries stale
/// (`generation`).
class KnownNative {
 public:
  struct Told {
    std::uint64_t* calls = nullptr;  ///< where such calls are counted
    mpi::LastCall::Outcome outcome;
  };
  /// @return nullptr if the call is not known to be native
  [[nodiscard, gnu::always_inline]] const Told* find(const CallShape& shape, MPI_Comm comm,
                                                     std::uint64_t generation) const {
    const Entry& known = entries_[index_of(shape)];
    if (known.comm != comm || known.generation != generation) return nullptr;
    const CallShape& other = known.shape;
    for (std::size_t i = 0; i < shape.numbers.size(); ++i) {
      if (shape.numbers[i] != other.numbers[i]) return nullptr;
    }
    if (shape.types[0] != other.types[0] || shape.types[1] != other.types[1] ||
        shape.op != other.op || shape.in_place != other.in_place) {
      return nullptr;
    }
    if (shape.counts != nullptr && sum_of(shape, known.size) != known.counts) return nullptr;
    return &known.told;
  }
  /// @param size size of the communicator
  /// @param calls where such calls are counted, as long as the generation lasts
  void remember(const CallShape& shape, MPI_Comm comm, std::uint64_t generation, int size,
                std::uint64_t* calls, mpi::LastCall::Outcome outcome);

 private:
  /// Kept to few cache lines: ranks that share a core find none of them in the cache.
  struct alignas(64) Entry {
    std::uint64_t generation = 0;
    MPI_Comm comm{};
    Told told;
    CallShape shape;
    int size = 0;
    std::uint64_t counts = 0;
  };
  static constexpr std::size_t index_of(const CallShape& shape) {
    return 2 * static_cast<std::size_t>(shape.operation) + (shape.irregular ? 1 : 0);
  }
  /// A hash of the counts. All ranks have the same counts, so a collision misleads all alike.
  static std::uint64_t sum_of(const CallShape& shape, int size) {
    std::uint64_t sum = 0;
    for (int i = 0; i < size; ++i) {
      sum = sum * 1099511628211U + static_cast<std::uint64_t>(shape.counts[i]);
    }
    return sum;
  }

  std::array<Entry, 2 * schedule::kOperationCount> entries_{};
};

}  // namespace espalier::pmpi
