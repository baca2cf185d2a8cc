#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace espalier {

/// How far long work has come, on a terminal only: one line on standard error, from half a second
/// on, with the time that is left. It is wiped out at the end.
class Progress {
 public:
  Progress(std::string what, std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One more of `total` is done.
  void step();

 private:
  using Clock = std::chrono::steady_clock;

  std::string what_;
  std::size_t total_;
  std::size_t done_ = 0;
  bool is_seen_;
  bool is_drawn_ = false;
  Clock::time_point begin_;
  Clock::time_point next_;  // when the line is drawn again
};

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
