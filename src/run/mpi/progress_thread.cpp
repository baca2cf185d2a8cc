#include "mpi/progress_thread.hpp"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "mpi/mpi_api.hpp"
#include "mpi/mpi_traits.hpp"

namespace espalier::mpi {
namespace {

/// Between two looks at calls that wait for messages.
constexpr auto kBetweenLooks = std::chrono::microseconds(100);

std::atomic<int> asked_level{-1};  // -1: none was raised

/// The program's signals are for its own threads.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

ProgressThread::ProgressThread(std::function<Found()> look) : look_(std::move(look)) {
  const BlockedSignals blocked;
  thread_ = std::thread([this] { work(); });
}

ProgressThread::~ProgressThread() {
  ends_.store(true);
  wake();
  thread_.join();
}

void ProgressThread::wake() {
  const std::lock_guard lock(mutex_);
  has_work_ = true;
  changed_.notify_one();
}

void ProgressThread::work() {
  while (!ends_.load()) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return has_work_; });
      has_work_ = false;
    }
    // Who wakes it while it looks says so in has_work_.
    for (Found found = Found::Waits; found != Found::Nothing && !ends_.load();) {
      found = look_();
      if (found == Found::Waits) std::this_thread::sleep_for(kBetweenLooks);
    }
  }
}

bool wants_progress_thread() {
  const char* const value = std::getenv("ESPALIER_PROGRESS_THREAD");
  return !kIsSimulated && value != nullptr && std::strcmp(value, "1") == 0;
}

void note_raised_level(int asked) { asked_level.store(asked); }

bool is_level_raised() { return asked_level.load() >= 0; }

int level_of_program() {
  const int asked = asked_level.load();
  if (asked >= 0) return asked;
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  return level;
}

}  // namespace espalier::mpi
