#include "tuning/native_times.hpp"

#include <algorithm>

#include "collective/whole_trees.hpp"
#include "select/native_model.hpp"
#include "select/plan.hpp"
#include "sim/simulate.hpp"
#include "tuning/in_rounds.hpp"

namespace espalier::tuning {

using schedule::Collective;

namespace {

/// Lengths of segments worth a try: below and above the eager limits of the libraries.
constexpr std::uint64_t kSegments[]{0, 8192, 16384, 32768, 131072};

/// A handshake on every level with far links.
std::vector<std::uint32_t> handshakes_by_level(const topology::Machine& machine,
                                               const select::Transport& transport) {
  std::vector<std::uint32_t> latencies(machine.levels().size());
  for (const topology::Cluster& cluster : machine.clusters()) {
    if (cluster.depth >= latencies.size() || !transport.is_far(cluster.channel.latency)) continue;
    latencies[cluster.depth] = static_cast<std::uint32_t>(transport.handshake_latencies);
  }
  return latencies;
}

/// With more ranks nobody meets everybody.
constexpr Rank kMeetsUpTo = 128;

std::uint64_t bytes_of(const Collective& call) { return call.count * call.element.value; }

/// The same call with another operation, and as many bytes.
Collective turned_into(Operation operation, const Collective& call) {
  Collective other = call;
  other.operation = operation;
  return other;
}

/// The messages of Method::ExchangeAll are those of an allgather of vectors.
Collective as_allgather(const Collective& call) {
  return call_of(Operation::Allgather, call.size, bytes_of(call));
}

Collective with_bytes(const Collective& call, std::uint64_t bytes) {
  Collective other = call;
  other.count = (bytes + call.element.value - 1) / call.element.value;
  return other;
}

}  // namespace

NativeTimes::NativeTimes(const topology::Machine& machine, select::NativeMpi mpi)
    : hierarchy_(machine), predictor_(hierarchy_, select::transport_of(mpi)), mpi_(mpi) {
  const select::Transport transport = select::transport_of(mpi);
  options_.eager_limit = Bytes{transport.eager_bytes};
  options_.handshake = handshakes_by_level(machine, transport);
  has_far_links_ = std::any_of(options_.handshake.begin(), options_.handshake.end(),
                               [](std::uint32_t latencies) { return latencies > 0; });
}

/// Predictions know no handshakes: a latency of the whole tree for each is added.
Time NativeTimes::along(const tree::CommTree& tree, std::uint64_t segment, const Collective& call,
                        bool simulate) const {
  if (simulate) {
    const auto parts = collective::parts_along(
        tree, segment / std::max<std::uint64_t>(call.element.value, 1), call);
    return sim::simulate(call, parts, machine(), options_).finish;
  }
  const auto time = [&](const Collective& of, std::uint64_t cut) {
    return Time{static_cast<std::int64_t>(
        collective::time_along(tree, static_cast<double>(cut), predictor_.cost_view(), of))};
  };
  const Time moved = time(call, segment);
  const std::uint64_t message = segment == 0 ? bytes_of(call) : segment;
  const select::Transport transport = select::transport_of(mpi_);
  if (!has_far_links_ || transport.is_eager(message)) return moved;
  return moved + transport.handshake_latencies * time(with_bytes(call, call.element.value), 0);
}

Time NativeTimes::tree_time(const Candidate& candidate, const Collective& call,
                            bool simulate) const {
  return along(native_tree(candidate.algorithm->tree, call.size, call.root, candidate.fan),
               candidate.segment, call, simulate);
}

/// In segments the way down begins with the first that is up: only the last one's way is added.
Time NativeTimes::up_and_down(const Candidate& candidate, const Collective& call,
                              bool simulate) const {
  const Collective up = turned_into(Operation::Reduce, call);
  Collective down = turned_into(Operation::Broadcast, call);
  if (candidate.segment != 0) {
    down = with_bytes(down, std::min(candidate.segment, bytes_of(call)));
  }
  return tree_time(candidate, up, simulate) + tree_time(candidate, down, simulate);
}

std::optional<Time> NativeTimes::predicted(const Candidate& candidate,
                                           const Collective& call) const {
  const NativeAlgorithm& algorithm = *candidate.algorithm;
  const auto planned = [this](std::string_view name, const Collective& of) -> std::optional<Time> {
    const auto plan = select::plan_named(name, hierarchy_, of);
    if (!plan) return std::nullopt;
    return predictor_(*plan, of) + select::handshakes(mpi_, *plan, predictor_, of);
  };
  switch (algorithm.method) {
    case Method::Plan:
      return planned(algorithm.plan, call);
    case Method::ExchangeAll:
      return planned("direct", as_allgather(call));
    case Method::Tree:
      return tree_time(candidate, call, false);
    case Method::UpAndDown:
      return up_and_down(candidate, call, false);
    case Method::ReduceBroadcast:
    case Method::GatherBroadcast:
      return std::nullopt;
  }
  return std::nullopt;
}

Time NativeTimes::simulated(const Candidate& candidate, const Collective& call) const {
  const auto planned = [this](std::string_view name, const Collective& of) {
    const auto plan = select::plan_named(name, hierarchy_, of);
    const collective::PartOf parts = select::parts_of(*plan, hierarchy_, of);
    const auto program_of = [&parts](Rank rank) { return in_rounds(parts(rank)); };
    return sim::simulate(of, program_of, machine(), options_).finish;
  };
  switch (candidate.algorithm->method) {
    case Method::ExchangeAll:
      return planned("direct", as_allgather(call));
    case Method::Tree:
      return tree_time(candidate, call, true);
    case Method::UpAndDown:
      return up_and_down(candidate, call, true);
    default:
      return planned(candidate.algorithm->plan, call);
  }
}

std::vector<Candidate> candidates_of(std::span<const NativeAlgorithm> algorithms,
                                     const Collective& call, bool ordered) {
  std::vector<Candidate> all;
  for (const NativeAlgorithm& algorithm : algorithms) {
    if (algorithm.operation != call.operation || (ordered && !algorithm.keeps_order)) continue;
    if (algorithm.fan_is_ranks) {
      if (call.size <= kMeetsUpTo) all.push_back({&algorithm, call.size, 0});
      continue;
    }
    for (std::size_t f = 0; f < (algorithm.has_fan() ? algorithm.fans.size() : 1); ++f) {
      const Rank fan = algorithm.fans[f];
      if (algorithm.has_fan() && (fan == 0 || fan >= std::max<Rank>(call.size, 2))) break;
      for (const std::uint64_t segment : kSegments) {
        if (segment != 0 && (!algorithm.cuts || segment >= bytes_of(call))) break;
        all.push_back({&algorithm, fan, segment});
      }
    }
  }
  return all;
}

Collective call_of(Operation operation, Rank ranks, std::uint64_t bytes) {
  Collective call;
  call.operation = operation;
  call.size = ranks;
  call.element = Bytes{schedule::reduces(operation) ? std::uint64_t{8} : std::uint64_t{1}};
  call.count =
      operation == Operation::Barrier ? 0 : std::max<std::uint64_t>(bytes / call.element.value, 1);
  return call;
}

}  // namespace espalier::tuning
