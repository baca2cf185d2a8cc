#include "shared/peer_memory.hpp"

#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "base/entropy.hpp"

namespace espalier::shared {
namespace {

/// Bytes that are read by one call of the system, which holds their pages meanwhile.
constexpr std::uint64_t kChunk = 256 * 1024;

struct Stretch {
  std::byte* to = nullptr;
  std::uint64_t from = 0;
  std::uint64_t bytes = 0;
};

/// Whether a process lives on whose first thread has ended: nobody can read its memory then.
bool has_other_threads(std::uint64_t process) {
  std::error_code ignored;
  const std::filesystem::directory_iterator threads(fmt::format("/proc/{}/task", process), ignored);
  return !ignored && std::distance(begin(threads), end(threads)) > 1;
}

/// The process's word is read behind the stretch: if it is right, both are of that process, and not
/// of one that has its number now.
PeerRead read_stretch(const ProcessCard& card, const Stretch& stretch) {
  std::uint64_t word = 0;
  const std::uint64_t all = stretch.bytes + sizeof word;
  for (std::uint64_t done = 0; done < all;) {
    if (done > stretch.bytes) return PeerRead::Refused;
    const std::uint64_t left = stretch.bytes - done;
    const std::array<iovec, 2> to{{{stretch.to + done, left}, {&word, sizeof word}}};
    // NOLINTBEGIN(performance-no-int-to-ptr): addresses in the other process
    const std::array<iovec, 2> from{{{reinterpret_cast<void*>(stretch.from + done), left},
                                     {reinterpret_cast<void*>(card.address), sizeof word}}};
    // NOLINTEND(performance-no-int-to-ptr)
    const ssize_t got = ::process_vm_readv(static_cast<pid_t>(card.process), to.data(), to.size(),
                                           from.data(), from.size(), 0);
    if (got <= 0) {
      const bool may_be_gone = got < 0 && errno == ESRCH;
      return may_be_gone && !has_other_threads(card.process) ? PeerRead::Gone : PeerRead::Refused;
    }
    done += static_cast<std::uint64_t>(got);
  }
  return word == card.word ? PeerRead::Done : PeerRead::Gone;
}

}  // namespace

ProcessCard own_card() {
  static const std::uint64_t word = fresh_number() | 1U;
  return {static_cast<std::uint64_t>(::getpid()), reinterpret_cast<std::uint64_t>(&word), word};
}

bool PeerMemory::can_read_all() const {
  for (std::uint32_t member = 0; member < cards_.size(); ++member) {
    if (member == own_) continue;
    if (read_stretch(cards_[member], {}) != PeerRead::Done) return false;
  }
  return true;
}

PeerRead PeerMemory::read(std::uint32_t member, std::byte* to, std::uint64_t from,
                          std::uint64_t bytes) const {
  const std::uint64_t chunks = (bytes + kChunk - 1) / kChunk;
  const std::uint64_t members = cards_.size();
  const std::uint64_t first = chunks * ((own_ + members - member) % members) / members;
  for (std::uint64_t i = 0; i < chunks; ++i) {
    const std::uint64_t at = (first + i) % chunks * kChunk;
    const PeerRead read =
        read_stretch(cards_[member], {to + at, from + at, std::min(kChunk, bytes - at)});
    if (read != PeerRead::Done) return read;
  }
  return PeerRead::Done;
}

}  // namespace espalier::shared
