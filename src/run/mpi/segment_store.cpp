#include "mpi/segment_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace espalier::mpi {

bool SegmentStore::take(std::uint64_t bytes, std::uint64_t most) {
  const std::lock_guard lock(mutex_);
  while (taken_ + bytes > most && !spare_.empty()) forget_oldest();
  if (taken_ + bytes > most) return false;
  taken_ += bytes;
  return true;
}

void SegmentStore::give_back(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  taken_ -= bytes;
}

void SegmentStore::use() {
  const std::lock_guard lock(mutex_);
  most_.store(std::max(most_.load(), taken_));
}

std::vector<std::string> SegmentStore::refusals() const {
  static constexpr std::array<std::string_view, kNoSegmentCount> kWhy{
      "",
      "",
      "ESPALIER_SHARED_MEMORY allows no more",
      "memory of another process cannot be opened under /proc",
      "the system gives no memory (memfd_create, limits)",
      "the MPI library takes buffers on devices (ESPALIER_SHARED=1 if the program has none)",
      "MPI reported an error",
  };
  std::vector<std::string> all;
  const auto add = [&](std::uint64_t times, std::string_view what, std::string_view why) {
    if (times == 0) return;
    all.push_back(fmt::format("{} communicator{} {}: {}", times, times == 1 ? "" : "s", what, why));
  };
  for (std::size_t why = 0; why < kNoSegmentCount; ++why) {
    add(refusals_[why].load(), "without", kWhy[why]);
  }
  add(unreadable_.load(), "with two copies alone",
      "memory of other processes cannot be read (process_vm_readv)");
  return all;
}

void SegmentStore::forget_oldest() {
  taken_ -= spare_.front().segment.member.geometry().part_bytes();
  spare_.erase(spare_.begin());
}

void SegmentStore::keep(const std::vector<Rank>& ranks, SharedSegment segment) {
  const std::lock_guard lock(mutex_);
  if (spare_.size() >= kMostSpare) forget_oldest();
  spare_.push_back({ranks, std::move(segment)});
}

std::optional<SharedSegment> SegmentStore::find(const std::vector<Rank>& ranks,
                                                std::uint64_t nonce) {
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(spare_.rbegin(), spare_.rend(), [&](const Spare& one) {
    return one.ranks == ranks && (nonce == 0 || one.segment.nonce == nonce);
  });
  if (found == spare_.rend()) return std::nullopt;
  std::optional<SharedSegment> segment(std::move(found->segment));
  spare_.erase(std::next(found).base());
  return segment;
}

}  // namespace espalier::mpi
