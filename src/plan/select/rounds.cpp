#include "select/rounds.hpp"

#include <algorithm>

#include "sim/options.hpp"

namespace espalier::select {

namespace {

bool rendezvous(double bytes) {
  return bytes >= static_cast<double>(sim::SimOptions{}.eager_limit.value);
}

}  // namespace

Rounds::Rounds(const CostView& cost_view)
    : cost_view_(cost_view),
      sharing_(cost_view),
      crossings_(cost_view),
      clocks_(cost_view.size(), 0),
      free_(cost_view.resources(), 0) {}

void Rounds::exchange(std::span<const RoundMessage> messages, bool combines, bool keeps) {
  flows_.clear();
  std::vector<Picos> sent = clocks_;
  for (const RoundMessage& m : messages) {
    sent[m.from] += cost_view_.send(m.from, m.bytes);
    cost_view_.find_route(m.from, m.to, route_);
    const Picos latency = cost_view_.latency(route_);
    Picos start = sent[m.from];
    for (const sim::ResourceId r : route_.resources()) {
      start = std::max(start, free_[r] - latency);
    }
    flows_.push_back({m.from, m.to, m.bytes, start});
  }
  sharing_.settle(flows_);
  for (const Flow& flow : flows_) {
    cost_view_.find_route(flow.from, flow.to, route_);
    for (const sim::ResourceId r : route_.resources()) {
      free_[r] =
          std::max(free_[r], flow.start + flow.latency) + flow.bytes * cost_view_.per_byte(r);
    }
  }
  std::vector<std::size_t> order(flows_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return flows_[a].end < flows_[b].end; });
  clocks_ = sent;
  for (const std::size_t i : order) {
    const Flow& flow = flows_[i];
    clocks_[flow.to] = std::max(clocks_[flow.to], flow.end) + cost_view_.recv(flow.to, flow.bytes);
    if (combines) clocks_[flow.to] += cost_view_.combine(flow.to, flow.bytes);
  }
  if (!keeps) return;
  for (const Flow& flow : flows_) {
    if (rendezvous(flow.bytes)) clocks_[flow.from] = std::max(clocks_[flow.from], flow.end);
  }
}

/// What went round the ring has taken `rounds` edges one after the other: the longest such stretch
/// decides, or the slowest edge, which all blocks cross one after the other.
void Rounds::ring(std::span<const Rank> members, double rounds, double bytes, bool combines,
                  double slots, double mean) {
  const std::size_t n = members.size();
  if (mean == 0) mean = bytes;
  if (n < 2 || rounds <= 0) return;
  flows_.clear();
  for (std::size_t i = 0; i < n; ++i) {
    flows_.push_back({members[i], members[(i + 1) % n], bytes, 0});
  }
  sharing_.settle(flows_);
  std::vector<Picos> step(n);
  Picos pace = 0, latest = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Flow& flow = flows_[i];
    Picos taken = cost_view_.recv(flow.to, bytes);
    if (combines) taken += cost_view_.combine(flow.to, bytes);
    step[i] = cost_view_.send(flow.from, bytes) + flow.latency + bytes * flow.per_byte + taken;
    const Picos work = cost_view_.send(flow.to, bytes) + taken;
    pace = std::max({pace, mean * flow.per_byte, work});
    latest = std::max(latest, clocks_[members[i]]);
  }
  // A slot is free again when what came into it has been passed on.
  for (std::size_t i = 0; slots > 0 && rendezvous(bytes) && i < n; ++i) {
    pace = std::max(pace, (step[i] + step[(i + 1) % n]) / slots);
  }
  // The longest stretch of `rounds` edges; more than once around counts whole turns.
  const auto whole = static_cast<std::uint64_t>(rounds);
  const std::size_t width = whole % n;
  Picos turn = 0, window = 0, longest = 0;
  for (const Picos s : step) turn += s;
  for (std::size_t i = 0; i < width; ++i) window += step[i];
  longest = window;
  for (std::size_t i = 0; i < n; ++i) {
    window += step[(i + width) % n] - step[i];
    longest = std::max(longest, window);
  }
  longest += turn * static_cast<double>(whole / n);
  const Picos first = *std::max_element(step.begin(), step.end());
  const Picos done = latest + std::max(longest, first + (rounds - 1) * pace);
  for (const Rank r : members) clocks_[r] = done;
}

void Rounds::all_to_all(std::span<const Rank> members, double bytes) {
  const auto n = static_cast<double>(members.size());
  if (members.size() < 2) return;
  // Loads, not messages: the busiest thing on the way decides.
  crossings_.clear();
  Picos latency = 0, capped = 0, latest = 0, processor = 0, sending = 0;
  for (const Rank from : members) {
    latest = std::max(latest, clocks_[from]);
    processor = std::max(processor,
                         (n - 1) * (cost_view_.send(from, bytes) + cost_view_.recv(from, bytes)));
    for (const Rank to : members) {
      if (from == to) continue;
      cost_view_.find_route(from, to, route_);
      crossings_.add(route_);
      latency = std::max(latency, cost_view_.latency(route_));
      capped = std::max(capped, bytes * cost_view_.cap_per_byte(route_));
    }
  }
  Picos busiest = capped;
  for (sim::ResourceId r = 0; r < cost_view_.resources(); ++r) {
    if (crossings_[r] != 0)
      busiest = std::max(busiest, crossings_[r] * bytes * cost_view_.per_byte(r));
  }
  Picos one = 0;
  for (const Rank r : members) {
    one = std::max(one, cost_view_.send(r, bytes) + cost_view_.recv(r, bytes));
  }
  const Picos done =
      latest + std::max({latency + busiest + one, latency + sending + one, processor});
  for (const Rank r : members) clocks_[r] = std::max(clocks_[r], done);
}

void Rounds::join() {
  const Picos all = finish();
  for (Picos& clock : clocks_) clock = all;
}

Picos Rounds::finish() const { return *std::max_element(clocks_.begin(), clocks_.end()); }

}  // namespace espalier::select
