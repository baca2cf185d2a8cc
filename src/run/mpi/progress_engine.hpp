#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "mpi/channel.hpp"
#include "mpi/pending_calls.hpp"
#include "mpi/persistent_calls.hpp"
#include "mpi/progress_thread.hpp"
#include "runtime/inside_clock.hpp"
#include "runtime/start_trial.hpp"

namespace espalier::mpi {

/// A call that does not block and whose times are wanted.
struct TimedStart {
  std::shared_ptr<runtime::StartTrial> trial;  ///< nullptr: nobody wants them
  bool is_planned = false;
  double begin = 0;   ///< when it was started
  double inside = 0;  ///< InsideClock then
};

/// What all planned calls of a process that do not block share: their requests, and what makes them
/// go on. Only one thread of the program at a time is in MPI where there is one
/// (World::is_threaded). A thread of ours may be in it too: then whoever is in here holds the gate,
/// and who cannot have it leaves the work to the other. Nobody waits for the gate inside MPI, whose
/// locks the other may want.
///
/// A request of the program is a receive of nothing from this process itself, on the hidden
/// communicator of the call, with a tag of its own (Tags::request_tag). When the call has ended, a
/// message to this process completes it. So such requests mix with all others in every function of
/// MPI that takes requests.
class ProgressEngine {
 public:
  ProgressEngine() = default;
  ~ProgressEngine();
  ProgressEngine(const ProgressEngine&) = delete;
  ProgressEngine& operator=(const ProgressEngine&) = delete;

  /// Makes a request of a call on this channel.
  /// @param number of the request, for complete()
  /// @return MPI's code; after an error there is no request, and nothing to complete
  [[nodiscard]] int open(const Channel& channel, MPI_Request* request, int* number);
  /// Completes a request.
  /// @param code of the call; an error becomes an error of the function that completes the request
  /// @param user communicator of the call: its error handler is called then
  void complete(int request, int code, MPI_Comm user);

  // Likewise for persistent requests, which stay open until they are closed.
  [[nodiscard]] int open_persistent(const Channel& channel, MPI_Request* request, int* number);
  void complete_persistent(int number, int code, MPI_Comm user);
  void close_persistent(int number, MPI_Request request);
  /// Keeps a channel until a step that is under way is over: it may be on that channel.
  void retire(std::shared_ptr<PersistentChannel> channel) {
    if (is_busy_) retired_.push_back(std::move(channel));
  }
  [[nodiscard]] PersistentCalls& persistent() { return persistent_; }
  [[nodiscard]] const PersistentCalls& persistent() const { return persistent_; }

  /// Takes the request of a native call, and makes one of ours, which is completed when the native
  /// one is: so it is known when that happens. If MPI makes none, the program keeps the native one,
  /// and nobody learns the time.
  /// @param user communicator of the call
  void adopt(MPI_Request* request, const Channel& channel, MPI_Comm user, TimedStart timed);

  // The times of some calls, planned or adopted: begin_timing() and leave_start() around its start,
  // end_timing() at its end.
  [[nodiscard]] TimedStart begin_timing(std::shared_ptr<runtime::StartTrial> trial,
                                        bool is_planned);
  void leave_start();
  /// @param code of the call; the times of those that failed do not count
  void end_timing(const TimedStart& timed, int code);
  /// A call that was to be timed was not started.
  void drop_timing() { --timed_; }

  /// Whether a request is of a call that is under way.
  [[nodiscard]] bool is_open(MPI_Request request) const;
  /// The program frees the request of a call that is under way. MPI forbids it; the call goes on.
  /// The receive stays ours until it is complete: MPICH 4.0 uses a freed one of a process from
  /// itself again at once. @return false: it is no such request
  bool let_go(MPI_Request request);

