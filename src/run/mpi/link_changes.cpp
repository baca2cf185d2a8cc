#include "mpi/link_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/units.hpp"
#include "mpi/seconds_now.hpp"
#include "runtime/prepared.hpp"
#include "topology/transport.hpp"

namespace espalier::mpi {

using topology::Cluster;
using topology::LevelScale;
using topology::Machine;

namespace {

constexpr std::uint32_t kPairs = 3;
constexpr int kRoundTrips = 4;
constexpr int kParts = 16;  // parts, each small enough to travel without a handshake
constexpr int kMostTurns = 8;
constexpr double kStillOpens = 1.2;
constexpr double kLatencyChanged = 1.3;
constexpr double kBandwidthChanged = 1.6;
/// Seconds. A smaller difference comes from the hosts, not from the network.
constexpr double kLeastDifference = 100e-6;

struct Figures {
  double latency = 0;    // seconds
  double bandwidth = 0;  // bytes a second
};

bool is_far(const Machine& machine, Rank a, Rank b) {
  return topology::kTransport.is_far(machine.path(a, b).latency);
}

Figures measure_links(const FarPair& pair, bool begins, MPI_Comm probes) {
  const int other = static_cast<int>(begins ? pair.to : pair.from);
  char byte = 0;
  const auto send = [&] { PMPI_Send(&byte, 1, MPI_BYTE, other, 0, probes); };
  const auto receive = [&] { PMPI_Recv(&byte, 1, MPI_BYTE, other, 0, probes, MPI_STATUS_IGNORE); };
  double trip = 0;
  for (int i = 0; i < kRoundTrips; ++i) {
    const double begin = seconds_now();
    if (begins) send();
    receive();
    if (!begins) send();
    const double took = seconds_now() - begin;
    if (i == 1 || (i > 1 && took < trip)) trip = took;  // the first wakes the other up
  }
  std::vector<std::byte> data(topology::kTransport.part_bytes);
  const double bytes =
      static_cast<double>(kParts) * static_cast<double>(topology::kTransport.part_bytes);
  double rate = 0;
  // A connection that was idle opens its window turn by turn: as long as that helps.
  for (int turn = 0; turn < kMostTurns; ++turn) {
    const double begin = seconds_now();
    std::array<MPI_Request, kParts> parts{};
    for (MPI_Request& part : parts) {
      if (begins) {
        PMPI_Isend(data.data(), static_cast<int>(data.size()), MPI_BYTE, other, 1, probes, &part);
      } else {
        PMPI_Irecv(data.data(), static_cast<int>(data.size()), MPI_BYTE, other, 1, probes, &part);
      }
    }
    PMPI_Waitall(kParts, parts.data(), MPI_STATUSES_IGNORE);
    if (!begins) {
      send();
      receive();
      if (byte == 0) break;
      continue;
    }
    receive();
    const double now = bytes / std::max(seconds_now() - begin - trip, 1e-6);
    byte = now > kStillOpens * rate && turn + 1 < kMostTurns ? 1 : 0;
    const bool is_last = byte == 0;
    rate = std::max(rate, now);
    send();
    if (is_last) break;
  }
  return {trip / 2, rate};
}

/// The change in thousandths; 1000 unless it is clear.
std::uint32_t scale_of(double now, double before, double least) {
  const double ratio = now / before;
  const bool changed = ratio > least || ratio < 1 / least;
  return changed ? static_cast<std::uint32_t>(std::clamp(ratio, 0.001, 1000.0) * 1000) : 1000;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

/// Takes the first cluster of each level that has a far pair: its first member with others.
std::vector<FarPair> far_pairs(const Machine& machine) {
  std::vector<FarPair> pairs;
  std::vector<bool> has(machine.levels().size(), false);
  const auto first_rank = [&](const topology::Member& member) {
    return machine.rank_at(member.is_leaf ? member.id : machine.clusters()[member.id].first_leaf);
  };
  for (const Cluster& cluster : machine.clusters()) {
    const auto members = machine.members(cluster);
    if (members.size() < 2 || has[cluster.depth]) continue;
    const Rank from = first_rank(members[0]);
    for (std::uint32_t m = 1; m < members.size() && m <= kPairs; ++m) {
      const Rank to = first_rank(members[m]);
      if (!is_far(machine, from, to)) continue;
      pairs.push_back({cluster.depth, from, to});
      has[cluster.depth] = true;
    }
  }
  return pairs;
}

LinkChanges changes_of_links(const Machine& machine, std::span<const FarPair> pairs,
                             MPI_Comm probes) {
  int rank = 0;
  PMPI_Comm_rank(probes, &rank);
  std::vector<double> seen(2 * pairs.size(), 0.0);
  for (std::size_t p = 0; p < pairs.size(); ++p) {
    // One after the other, since they share links.
    PMPI_Barrier(probes);
    const bool begins = static_cast<Rank>(rank) == pairs[p].from;
    if (!begins && static_cast<Rank>(rank) != pairs[p].to) continue;
    const Figures figures = measure_links(pairs[p], begins, probes);
    if (begins) seen[2 * p] = figures.latency, seen[2 * p + 1] = figures.bandwidth;
  }
  PMPI_Allreduce(MPI_IN_PLACE, seen.data(), static_cast<int>(seen.size()), MPI_DOUBLE, MPI_MAX,
                 probes);
  LinkChanges changes;
  for (std::size_t p = 0; p < pairs.size();) {
    const std::uint32_t level = pairs[p].level;
    std::vector<double> latency, rate, before;
    double carried = 0;
    for (; p < pairs.size() && pairs[p].level == level; ++p) {
      const topology::Path path = machine.path(pairs[p].from, pairs[p].to);
      const double was = to_microseconds(path.latency) * 1e-6;
      before.push_back(was);
      // Where little changed nothing did.
      latency.push_back(std::abs(seen[2 * p] - was) < kLeastDifference ? 1 : seen[2 * p] / was);
      if (path.bandwidth.unlimited()) continue;
      carried = static_cast<double>(path.bandwidth.bits_per_second) / 8;
      rate.push_back(seen[2 * p + 1] / carried);
    }
    LevelScale scale{level, scale_of(median(latency), 1, kLatencyChanged), 1000};
    if (!rate.empty()) scale.bandwidth = scale_of(median(rate), 1, kBandwidthChanged);
    if (scale == LevelScale{level}) continue;
    changes.scales.push_back(scale);
    const topology::LevelName& name = machine.levels()[level];
    std::string words = name.channel.empty() ? "level " + std::to_string(level) : name.channel;
    if (scale.latency != 1000) {
      words += fmt::format(" has a latency of {:.2f} ms instead of {:.2f} ms",
                           median(before) * scale.latency, median(before) * 1e3);
    }
    if (scale.bandwidth != 1000) {
      words += fmt::format("{} carries {:.1f} instead of {:.1f} Mbit/s",
                           scale.latency != 1000 ? " and" : "", carried * scale.bandwidth * 8e-9,
                           carried * 8e-6);
    }
    changes.words.push_back(std::move(words));
  }
  return changes;
}

}  // namespace espalier::mpi
