#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace espalier::mpi {

/// A thread that goes on with calls that do not block while the program calls no MPI function
/// (docs/adr/0046-a-thread-for-progress.md). It sleeps while none is under way.
class ProgressThread {
 public:
  /// What a look at the calls came to.
  enum class Found { Nothing, Waits, Moved };

  /// @param look goes on with the calls. Must not block, and must not throw
  explicit ProgressThread(std::function<Found()> look);
  /// Waits until the thread is gone.
  ~ProgressThread();
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  /// There is a new call to go on with.
  void wake();

 private:
  void work();

  std::function<Found()> look_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool has_work_ = true;
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

// The level of threads that MPI gave us may be higher than what the program asked for: where the
// environment wants the thread (ESPALIER_PROGRESS_THREAD=1), MPI_THREAD_MULTIPLE is asked for.

/// Whether this process wants the thread. By its own environment alone: MPI_Init comes before
/// anything can be agreed on.
[[nodiscard]] bool wants_progress_thread();
/// MPI was asked for MPI_THREAD_MULTIPLE instead of this level, and gave it.
void note_raised_level(int asked);
/// Whether it was.
[[nodiscard]] bool is_level_raised();
/// The level of threads that the program has, by what it asked for.
[[nodiscard]] int level_of_program();

}  // namespace espalier::mpi
