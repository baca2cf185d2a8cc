#include "base/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "base/file.hpp"

namespace espalier {
namespace {

using namespace std::chrono_literals;

std::atomic<bool> interrupted{false};

void note_interrupt(int /*signal*/) {
  interrupted.store(true);
  (void)std::signal(SIGINT, SIG_DFL);
}

}  // namespace

Progress::Progress(std::string what, std::size_t total)
    : what_(std::move(what)),
      total_(total),
      is_seen_(::isatty(STDERR_FILENO) == 1),
      begin_(Clock::now()),
      next_(begin_ + 500ms) {}

Progress::~Progress() {
  if (is_drawn_) (void)write_all(STDERR_FILENO, "\r\x1b[K");
}

void Progress::step() {
  ++done_;
  if (!is_seen_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + 100ms;
  is_drawn_ = true;
  constexpr std::size_t kWidth = 30;
  const std::size_t full = total_ == 0 ? kWidth : kWidth * done_ / total_;
  const double taken = std::chrono::duration<double>(now - begin_).count();
  const double left = taken * static_cast<double>(total_ - done_) / static_cast<double>(done_);
  const std::string bar = std::string(full, '#') + std::string(kWidth - full, '.');
  (void)write_all(STDERR_FILENO, fmt::format("\r{} [{}] {} of {}, {:.0f} s left\x1b[K", what_, bar,
                                             done_, total_, left));
}

Interruptible::Interruptible() {
  interrupted.store(false);
  before_ = std::signal(SIGINT, note_interrupt);
}

Interruptible::~Interruptible() { (void)std::signal(SIGINT, before_); }

bool Interruptible::is_interrupted() { return interrupted.load(); }

}  // namespace espalier
