// Native calls that do not block and whose times are wanted: the program has a request of ours, so
// that we learn when the native one is complete.
#include <algorithm>
#include <utility>

#include "mpi/progress_engine.hpp"
#include "mpi/returned_errors.hpp"
#include "mpi/seconds_now.hpp"

namespace espalier::mpi {

TimedStart ProgressEngine::begin_timing(std::shared_ptr<runtime::StartTrial> trial,
                                        bool is_planned) {
  const double now = seconds_now();
  ++timed_;
  inside_.enter(now);
  return {std::move(trial), is_planned, now, inside_.at(now)};
}

void ProgressEngine::leave_start() { inside_.leave(seconds_now()); }

void ProgressEngine::end_timing(const TimedStart& timed, int code) {
  if (timed.trial == nullptr) return;
  --timed_;
  const double now = seconds_now();
  if (code != MPI_SUCCESS) return;
  timed.trial->note(timed.is_planned, {now - timed.begin, inside_.at(now) - timed.inside});
}

void ProgressEngine::adopt(MPI_Request* request, const Channel& channel, MPI_Comm user,
                           TimedStart timed) {
  hook();
  const MPI_Request native = *request;
  int number = 0;
  if (open(channel, request, &number) != MPI_SUCCESS) {
    *request = native;
    leave_start();
    drop_timing();
    return;
  }
  adopted_.push_back({native, number, user, std::move(timed)});
  if (thread_ != nullptr) thread_->wake();
  leave_start();
}

bool ProgressEngine::step_adopted() {
  bool has_moved = false;
  for (std::size_t i = 0; i < adopted_.size();) {
    int is_complete = 0;
    int code = PMPI_Request_get_status(adopted_[i].native, &is_complete, MPI_STATUS_IGNORE);
    if (is_complete == 0 && code == MPI_SUCCESS) {
      ++i;
      continue;
    }
    {
      // An error goes to the program's handler when it completes its own request.
      const ReturnedErrors returned(adopted_[i].user);
      code = PMPI_Test(&adopted_[i].native, &is_complete, MPI_STATUS_IGNORE);
    }
    if (is_complete == 0 && code == MPI_SUCCESS) {
      ++i;
      continue;
    }
    const Adopted done = std::move(adopted_[i]);
    adopted_.erase(adopted_.begin() + static_cast<std::ptrdiff_t>(i));
    complete(done.number, code, done.user);
    end_timing(done.timed, code);
    has_moved = true;
  }
  return has_moved;
}

bool ProgressEngine::has_adopted(MPI_Comm user) const {
  return std::any_of(adopted_.begin(), adopted_.end(),
                     [user](const Adopted& one) { return one.user == user; });
}

}  // namespace espalier::mpi
