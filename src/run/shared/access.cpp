#include "shared/access.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bit>
#include <climits>

namespace espalier::shared {
namespace {

/// Loads of a flag before anything else is done: some microseconds. A pause of x86 takes up to 140
/// cycles.
#if defined(__x86_64__)
constexpr std::uint32_t kSpins = 128;
#else
constexpr std::uint32_t kSpins = 4096;
#endif
/// With more processes than cores the writer may be the one that waits for this core.
constexpr std::uint32_t kSpinsWhenCrowded = 16;
/// Polls of MPI before the core is yielded.
constexpr std::uint32_t kPolls = 512;
/// Rounds of polling and yielding before the process sleeps.
constexpr std::uint32_t kRoundsAwake = 16384;
/// Of so many rounds in a crowd one polls MPI: yields bring the writer on.
constexpr std::uint32_t kRoundsAPoll = 8;
/// Polls between two sleeps: others may wait for answers of this rank's MPI, one after the other.
constexpr std::uint32_t kPollsASleep = 4;
constexpr long kLongestSleep = 50'000;  // nanoseconds

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield" ::: "memory");
#endif
}

/// The half of a flag that changes with every step; futexes have 32 bits.
std::uint32_t* low_half(const std::uint64_t* flag) {
  auto* const halves = reinterpret_cast<std::uint32_t*>(const_cast<std::uint64_t*>(flag));
  return halves + (std::endian::native == std::endian::little ? 0 : 1);
}

}  // namespace

void DirectAccess::wait_long(const std::uint64_t* flag, std::uint64_t at_least) const {
  const std::uint32_t spins = crowded_ ? kSpinsWhenCrowded : kSpins;
  for (std::uint32_t i = 0; i < spins; ++i) {
    if (load(flag) >= at_least) return;
    relax();
  }
  for (std::uint32_t round = 0;; ++round) {
    if (crowded_ || round >= kPolls) sched_yield();
    const std::uint64_t seen = load(flag);
    if (seen >= at_least) return;
    const bool sleeps = round >= kRoundsAwake;
    const bool polls = !crowded_ || sleeps || round % kRoundsAPoll == kRoundsAPoll - 1;
    for (std::uint32_t i = 0; polls && i < (sleeps ? kPollsASleep : 1); ++i) {
      if (progress_.step != nullptr) progress_.step(progress_.of);
    }
    if (sleeps) sleep(flag, seen);
  }
}

void DirectAccess::sleep(const std::uint64_t* flag, std::uint64_t seen) const {
  const timespec bound{0, kLongestSleep};
  if (sleepers_ == nullptr) {
    nanosleep(&bound, nullptr);
    return;
  }
  const std::atomic_ref<std::uint32_t> sleepers(*sleepers_);
  sleepers.fetch_add(1);
  ::syscall(SYS_futex, low_half(flag), FUTEX_WAIT, static_cast<std::uint32_t>(seen), &bound,
            nullptr, 0);
  sleepers.fetch_sub(1);
}

void DirectAccess::wake(const std::uint64_t* flag) {
  ::syscall(SYS_futex, low_half(flag), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace espalier::shared
