#pragma once

namespace espalier::runtime {

/// How long a process is inside MPI, as far as whoever is called from there can tell. A function of
/// MPI that waits calls us again and again, so short times between two calls of ours are spent in
/// it too. Clocks are handed in.
class InsideClock {
 public:
  /// Two calls of ours no further apart belong to one stay inside MPI. MPI libraries that wait call
  /// us every microsecond or so; those of the lab sleep for up to 0.2 ms in between.
  static constexpr double kSameStay = 250e-6;

  void enter(double now) {
    if (now - left_ < kSameStay) total_ += now - left_;
    entered_ = now;
    is_in_ = true;
  }
  void leave(double now) {
    total_ += now - entered_;
    left_ = now;
    is_in_ = false;
  }
  [[nodiscard]] bool is_in() const { return is_in_; }
  /// Seconds inside MPI so far.
  [[nodiscard]] double at(double now) const { return total_ + (is_in_ ? now - entered_ : 0); }

 private:
  double total_ = 0;
  double entered_ = 0;
  double left_ = -1;  // long before any clock begins
  bool is_in_ = false;
};

}  // namespace espalier::runtime
