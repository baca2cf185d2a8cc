#include "lab/network.hpp"

#include <algorithm>

namespace espalier::lab {
namespace {

constexpr auto kNoOrder = std::memory_order_relaxed;
constexpr std::size_t kManyFlows = 4096;
constexpr Instant kAtALowestRate = 3'600'000'000'000;  // 1 h: longest time of a frame at rate 0

}  // namespace

Instant transfer_ns(std::uint64_t bytes, std::uint64_t bits_per_second) {
  if (bits_per_second == kUnlimited.bits_per_second) return 0;
  if (bits_per_second == 0) return kAtALowestRate;
  using Wide = unsigned __int128;
  const Wide ns = (Wide{bytes} * 8'000'000'000ULL + bits_per_second - 1) / bits_per_second;
  return ns < Wide{kAtALowestRate} ? static_cast<Instant>(ns) : kAtALowestRate;
}

bool EmulatedNetwork::pass(Journey& journey, std::span<const std::uint32_t> route,
                           const FrameOnWire& frame) {
  const std::uint32_t l = route[journey.hop++];
  LinkCell& cell = cells_[l];
  const Instant now = journey.first;
  const auto occupy = [&](Instant& free_at, std::uint64_t rate) {
    const Instant begin = std::max(journey.first, free_at);
    if (begin - journey.first > longest_queue_) return false;
    const Instant took = transfer_ns(frame.bytes, rate);
    free_at = begin + took;
    journey.first = begin + took / std::max(1U, frame.packets);
    journey.last = std::max(journey.last, free_at);
    return true;
  };
  const std::uint64_t rate = cell.bits_per_second.load(kNoOrder);
  const std::uint64_t flow_rate = cell.flow_bits_per_second.load(kNoOrder);
  bool passes = cell.is_cut.load(kNoOrder) == 0;
  if (passes && !Bandwidth{rate}.unlimited()) passes = occupy(free_at_[l], rate);
  if (passes && !Bandwidth{flow_rate}.unlimited()) {
    passes = occupy(flow_free_at_[{l, frame.flow}], flow_rate);
  }
  if (!passes) {
    cell.drops.fetch_add(1, kNoOrder);
    return false;
  }
  cell.packets.fetch_add(frame.packets, kNoOrder);
  cell.bytes.fetch_add(frame.bytes, kNoOrder);
  const Instant delay = cell.delay_ns.load(kNoOrder);
  journey.first += delay;
  journey.last += delay;
  if (flow_free_at_.size() > kManyFlows) forget_idle_flows(now);
  return true;
}

void EmulatedNetwork::forget_idle_flows(Instant now) {
  std::erase_if(flow_free_at_, [now](const auto& flow) { return flow.second <= now; });
}

}  // namespace espalier::lab
