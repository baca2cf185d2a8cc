#include "collective/multilevel_exchange.hpp"

#include <algorithm>
#include <numeric>

#include "cost/rounds.hpp"

namespace espalier::collective {

using cost::CostView;
using cost::Flow;
using cost::FlowSharing;
using cost::Loads;
using cost::Picos;
using cost::Rounds;
using cost::Stream;

namespace {

double exchanged_segment(double cut, double bytes) { return cut > 0 && cut < bytes ? cut : bytes; }

}  // namespace

Loads exchange_loads(double cut, double bytes, const CostView& cost_view,
                     const Hierarchy& hierarchy) {
  Loads loads(cost_view);
  const double segment = exchanged_segment(cut, bytes);
  const std::vector<Rank> masters = hierarchy.masters_of_members(0, 0);
  for (const Rank from : masters) {
    for (const Rank to : masters) {
      if (from != to) loads.add(from, to, segment, std::max(1.0, bytes / segment), true);
    }
  }
  return loads;
}

void exchange_streams(std::vector<Stream>& streams, double cut, double bytes,
                      const CostView& cost_view, const Hierarchy& hierarchy) {
  std::vector<Rank> masters = hierarchy.masters_of_members(0, 0);
  if (masters.size() < 2) return;
  std::sort(masters.begin(), masters.end());
  const double segment = exchanged_segment(cut, bytes);
  const double count = bytes > 0 ? std::max(1.0, bytes / segment) : 1;
  std::vector<Flow> flows;
  for (std::size_t i = 0; i < masters.size(); ++i) {
    Picos processor = streams[masters[i]].first;
    for (std::size_t step = 1; step < masters.size(); ++step) {
      processor += cost_view.send(masters[i], segment);
      flows.push_back({masters[i], masters[(i + step) % masters.size()], segment, processor});
    }
  }
  FlowSharing sharing(cost_view);
  sharing.settle(flows);
  std::vector<Flow> whole = flows;
  for (Flow& flow : whole) flow.bytes = bytes;
  if (count > 1) sharing.settle(whole);
  const std::vector<Stream> before = streams;
  const auto others = static_cast<double>(masters.size() - 1);
  // The others' parts are combined one after the other, as they come.
  std::vector<std::size_t> order(flows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return flows[a].end < flows[b].end; });
  for (const Rank m : masters) {
    streams[m].grain = segment;
    streams[m].first += others * cost_view.send(m, segment);
  }
  for (const std::size_t i : order) {
    Stream& to = streams[flows[i].to];
    to.first = std::max(to.first, flows[i].end) + cost_view.recv(flows[i].to, segment) +
               cost_view.combine(flows[i].to, segment);
  }
  for (const Rank m : masters) streams[m].last = std::max(streams[m].last, streams[m].first);
  if (count <= 1 && segment >= bytes) {
    for (const Rank m : masters) streams[m].last = streams[m].first;
    return;
  }
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& flow = flows[i];
    const Stream& from = before[flow.from];
    const Picos work = cost_view.recv(flow.to, segment) + cost_view.combine(flow.to, segment);
    const Picos step = flow.latency + segment * flow.per_byte + work;
    const Picos send = cost_view.send(flow.from, segment);
    Stream& to = streams[flow.to];
    to.last = std::max({to.last, whole[i].end + work, from.last + others * send + step,
                        from.first + count * others * send + step,
                        before[flow.to].first + count * others * (work + send)});
  }
}

Picos exchange_blocks(std::span<const Stream> streams, Picos earliest,
                      std::span<const double> trees, double block, const CostView& cost_view,
                      const Hierarchy& hierarchy) {
  std::vector<Rank> masters = hierarchy.masters_of_members(0, 0);
  std::sort(masters.begin(), masters.end());
  Rounds rounds(cost_view);
  std::vector<Rounds::RoundMessage> messages;
  for (std::size_t i = 0; i < masters.size(); ++i) {
    rounds.set_clock(masters[i], std::max(earliest, streams[masters[i]].last));
    for (std::size_t step = 1; step < masters.size(); ++step) {
      const Rank to = masters[(i + step) % masters.size()];
      messages.push_back({masters[i], to, trees[to] * block});
    }
  }
  rounds.exchange(messages, true);
  Picos last = 0;
  for (const Rank m : masters) last = std::max(last, rounds.clock(m));
  return last;
}

std::vector<std::vector<Picos>> bundles_across(const BundleOwners& owners,
                                               std::span<const Picos> ready,
                                               const CostView& cost_view) {
  const auto& masters = owners.masters;
  const std::size_t n = masters.size();
  std::vector<std::vector<Picos>> here(n, std::vector<Picos>(n, 0));
  for (std::size_t i = 0; i < n; ++i) here[i][i] = ready[i];
  if (owners.top == Top::Exchange) {
    std::vector<Flow> flows;
    for (std::size_t i = 0; i < n; ++i) {
      Picos clock = ready[i];
      for (std::size_t step = 1; step < n; ++step) {
        clock += cost_view.send(masters[i], owners.bytes[i]);
        flows.push_back({masters[i], masters[(i + step) % n], owners.bytes[i], clock});
      }
    }
    FlowSharing(cost_view).settle(flows);
    for (std::size_t k = 0; k < flows.size(); ++k) {
      const std::size_t from = k / (n - 1);
      const std::size_t to = (from + 1 + k % (n - 1)) % n;
      here[to][from] = flows[k].end + cost_view.recv(masters[to], owners.bytes[from]);
    }
    return here;
  }
  Rounds rounds(cost_view);
  for (std::size_t i = 0; i < n; ++i) rounds.set_clock(masters[i], ready[i]);
  std::vector<Rounds::RoundMessage> messages;
  for (std::size_t step = 0; step + 1 < n; ++step) {
    messages.clear();
    for (std::size_t i = 0; i < n; ++i) {
      messages.push_back({masters[i], masters[(i + 1) % n], owners.bytes[(i + n - step) % n]});
    }
    rounds.exchange(messages);
    for (std::size_t i = 0; i < n; ++i) {
      here[(i + 1) % n][(i + n - step) % n] = rounds.clock(masters[(i + 1) % n]);
    }
  }
  return here;
}

void add_bundles_across(Loads& loads, const BundleOwners& owners) {
  const auto& masters = owners.masters;
  const std::size_t n = masters.size();
  const bool exchange = owners.top == Top::Exchange;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t step = 1; step < n; ++step) {
      const Rank to = masters[(i + (exchange ? step : 1)) % n];
      loads.add(masters[i], to, owners.bytes[exchange ? i : (i + n + 1 - step) % n], 1, false);
    }
  }
}

}  // namespace espalier::collective
