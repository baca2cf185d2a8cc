#pragma once

#include <array>
#include <cstdint>

#include "mpi/local_call.hpp"

namespace espalier::pmpi {

/// How a call ended, for tests. Two bytes, so that the hot path writes them with one store.
struct alignas(2) CallResult {
  bool planned = false;
  runtime::Reason why{};  ///< why the call was native; meaningless if it was planned
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
    CallResult result;
  };
  /// @return nullptr if the call is not known to be native
  [[nodiscard, gnu::always_inline]] const Told* find(const mpi::LocalCall& call,
                                                     std::uint64_t generation) const {
    const Entry& known = entries_[index_of(call)];
    if (known.comm != call.comm || known.generation != generation || known.root != call.root) {
      return nullptr;
    }
    if (depends_on_recv(call) &&
        (known.recv_count != call.recv.count || known.recv_type != call.recv.type)) {
      return nullptr;
    }
    if (depends_on_send(call) &&
        (known.send_count != call.send.count || known.send_type != call.send.type ||
         known.is_in_place != is_in_place(call))) {
      return nullptr;
    }
    if (combines(call.operation) && known.op != call.op) return nullptr;
    if (depends_on_counts(call) &&
        (call.recv.counts == nullptr || known.counts != sum_of(call, known.size))) {
      return nullptr;
    }
    return &known.told;
  }
  /// @param size size of the communicator
  /// @param told where such calls are counted, as long as the generation lasts
  void remember(const mpi::LocalCall& call, std::uint64_t generation, int size, Told told);

 private:
  using Operation = schedule::Operation;

  /// Two cache lines, of which calls with one buffer need the first: ranks that share a core find
  /// none of them in the cache.
  struct alignas(64) Entry {
    std::uint64_t generation = 0;
    MPI_Comm comm{};
    Told told;
    std::int64_t recv_count = 0;
    MPI_Datatype recv_type{};
    int root = 0;
    int size = 0;
    bool is_in_place = false;
    std::int64_t send_count = 0;
    MPI_Datatype send_type{};
    MPI_Op op{};
    std::uint64_t counts = 0;
  };
  static constexpr std::size_t index_of(const mpi::LocalCall& call) {
    return 2 * static_cast<std::size_t>(call.operation) + (call.irregular ? 1 : 0);
  }
  static constexpr bool combines(Operation operation) {
    return operation == Operation::Reduce || operation == Operation::Allreduce ||
           operation == Operation::ReduceScatter || operation == Operation::Scan ||
           operation == Operation::Exscan;
  }
  /// Of MPI_Allgatherv and MPI_Reduce_scatter all ranks know all counts. Of other irregular calls,
  /// and of neighbourhood collectives, only some ranks know them: nothing depends on them.
  static constexpr bool depends_on_counts(const mpi::LocalCall& call) {
    return call.irregular &&
           (call.operation == Operation::Allgather || call.operation == Operation::ReduceScatter);
  }
  static constexpr bool depends_on_recv(const mpi::LocalCall& call) {
    return call.operation != Operation::Barrier && !schedule::is_neighbourhood(call.operation) &&
           (!call.irregular || depends_on_counts(call));
  }
  static constexpr bool depends_on_send(const mpi::LocalCall& call) {
    return depends_on_recv(call) && !call.irregular && !combines(call.operation) &&
           call.operation != Operation::Broadcast;
  }
  static bool is_in_place(const mpi::LocalCall& call) {
    return (call.operation == Operation::Scatter ? call.recv : call.send).is_in_place();
  }
  /// A hash of the counts. All ranks have the same counts, so a collision misleads all alike.
  static std::uint64_t sum_of(const mpi::LocalCall& call, int size) {
    std::uint64_t sum = 0;
    for (int i = 0; i < size; ++i) {
      sum = sum * 1099511628211U + static_cast<std::uint64_t>(call.recv.counts[i]);
    }
    return sum;
  }

  std::array<Entry, 2 * schedule::kAnyOperationCount> entries_{};
};

}  // namespace espalier::pmpi