  /// Starts a call on a communicator. Never waits.
  void start(PendingCalls& calls, std::unique_ptr<PendingCall> call);
  /// Does something in the order of the starts on a communicator. Never waits.
  void do_in_order(PendingCalls& calls, std::function<void()> between);
  /// Goes on with some calls of all communicators. Does nothing inside itself.
  /// @return whether something happened
  bool step();
  /// Waits until all calls are on the wire, and a call that blocks may take the next number.
  void let_block(PendingCalls& calls);
  /// Waits until no call of a communicator is under way, adopted ones of `user` too. If nothing
  /// happens for `patience` seconds, leaves them behind. @return whether all have ended
  bool finish(PendingCalls& calls, MPI_Comm user, double patience);
  /// While one is there, errors on hidden communicators are ours: no handler of the program is
  /// called.
  class Inside {
   public:
    Inside()
        : counts_(has_hook_.load(std::memory_order_relaxed)),
          locks_(has_thread_.load(std::memory_order_relaxed)) {
      if (locks_) gate_.lock();
      if (counts_) ++depth_;
    }
    ~Inside() {
      if (counts_) --depth_;
      if (locks_) gate_.unlock();
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    bool counts_, locks_;
  };
  /// Whether a call was ever started, or bound to be.
  [[nodiscard]] bool has_started() const { return is_hooked_ || has_persistent_; }
  /// From now on a thread goes on with calls too, if this process wants it and a call was started.
  /// Not called inside.
  void run_thread() {
    if (is_hooked_ && thread_ == nullptr && is_level_raised()) make_thread();
  }
  /// Ends that thread. Not called inside.
  void end_thread();

 private:
  static constexpr std::size_t kCallsAtOnce = 16;     // calls that one step looks at
  static constexpr std::uint32_t kStepsToClock = 64;  // steps after which the clock is read
  static constexpr double kSecondsToLook = 1;         // between looks for different calls of ranks
  /// A native call whose request the program does not have.
  struct Adopted {
    MPI_Request native = MPI_REQUEST_NULL;
    int number = 0;  // of the request that the program has
    MPI_Comm user = MPI_COMM_NULL;
    TimedStart timed;
  };
  static void step_the_only() noexcept;  // called by MPI, in which nothing may be thrown
  static void hand_on_error(MPI_Comm* hidden, int* code, ...);
  [[nodiscard]] bool is_ours() const;
  void hook();
  void make_thread();
  ProgressThread::Found look();
  void activate(PendingCalls& calls);
  bool step_calls();
  bool step_adopted();
  void look_for_mismatch();
  [[nodiscard]] bool has_adopted(MPI_Comm user) const;
  int take_number(const Channel& channel);
  int refused(int code, int number, MPI_Request* request);
  void send_completion(int number, int code, MPI_Comm user);

  /// A request, and where the message that completes it goes.
  struct Open {
    MPI_Request request = MPI_REQUEST_NULL;  // MPI_REQUEST_NULL if it is free, or persistent
    SelfLane lane;
  };
  bool has_overflow();

  bool is_hooked_ = false;
  bool is_busy_ = false;
  bool has_persistent_ = false;
  std::vector<PendingCalls*> active_;
  std::vector<std::shared_ptr<PersistentChannel>> retired_;
  std::size_t next_ = 0;     // first of `active_` that the next step looks at
  std::uint32_t steps_ = 0;  // that were taken with calls under way
  double looked_ = 0;        // when it was last looked for different calls of ranks
  std::vector<Open> open_;   // by number
  std::vector<int> free_;    // numbers of requests that are complete
  std::vector<int> let_go_;  // numbers of requests that the program has freed
  MPI_Comm overflow_ = MPI_COMM_NULL;
  std::map<MPI_Comm, MPI_Comm> failed_;  // hidden ones with a failed request, and the program's
  std::mutex failed_mutex_;              // of failed_; no MPI function is called with it
  static inline std::atomic<bool> has_hook_{false};  // never where several threads are in MPI
  static inline int depth_ = 0;                      // counted from then on
  static inline std::atomic<bool> has_thread_{false};
  static inline std::recursive_mutex gate_;
  std::atomic<bool> thread_works_{false};  // what is_busy_ says is of the thread
  std::unique_ptr<ProgressThread> thread_;
  std::vector<Adopted> adopted_;
  int timed_ = 0;  // calls under way whose times are wanted
  runtime::InsideClock inside_;
  PersistentCalls persistent_{*this};
};

}  // namespace espalier::mpi
