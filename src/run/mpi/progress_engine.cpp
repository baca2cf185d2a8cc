#include "mpi/progress_engine.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "mpi/polling.hpp"
#include "mpi/progress_hook.hpp"
#include "mpi/returned_errors.hpp"
#include "mpi/seconds_now.hpp"

namespace espalier::mpi {
namespace {

/// The one that MPI's hook calls: there is no argument to hand it over by.
ProgressEngine* the_progress = nullptr;
/// Whether this is our own thread.
thread_local bool is_own_thread = false;

}  // namespace

ProgressEngine::~ProgressEngine() {
  end_thread();
  the_progress = nullptr;
}

void ProgressEngine::make_thread() {
  has_thread_.store(true);
  thread_ = std::make_unique<ProgressThread>([this] { return look(); });
}

void ProgressEngine::end_thread() {
  thread_.reset();
  has_thread_.store(false);
}

ProgressThread::Found ProgressEngine::look() {
  using Found = ProgressThread::Found;
  const std::unique_lock lock(gate_, std::try_to_lock);
  if (!lock) return Found::Waits;  // the program goes on with them
  is_own_thread = true;
  thread_works_.store(true);
  const bool has_moved = step();
  thread_works_.store(false);
  if (active_.empty() && adopted_.empty()) return Found::Nothing;
  return has_moved ? Found::Moved : Found::Waits;
}

/// For more requests at once than tags tell apart. Never freed: the program may still hold some.
bool ProgressEngine::has_overflow() {
  if (overflow_ != MPI_COMM_NULL) return true;
  const ReturnedErrors returned(MPI_COMM_SELF);
  if (PMPI_Comm_split(MPI_COMM_SELF, 0, 0, &overflow_) != MPI_SUCCESS) overflow_ = MPI_COMM_NULL;
  return overflow_ != MPI_COMM_NULL;
}

int ProgressEngine::take_number(const Channel& channel) {
  const std::uint64_t apart = channel.tags().requests_apart();
  if (free_.empty() && (open_.size() < apart || has_overflow())) {
    free_.push_back(static_cast<int>(open_.size()));
    open_.emplace_back();
  }
  // Only where MPI has no communicator left: earlier calls end without those that come.
  while (free_.empty()) {
    if (!step()) sched_yield();
  }
  const int number = free_.back();
  free_.pop_back();
  const auto request = static_cast<std::uint64_t>(number);
  open_[request].lane = request < apart ? channel.self(channel.tags().request_tag(request))
                                        : SelfLane{overflow_, 0, number};
  return number;
}

/// MPI made no request for a number: it is free again, and the program has no request.
int ProgressEngine::refused(int code, int number, MPI_Request* request) {
  free_.push_back(number);
  *request = MPI_REQUEST_NULL;
  return code;
}

int ProgressEngine::open(const Channel& channel, MPI_Request* request, int* number) {
  *number = take_number(channel);
  Open& open = open_[static_cast<std::size_t>(*number)];
  const int code =
      PMPI_Irecv(nullptr, 0, MPI_BYTE, open.lane.rank, open.lane.tag, open.lane.comm, request);
  if (code != MPI_SUCCESS) return refused(code, *number, request);
  open.request = *request;
  return MPI_SUCCESS;
}

int ProgressEngine::open_persistent(const Channel& channel, MPI_Request* request, int* number) {
  has_persistent_ = true;
  *number = take_number(channel);
  const SelfLane& lane = open_[static_cast<std::size_t>(*number)].lane;
  const int code = PMPI_Recv_init(nullptr, 0, MPI_BYTE, lane.rank, lane.tag, lane.comm, request);
  return code == MPI_SUCCESS ? code : refused(code, *number, request);
}

void ProgressEngine::complete_persistent(int number, int code, MPI_Comm user) {
  send_completion(number, code, user);
}

void ProgressEngine::close_persistent(int number, MPI_Request request) {
  PMPI_Request_free(&request);
  free_.push_back(number);
}

void ProgressEngine::send_completion(int number, int code, MPI_Comm user) {
  // One byte more than fits: whoever waits for the request gets an error, and so does the error
  // handler of the communicator that the request is on.
  constexpr char kTooMuch = 0;
  const SelfLane& lane = open_[static_cast<std::size_t>(number)].lane;
  if (code != MPI_SUCCESS) {
    {
      const std::lock_guard lock(failed_mutex_);
      failed_[lane.comm] = user;
    }
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    PMPI_Comm_create_errhandler(&hand_on_error, &handler);
    PMPI_Comm_set_errhandler(lane.comm, handler);
    PMPI_Errhandler_free(&handler);
  }
  MPI_Request sent = MPI_REQUEST_NULL;
  PMPI_Isend(&kTooMuch, code == MPI_SUCCESS ? 0 : 1, MPI_BYTE, lane.rank, lane.tag, lane.comm,
             &sent);
  PMPI_Request_free(&sent);
  tell_completion();
}

/// Whether the MPI function that this thread is in was called by us.
bool ProgressEngine::is_ours() const {
  return is_own_thread || depth_ > 0 || (is_busy_ && !thread_works_.load());
}

/// Of the functions that complete a failed request; those of our own messages are not for the
/// program. What its handler throws passes through here as through MPI.
void ProgressEngine::hand_on_error(MPI_Comm* hidden, int* code, ...) {
  if (the_progress == nullptr || the_progress->is_ours()) return;
  MPI_Comm user = MPI_COMM_NULL;
  {
    const std::lock_guard lock(the_progress->failed_mutex_);
    const auto found = the_progress->failed_.find(*hidden);
    if (found != the_progress->failed_.end()) user = found->second;
  }
  if (user != MPI_COMM_NULL) PMPI_Comm_call_errhandler(user, *code);
}

void ProgressEngine::complete(int request, int code, MPI_Comm user) {
  send_completion(request, code, user);
  MPI_Request& open = open_[static_cast<std::size_t>(request)].request;
  if (std::erase(let_go_, request) != 0) PMPI_Request_free(&open);
  open = MPI_REQUEST_NULL;
  free_.push_back(request);
}

bool ProgressEngine::let_go(MPI_Request request) {
  const Inside inside;
  if (!is_open(request)) return false;
  const auto found = std::find_if(open_.begin(), open_.end(),
                                  [request](const Open& one) { return one.request == request; });
  let_go_.push_back(static_cast<int>(found - open_.begin()));
  return true;
}

bool ProgressEngine::is_open(MPI_Request request) const {
  const Inside inside;
  if (free_.size() == open_.size()) return false;  // the usual case of a program that asks
  return request != MPI_REQUEST_NULL &&
         std::any_of(open_.begin(), open_.end(),
                     [request](const Open& one) { return one.request == request; });
}

void ProgressEngine::hook() {
  if (std::exchange(is_hooked_, true)) return;
  the_progress = this;
  has_hook_.store(true, std::memory_order_relaxed);
  // Else the thread goes on with all calls by itself.
  if (!is_level_raised() || may_hook_among_threads()) set_progress_hook(&step_the_only);
}

void ProgressEngine::activate(PendingCalls& calls) {
  hook();
  if (std::find(active_.begin(), active_.end(), &calls) == active_.end()) {
    active_.push_back(&calls);
  }
  if (thread_ != nullptr) thread_->wake();
}

void ProgressEngine::do_in_order(PendingCalls& calls, std::function<void()> between) {
  activate(calls);
  is_busy_ = true;
  calls.do_in_order(std::move(between));
  is_busy_ = false;
}

void ProgressEngine::start(PendingCalls& calls, std::unique_ptr<PendingCall> call) {
  activate(calls);
  is_busy_ = true;
  calls.start(std::move(call));
  is_busy_ = false;
}

void ProgressEngine::step_the_only() noexcept {
  if (the_progress == nullptr) return;
  if (!has_thread_.load(std::memory_order_relaxed)) {
    the_progress->step();
    return;
  }
  const std::unique_lock lock(gate_, std::try_to_lock);
  if (lock) the_progress->step();
}

bool ProgressEngine::step() {
  if ((active_.empty() && adopted_.empty()) || is_busy_) return false;
  is_busy_ = true;
  // What our own thread does is no time of the program.
  const bool enters = timed_ > 0 && !thread_works_.load() && !inside_.is_in();
  if (enters) inside_.enter(seconds_now());
  bool has_moved = step_calls();
  if (!adopted_.empty()) has_moved |= step_adopted();
  if (++steps_ % kStepsToClock == 0) look_for_mismatch();
  if (enters) inside_.leave(seconds_now());
  is_busy_ = false;
  retired_.clear();
  return has_moved;
}

bool ProgressEngine::step_calls() {
  if (active_.empty()) return false;
  bool has_moved = false;
  const std::size_t most = std::max<std::size_t>(1, kCallsAtOnce / active_.size());
  const std::size_t count = std::min(active_.size(), kCallsAtOnce);
  for (std::size_t i = 0; i < count && !active_.empty(); ++i) {
    if (next_ >= active_.size()) next_ = 0;
    PendingCalls& calls = *active_[next_];
    has_moved |= calls.step(most);
    if (calls.is_idle()) {
      active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(next_));
    } else {
      ++next_;
    }
  }
  return has_moved;
}

