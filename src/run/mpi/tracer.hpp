#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "mpi/channel.hpp"
#include "mpi/owned.hpp"
#include "runtime/plan_cache.hpp"
#include "runtime/settings.hpp"
#include "trace/clock.hpp"
#include "trace/log.hpp"

namespace espalier::mpi {

/// One rank's log of one communicator, and which plan the last call had: loops repeat a call.
struct CommunicatorLog {
  CommunicatorLog(std::uint64_t id, trace::Communicator about, trace::Budget& budget)
      : log(id, std::move(about), budget) {}

  /// The plan's index in the log.
  std::uint32_t index_of(const runtime::CachedPlan& plan, bool irregular);

  trace::Log log;
  const runtime::CachedPlan* last = nullptr;
  std::uint64_t signature = 0;
  std::string name;
  std::uint32_t index = 0;
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
  /// @param native calls of this process that were left to the MPI library; those of rank 0 are
  /// told
  void finish(std::uint64_t native);

 private:
  std::vector<trace::Offset> measure_clocks() const;
  std::string packed();
  [[nodiscard]] std::vector<std::string> gather(const std::string& mine) const;

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
