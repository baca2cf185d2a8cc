#include "base/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <system_error>
#include <utility>

#include "base/file.hpp"

namespace espalier {
namespace {

using namespace std::chrono_literals;

std::atomic<bool> interrupted{false};
std::atomic<bool> quiet{false};
std::atomic<Progress*> listening{nullptr};
std::atomic<int> alive{0};  // of work within other work only the outer is told

constexpr std::chrono::milliseconds kFirst = 500ms, kBetween = 100ms, kBetweenLines = 10s;

void note_interrupt(int /*signal*/) {
  interrupted.store(true);
  (void)std::signal(SIGINT, SIG_DFL);
}

/// Of the terminal of standard error.
std::size_t terminal_columns() {
  winsize size{};
  constexpr std::size_t kUsual = 80;
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

/// A longer line would go on in the next one, and stay there. The bar gives way first.
std::string shortened(std::string line, std::size_t columns) {
  const std::size_t bar = line.find(" ["), end = line.find(']', bar);
  if (line.size() >= columns && end != std::string::npos) line.erase(bar, end + 1 - bar);
  if (line.size() >= columns) line.resize(columns - 1);
  return line;
}

}  // namespace

ProgressPlace progress_place() {
  if (quiet.load()) return ProgressPlace::Nowhere;
  return ::isatty(STDERR_FILENO) == 1 ? ProgressPlace::Terminal : ProgressPlace::Lines;
}

void be_quiet() { quiet.store(true); }

std::string progress_line(std::string_view what, std::size_t done, std::size_t total,
                          double seconds, ProgressPlace place, ProgressParts parts) {
  const bool is_guess = done == 0 || (parts == ProgressParts::Unequal && done < total - done);
  const double told =
      is_guess ? seconds : seconds * static_cast<double>(total - done) / static_cast<double>(done);
  const std::string time = fmt::format("{:.0f} {} {}", told < 90 ? told : told / 60,
                                       told < 90 ? "s" : "min", is_guess ? "so far" : "left");
  if (place != ProgressPlace::Terminal) {
    return fmt::format("{}: {} of {}, {}", what, done, total, time);
  }
  constexpr std::size_t kWidth = 30;
  const std::size_t full = kWidth * done / total;
  const std::string bar = std::string(full, '#') + std::string(kWidth - full, '.');
  return fmt::format("{} [{}] {} of {}, {}", what, bar, done, total, time);
}

Progress::Progress(std::string what, std::size_t total, Told told, ProgressParts parts)
    : what_(std::move(what)),
      total_(total),
      place_(alive++ == 0 ? progress_place() : ProgressPlace::Nowhere),
      parts_(parts),
      begin_(Clock::now()),
      next_(begin_ + (place_ == ProgressPlace::Terminal ? kFirst : kBetweenLines)) {
  if (told == Told::WhenDone || place_ == ProgressPlace::Nowhere || total_ == 0) return;
  // Signals are for the thread that works.
  sigset_t all, before;
  (void)sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return;
  try {
    teller_ = std::thread([this] { tell_by_the_clock(); });
  } catch (const std::system_error&) {  // no thread to be had: it is told when something is done
  }
  (void)pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Progress::~Progress() {
  if (teller_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    ends_.notify_one();
    teller_.join();
  }
  --alive;
  if (listening.load() == this) listening.store(nullptr);
  if (is_drawn_) (void)write_all(STDERR_FILENO, "\r\x1b[K");
}

void Progress::listen() { listening.store(this); }

void note_progress(std::size_t done) {
  if (Progress* const one = listening.load()) one->reach(done);
}

void Progress::step() {
  const std::lock_guard lock(mutex_);
  ++done_;
  tell_if_due();
}

void Progress::reach(std::size_t done) {
  const std::lock_guard lock(mutex_);
  done_ = done;
  tell_if_due();
}

void Progress::name(std::string what) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
}

void Progress::announce(std::string what) {
  const std::lock_guard lock(mutex_);
  what_ = std::move(what);
  if (!is_told_) next_ = std::min(next_, Clock::now());
  tell_if_due();
}

void Progress::tell_by_the_clock() {
  std::unique_lock lock(mutex_);
  while (!ends_.wait_until(lock, next_, [this] { return is_over_; })) tell_if_due();
}

void Progress::tell_if_due() {
  if (place_ == ProgressPlace::Nowhere || total_ == 0) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  const bool is_terminal = place_ == ProgressPlace::Terminal;
  next_ = now + (is_terminal ? kBetween : kBetweenLines);
  is_drawn_ = is_terminal;
  is_told_ = true;
  const double taken = std::chrono::duration<double>(now - begin_).count();
  const std::string line =
      progress_line(what_, std::min(done_, total_), total_, taken, place_, parts_);
  (void)write_all(STDERR_FILENO,
                  is_terminal ? fmt::format("\r{}\x1b[K", shortened(line, terminal_columns()))
                              : fmt::format("{}\n", line));
}

Interruptible::Interruptible() {
  interrupted.store(false);
  before_ = std::signal(SIGINT, note_interrupt);
}

Interruptible::~Interruptible() { (void)std::signal(SIGINT, before_); }

bool Interruptible::is_interrupted() { return interrupted.load(); }

}  // namespace espalier