/// Whether something moves does not matter: what tells that ranks make different calls is no
/// message of any right program.
void ProgressEngine::look_for_mismatch() {
  const double now = seconds_now();
  if (now - looked_ < kSecondsToLook) return;
  looked_ = now;
  for (PendingCalls* const calls : active_) calls->look_for_mismatch();
}

void ProgressEngine::let_block(PendingCalls& calls) {
  while (!calls.may_block()) {
    poll(
        1, [&] { return step() || calls.may_block(); }, [](Suspicion&) {});
  }
}

bool ProgressEngine::finish(PendingCalls& calls, MPI_Comm user, double patience) {
  double last = seconds_now();
  const auto has_ended = [&] { return calls.is_idle() && !has_adopted(user); };
  while (!has_ended()) {
    if (step()) last = seconds_now();
    if (has_ended()) break;
    if (seconds_now() - last > patience) break;
    sched_yield();
  }
  std::erase(active_, &calls);
  // The program frees it, and may complete its requests later.
  std::vector<MPI_Comm> given_up;
  {
    const std::lock_guard lock(failed_mutex_);
    std::erase_if(failed_, [&](const auto& one) {
      if (one.second == user) given_up.push_back(one.first);
      return one.second == user;
    });
  }
  for (const MPI_Comm hidden : given_up) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    PMPI_Comm_get_errhandler(user, &handler);
    PMPI_Comm_set_errhandler(hidden, handler);
    PMPI_Errhandler_free(&handler);
  }
  const bool all_ended = has_ended();
  if (!all_ended) {
    calls.abandon();
    std::erase_if(adopted_, [user](const Adopted& one) { return one.user == user; });
  }
  return all_ended;
}

}  // namespace espalier::mpi
