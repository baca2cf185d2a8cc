#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "base/types.hpp"
#include "measure/summary.hpp"
#include "schedule/collective.hpp"
#include "topology/machine.hpp"

namespace espalier::measure {

/// Stands for a root: every rank is the root in turn, and a time is the mean over all roots.
inline constexpr Rank kEveryRoot = kNoRank;

/// "gather", or its v form "gatherv".
struct CallKind {
  CallKind() = default;
  CallKind(schedule::Operation of,
           bool is_irregular = false)  // NOLINT: an operation is its plain kind
      : operation(of), irregular(is_irregular) {}
  schedule::Operation operation = schedule::Operation::Barrier;
  bool irregular = false;
  friend bool operator==(const CallKind&, const CallKind&) = default;
};
[[nodiscard]] std::string name_of(const CallKind& kind);
[[nodiscard]] std::optional<CallKind> kind_named(const std::string& name);

/// A call that is measured.
struct MeasuredCall {
  CallKind kind;
  Bytes size;
  Rank root = 0;  ///< root as a rank of MPI_COMM_WORLD, even if only some ranks take part
  std::vector<Rank> members;  ///< ranks that take part, the root among them; empty means all
  /// Of scatterv and gatherv: elements of 8 bytes for each rank, `size` being their mean in bytes;
  /// empty means that all blocks are equal.
  std::vector<std::uint64_t> counts = {};
  /// Of a broadcast: by Communicator::multicast() of all ranks, not on a communicator of the
  /// members.
  bool is_multicast = false;

  friend bool operator==(const MeasuredCall&, const MeasuredCall&) = default;
};

/// "broadcast:8:0", "broadcast:8:all", "broadcast:8:3:0+3+5", "multicast:8:3:0+3+5",
/// "scatterv:16:0::1+3", as bench/mpi/measure takes it.
[[nodiscard]] std::string argument_of(const MeasuredCall& call);

/// How times are taken (bench/mpi/measure/clocks.hpp).
enum class Clocks : std::uint8_t {
  Shared,        ///< all ranks read one clock, as hosts of a lab do
  Acknowledged,  ///< the root's clock times acknowledgements of one receiver at a time
};
/// Understands "shared" and "ack".
Expected<Clocks> clocks_called(const std::string& name);
[[nodiscard]] const char* name_of(Clocks clocks);
/// How the clocks work, in a sentence for readers of the times.
[[nodiscard]] const char* description_of(Clocks clocks);
/// Whether calls of this kind can be timed: without a common clock, only those in which a root
/// sends.
[[nodiscard]] bool can_measure(Clocks clocks, const CallKind& kind);

/// Which of the repeated times stands for all.
enum class Taken : std::uint8_t {
  Median,
  Least,  ///< the least of all times, as banikazemi1998 takes it
};
/// Understands "median" and "least".
Expected<Taken> taken_called(const std::string& name);

/// What one stack of software needed for a call.
struct MeasuredTimes {
  MeasuredCall call;
  std::uint64_t wrong = 0;  ///< number of wrong results, over all ranks and repeats
  double first_us = 0;      ///< time of the first call, which also connects and plans
  std::vector<double> times_us;
  Summary summary;

  /// @pre there is a time
  [[nodiscard]] double time_us(Taken taken) const;
};

/// The lines of bench/mpi/measure among whatever else was printed, in their order. Refuses
/// lines that are cut off, and other calls than those asked for.
Expected<std::vector<MeasuredTimes>> read_measured(const std::string& text,
                                                   const std::vector<MeasuredCall>& asked);

/// Whether the program says that Espalier's library saw its calls.
[[nodiscard]] bool has_library(const std::string& text);

/// Every kind with every size; kinds with a root also with every root. A barrier is called once.
[[nodiscard]] std::vector<MeasuredCall> all_calls(const std::vector<CallKind>& kinds,
                                                  const std::vector<Bytes>& sizes,
                                                  const std::vector<Rank>& roots);

/// What no plan can beat in the lab: the machine's lower bound, with the bytes that TCP and
/// Ethernet add to those of a message (1538 on the wire for 1448), as the lab's links count them.
///
/// Where the machine's processes have costs for each byte (sends, receives, reductions), which
/// headers do not have, the message's own bytes are counted: lower, so still a bound.
[[nodiscard]] Time wire_bound(const topology::Machine& machine, const MeasuredCall& call);

}  // namespace espalier::measure
