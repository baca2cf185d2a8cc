#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace espalier {

/// Where people see how far long work has come.
enum class ProgressPlace : std::uint8_t {
  Terminal,  ///< one line that is drawn again and again, with a bar; wiped out at the end
  Lines,     ///< a line now and then: standard error is a file or a pipe
  Nowhere,   ///< --quiet
};
/// Terminal or Lines, by what standard error is, unless be_quiet() was called.
[[nodiscard]] ProgressPlace progress_place();
/// From now on nobody is told.
void be_quiet();

/// Whether what is done says how long the rest takes.
enum class ProgressParts : bool { Alike, Unequal };

/// "simulating [######........] 12 of 30, 8 s left"; without the bar where lines stay. As long as
/// nothing is done: "0 of 30, 2 s so far". Of unequal parts that holds until half of them are done.
/// @pre done <= total
[[nodiscard]] std::string progress_line(std::string_view what, std::size_t done, std::size_t total,
                                        double seconds, ProgressPlace place,
                                        ProgressParts parts = ProgressParts::Alike);

/// How far long work has come, on standard error: on a terminal from half a second on, elsewhere
/// every ten seconds. Short work says nothing, nor does work within other work.
///
/// It is told when something is done. Work that may do nothing for seconds is told by the clock
/// too, by a thread of its own: not for work that forks.
class Progress {
 public:
  enum class Told : bool { WhenDone, ByTheClock };
  Progress(std::string what, std::size_t total, Told told = Told::WhenDone,
           ProgressParts parts = ProgressParts::Alike);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One more of `total` is done.
  void step();
  /// So many are done.
  void reach(std::size_t done);
  /// From now on note_progress() is about it, while it lives. One at a time.
  void listen();
  /// What is done now: "figure 7".
  void name(std::string what);
  /// The same, and it is told at once if nothing was told so far: the first part may take minutes.
  void announce(std::string what);

 private:
  using Clock = std::chrono::steady_clock;

  /// @pre mutex_ is held
  void tell_if_due();
  void tell_by_the_clock();

  std::mutex mutex_;
  std::condition_variable ends_;
  bool is_over_ = false;
  std::string what_;
  std::size_t total_;
  std::size_t done_ = 0;
  ProgressPlace place_;
  ProgressParts parts_;
  bool is_drawn_ = false;
  bool is_told_ = false;
  Clock::time_point begin_;
  Clock::time_point next_;  // when the line is written again
  std::thread teller_;      // the last member: it uses the others
};

/// So many are done, of whatever the Progress that listens counts; nothing if none does.
/// For work deep inside that does not know who asked for it.
void note_progress(std::size_t done);

/// While it lives, Ctrl-C does not end the program but is remembered; a second one ends it.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  [[nodiscard]] static bool is_interrupted();

 private:
  void (*before_)(int);
};

}  // namespace espalier
