#pragma once

#include "mpi/communicator.hpp"

namespace espalier::mpi {

/// While it lives, a planned call of a communicator runs. Nothing if there is no log.
class CallTrace {
 public:
  /// @param irregular blocks of lengths that not all ranks know
  CallTrace(Communicator& comm, const runtime::CachedPlan& plan, bool irregular = false)
      : log_(comm.hidden().trace_log()) {
    if (log_ != nullptr) begin(comm, plan, irregular);
  }
  ~CallTrace() {
    if (log_ != nullptr) log_->log.end(number_, trace::monotonic_now());
  }
  CallTrace(const CallTrace&) = delete;
  CallTrace& operator=(const CallTrace&) = delete;

 private:
  void begin(Communicator& comm, const runtime::CachedPlan& plan, bool irregular);

  CommunicatorLog* log_;
  std::uint64_t number_ = 0;
};

}  // namespace espalier::mpi
