#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "mpi/channel.hpp"
#include "mpi/owned.hpp"
#include "runtime/plan_cache.hpp"
#include "runtime/settings.hpp"
#include "trace/clock.hpp"
#include "trace/log.hpp"

namespace espalier::mpi {

/// One rank's log of one communicator.
class CommunicatorLog {
 public:
  CommunicatorLog(std::uint64_t id, trace::Communicator about, trace::Budget& budget)
      : log(id, std::move(about), budget) {}

  /// The plan's index in the log, or Log::kNoPlan.
  std::uint32_t index_of(const runtime::CachedPlan& plan, bool irregular);

  trace::Log log;

 private:
  /// A plan that was seen. Another one may be at its place later.
  struct Seen {
    std::uint64_t signature = 0;
    std::string name;
    std::uint32_t index = 0;
  };
  static constexpr std::size_t kMostSeen = 4096;
  std::unordered_map<const runtime::CachedPlan*, Seen> seen_;
};

/// Takes down the messages of planned calls (ESPALIER_TRACE), on all processes or on none.
///
///   1. The constructor, when the processes have agreed on settings: whose clocks differ, and by
///      how much.
///   2. join() for each communicator that gets plans; CallTrace (call_trace.hpp) around each of its
///   calls.
///   3. finish(), in MPI_Finalize: clocks again, and rank 0 writes the file.
/// 1 and 3 are collective over all processes, join() over its communicator.
class Tracer {
 public:
  /// @param over a communicator of all processes
  Tracer(const runtime::Settings& settings, MPI_Comm over, int world_rank);
  /// MPI had a communicator for it, on all processes alike.
  [[nodiscard]] bool is_there() const { return static_cast<bool>(comm_); }
  /// @param about the machine is wanted from the communicator's first rank alone
  CommunicatorLog& join(Channel& channel, trace::Communicator about);
  /// @param native,planned calls of this process, of which those of rank 0 are told: calls that
  /// were left to the MPI library, and calls along plans
  void finish(std::uint64_t native, std::uint64_t planned);

 private:
  std::vector<trace::Offset> measure_clocks() const;
  std::string packed();
  /// Calls of this process that the logs know.
  [[nodiscard]] std::uint64_t followed();

  const runtime::Settings& settings_;
  int rank_;
  int size_ = 1;
  OwnedComm comm_;
  trace::Budget budget_;
  std::vector<int> leaders_;             // [rank] the lowest rank with the same clock
  std::vector<trace::Offset> at_begin_;  // [rank] of leaders; at rank 0 only
  std::mutex mutex_;                     // guards the members below
  std::uint64_t joined_ = 0;
  std::vector<std::unique_ptr<CommunicatorLog>> logs_;
};

/// Memory for the trace of all processes together, and of each.
inline constexpr std::uint64_t kTraceBytesOfAll = std::uint64_t{128} << 20U;
inline constexpr std::uint64_t kTraceBytesOfEach = std::uint64_t{16} << 20U;

}  // namespace espalier::mpi
