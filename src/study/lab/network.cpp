#include "lab/network.hpp"

#include <algorithm>
#include <cmath>

namespace espalier::lab {
namespace {

constexpr auto kNoOrder = std::memory_order_relaxed;
constexpr std::size_t kManyFlows = 4096;
constexpr std::uint64_t kMillion = 1'000'000;
constexpr Instant kAtALowestRate = 3'600'000'000'000;  // 1 h: longest time of a frame at rate 0

}  // namespace

Instant transfer_ns(std::uint64_t bytes, std::uint64_t bits_per_second) {
  if (bits_per_second == kUnlimited.bits_per_second) return 0;
  if (bits_per_second == 0) return kAtALowestRate;
  using Wide = unsigned __int128;
  const Wide ns = (Wide{bytes} * 8'000'000'000ULL + bits_per_second - 1) / bits_per_second;
  return ns < Wide{kAtALowestRate} ? static_cast<Instant>(ns) : kAtALowestRate;
}

bool EmulatedNetwork::happens(std::uint64_t ppm) {
  return ppm > 0 && random_.below(kMillion) < ppm;
}

bool EmulatedNetwork::loses_some(std::uint32_t packets, std::uint64_t ppm) {
  if (ppm == 0) return false;
  for (std::uint32_t i = 0; i < std::max(1U, packets); ++i) {
    if (happens(ppm)) return true;
  }
  return false;
}

/// Bursts of others that came before `now` take the link. The times between them are exponential.
void EmulatedNetwork::let_others_pass(std::uint32_t link, Instant now, std::uint64_t rate) {
  const std::uint64_t others = cells_[link].cross_bits_per_second.load(kNoOrder);
  Instant& next = next_burst_[link];
  if (others == 0) {
    next = 0;
    return;
  }
  const auto mean = static_cast<double>(transfer_ns(kBurst, others));
  const auto gap = [&] {
    const double u = (static_cast<double>(random_.below(kMillion)) + 0.5) / double{kMillion};
    return std::max<Instant>(1, static_cast<Instant>(-mean * std::log(u)));
  };
  // What others sent long ago has passed.
  if (next == 0 || next < now - 2 * longest_queue_)
    next = std::max<Instant>(0, now - longest_queue_) + gap();
  while (next <= now) {
    const Instant begin = std::max(next, free_at_[link]);
    if (begin - next <= longest_queue_) free_at_[link] = begin + transfer_ns(kBurst, rate);
    next += gap();
  }
}

void EmulatedNetwork::delay(Journey& journey, std::uint32_t link) {
  const LinkCell& cell = cells_[link];
  const Instant jitter = cell.jitter_ns.load(kNoOrder);
  const std::uint64_t reorder = cell.reorder_ppm.load(kNoOrder);
  Instant later = cell.delay_ns.load(kNoOrder);
  const bool is_overtaken = happens(reorder);
  if (is_overtaken) {
    later += std::max(jitter, kOvertaken);
  } else if (jitter > 0) {
    later += random_.between(0, jitter);
    later = std::max(later, last_out_[link] - journey.last);
  }
  journey.first += later;
  journey.last += later;
  if (!is_overtaken) last_out_[link] = std::max(last_out_[link], journey.last);
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
  bool passes =
      cell.is_cut.load(kNoOrder) == 0 && !loses_some(frame.packets, cell.loss_ppm.load(kNoOrder));
  if (passes && !Bandwidth{rate}.unlimited()) {
    let_others_pass(l, now, rate);
    passes = occupy(free_at_[l], rate);
  }
  if (passes && !Bandwidth{flow_rate}.unlimited()) {
    passes = occupy(flow_free_at_[{l, frame.flow}], flow_rate);
  }
  if (!passes) {
    cell.drops.fetch_add(1, kNoOrder);
    return false;
  }
  cell.packets.fetch_add(frame.packets, kNoOrder);
  cell.bytes.fetch_add(frame.bytes, kNoOrder);
  delay(journey, l);
  if (flow_free_at_.size() > kManyFlows) forget_idle_flows(now);
  return true;
}

void EmulatedNetwork::forget_idle_flows(Instant now) {
  std::erase_if(flow_free_at_, [now](const auto& flow) { return flow.second <= now; });
}

}  // namespace espalier::lab
