// Estimates of striped plans by the shape of the machine: the steps of striped_time.cpp.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "collective/regular_rounds.hpp"
#include "collective/striped.hpp"

namespace espalier::collective {

using cost::Picos;
using schedule::Collective;
using schedule::Operation;

namespace {

/// Reduce-scatter or allgather within every cluster. @return whether all ranks do the same
bool share_out(RegularRounds& rounds, Inside inside, double block, bool reduces) {
  const Rank ranks = rounds.inside();
  if (ranks < 2) return true;
  if (inside == Inside::Ring) {
    rounds.ring(1, block, reduces);
    return true;
  }
  if (!reduces || !rounds.are_bits_aligned()) return false;
  for (Rank mask = 1; mask < ranks; mask *= 2) {
    rounds.across_bits(mask, block * (ranks / (2 * mask)), true);
  }
  return true;
}

/// Each part among its owners, of which every cluster has as many as it has ranks.
/// @return whether all clusters do the same
bool among_owners(RegularRounds& rounds, Across across, double part) {
  const Rank clusters = rounds.clusters();
  const Rank inside = rounds.inside();
  const auto next = [&](Rank from, Rank to) { return (to + clusters - from) % clusters - 1; };
  switch (across) {
    case Across::Exchange:
      rounds.across_clusters(part, true, next);
      return true;
    case Across::Direct:
      rounds.across_clusters(part / clusters, true, next);
      rounds.across_clusters(part / clusters, false, next);
      return true;
    case Across::Ring:
      for (const bool combines : {true, false}) {
        for (Rank step = 1; step < clusters; ++step) {
          rounds.across_bits(inside, part / clusters, combines);
        }
      }
      return true;
    case Across::RecursiveDoubling:
    case Across::Halving: {
      if (!std::has_single_bit(clusters)) return false;
      const bool halves = across == Across::Halving;
      for (Rank mask = 1; mask < clusters; mask *= 2) {
        rounds.across_bits(inside * mask, halves ? part / (2.0 * mask) : part, true);
      }
      for (Rank mask = clusters / 2; halves && mask > 0; mask /= 2) {
        rounds.across_bits(inside * mask, part / (2.0 * mask), false);
      }
      return true;
    }
  }
  return false;
}

double striped_bytes(const Collective& call) {
  return static_cast<double>(call.count * call.element.value);
}

/// On machines that are not regular: not less than the estimate, and near it where clusters of a
/// depth are nearly alike. Rings inside the clusters are told by their different parts. What goes
/// across begins when all have sent and takes as long as the busiest link has to carry.
class StripedAtMost {
 public:
  StripedAtMost(const FoldedMachine& machine, const Collective& call)
      : folded_(machine),
        machine_(machine.whole().machine()),
        shape_(machine.whole().shape()),
        call_(call),
        clusters_(machine_.clusters().front().member_count),
        parts_(shape_.smallest_outermost) {}

  /// @pre shape.in_order, shape.equal_nodes, equal_links and equally_late, no backbone
  std::optional<Picos> finish(const StripedChoice& choice) {
    if (choice.inside != Inside::Ring || choice.parts != 0) return std::nullopt;
    const double bytes = striped_bytes(call_);
    const double all = bytes * call_.size;
    Picos takes = 0;
    if (call_.operation == Operation::Allreduce) {
      const auto owners = among_owners(choice.across, bytes / parts_);
      if (!owners) return std::nullopt;
      takes = share_out(bytes, true) + *owners + share_out(bytes, false);
    } else {
      const bool reduces = call_.operation == Operation::ReduceScatter;
      takes = share_out(all, reduces) + blocks_across(bytes, reduces);
    }
    if (is_half_duplex_) return std::nullopt;
    return takes;
  }

 private:
  /// Edges between ranks that follow each other.
  struct Run {
    Picos sum = 0;
    Picos longest = 0;
    Picos shortest = 0;
    Picos pace = 0;
  };
  void join(Run& run, const Run& other) const {
    run.shortest = run.longest == 0     ? other.shortest
                   : other.longest == 0 ? run.shortest
                                        : std::min(run.shortest, other.shortest);
    run.sum += other.sum;
    run.longest = std::max(run.longest, other.longest);
    run.pace = std::max(run.pace, other.pace);
  }

  [[nodiscard]] Picos send(double bytes) const { return folded_.cost_view().send(0, bytes); }
  [[nodiscard]] Picos taken(double bytes, bool combines) const {
    const cost::CostView& costs = folded_.cost_view();
    return costs.recv(0, bytes) + (combines ? costs.combine(0, bytes) : 0);
  }

  [[nodiscard]] Run edge(topology::Leaf from, topology::Leaf to, double bytes, double mean,
                         bool combines) const {
    const topology::Path path = machine_.path(machine_.rank_at(from), machine_.rank_at(to));
    const Picos per_byte = cost::per_byte_of(path.bandwidth);
    const Picos step = send(bytes) + static_cast<Picos>(path.latency.picoseconds) +
                       bytes * per_byte + taken(bytes, combines);
    return {step, step, step, std::max(mean * per_byte, send(bytes) + taken(bytes, combines))};
  }

  /// Along a cluster, from its first rank to the last; equal clusters once.
  Run along(topology::ClusterId id, double bytes, double mean, bool combines) {
    const topology::Cluster& cluster = machine_.clusters()[id];
    is_half_duplex_ = is_half_duplex_ || cluster.uplink.half_duplex;
    const auto known = runs_.find({cluster.depth, shape_.classes[id]});
    if (known != runs_.end()) return known->second;
    Run run;
    bool is_first = true;
    for (const topology::Member& member : machine_.members(cluster)) {
      const topology::Leaf first =
          member.is_leaf ? member.id : machine_.clusters()[member.id].first_leaf;
      if (!is_first) join(run, edge(first - 1, first, bytes, mean, combines));
      if (!member.is_leaf) join(run, along(member.id, bytes, mean, combines));
      if (member.is_leaf) {
        is_half_duplex_ = is_half_duplex_ || machine_.leaf_uplink(member.id).half_duplex;
      }
      is_first = false;
    }
    runs_.emplace(std::pair{cluster.depth, shape_.classes[id]}, run);
    return run;
  }

  /// The slowest of the rings within the clusters. See cost::Rounds::ring().
  Picos share_out(double all, bool reduces) {
    const bool in_parts = call_.operation == Operation::Allreduce;
    Picos most = 0;
    for (const topology::Member& member : machine_.members(machine_.clusters().front())) {
      if (member.is_leaf) continue;
      const topology::Cluster& cluster = machine_.clusters()[member.id];
      const double ranks = cluster.leaf_count;
      if (ranks < 2) continue;
      const double mean = all / ranks;
      const double block = in_parts ? std::max(mean, all / parts_) : mean;
      if (block != block_ || mean != mean_ || reduces != combines_) runs_.clear();
      block_ = block;
      mean_ = mean;
      combines_ = reduces;
      Run run = along(member.id, block, mean, reduces);
      const topology::Leaf last = cluster.first_leaf + cluster.leaf_count - 1;
      join(run, edge(last, cluster.first_leaf, block, mean, reduces));
      most = std::max({most, run.sum - run.shortest, run.longest + (ranks - 2) * run.pace});
    }
    return most;
  }

  /// How long the busiest link of all carries messages of so many bytes.
  /// @param of_rank how many of them a rank has
  /// @param of_cluster how many of them a cluster's uplink carries one way
  template <typename Count>
  [[nodiscard]] Picos busiest(double bytes, double of_rank, Count of_cluster) const {
    Picos most = 0;
    for (const topology::Cluster& cluster : machine_.clusters()) {
      if (cluster.depth == 0) continue;
      const Picos per_byte =
          std::max(cost::per_byte_of(cluster.uplink.out), cost::per_byte_of(cluster.uplink.in));
      most = std::max(most, of_cluster(cluster) * per_byte);
    }
    const topology::Uplink& leaf = machine_.leaf_uplink(0);
    most = std::max(
        {most, of_rank * cost::per_byte_of(leaf.out), of_rank * cost::per_byte_of(leaf.in)});
    return most * bytes;
  }

  /// So many messages of each rank (of `outside` ranks in each outermost cluster) across the
  /// outermost channel.
  [[nodiscard]] Picos across(double messages, double bytes, bool combines, double outside) const {
    return across(messages, bytes, combines, [&](const topology::Cluster& cluster) {
      const double ranks = cluster.leaf_count;
      return messages * (cluster.depth == 1 ? std::min(ranks, outside) : ranks);
    });
  }
  template <typename Count>
  [[nodiscard]] Picos across(double messages, double bytes, bool combines, Count of_cluster) const {
    const topology::Cluster& whole = machine_.clusters().front();
    const topology::Path path =
        machine_.path(0, machine_.rank_at(whole.leaf_count - 1));  // all uplinks are as late
    const Picos cap = bytes * cost::per_byte_of(whole.channel.flow_cap);
    return messages * send(bytes) + static_cast<Picos>(path.latency.picoseconds) +
           std::max(busiest(bytes, messages, of_cluster), cap) + messages * taken(bytes, combines);
  }

  /// A rank of a smaller cluster stands for several of a larger one.
  [[nodiscard]] Picos blocks_across(double block, bool reduces) const {
    const double others = clusters_ - 1.0;
    const double several =
        std::ceil(static_cast<double>(shape_.largest_outermost) / shape_.smallest_outermost);
    return across(several * others, block, reduces, [&](const topology::Cluster& cluster) {
      const double ranks = cluster.leaf_count;
      if (cluster.depth > 1) return several * others * ranks;
      return std::max(others * ranks, call_.size - ranks);  // one way, and the other
    });
  }

  [[nodiscard]] std::optional<Picos> among_owners(Across how, double part) const {
    const double others = clusters_ - 1.0;
    const double outside = parts_;
    Picos takes = 0;
    switch (how) {
      case Across::Exchange:
        return across(others, part, true, outside);
      case Across::Direct:
        return across(others, part / clusters_, true, outside) +
               across(others, part / clusters_, false, outside);
      case Across::Ring:
        return others * (across(1, part / clusters_, true, outside) +
                         across(1, part / clusters_, false, outside));
      case Across::RecursiveDoubling:
      case Across::Halving:
        if (!std::has_single_bit(clusters_)) return std::nullopt;
        for (Rank mask = 1; mask < clusters_; mask *= 2) {
          const bool halves = how == Across::Halving;
          takes += across(1, halves ? part / (2.0 * mask) : part, true, outside);
          if (halves) takes += across(1, part / (2.0 * mask), false, outside);
        }
        return takes;
    }
    return std::nullopt;
  }

  const FoldedMachine& folded_;
  const topology::Machine& machine_;
  const MachineShape& shape_;
  const Collective& call_;
  Rank clusters_;
  Rank parts_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Run> runs_;  // by depth and class
  double block_ = -1, mean_ = -1;                                // what these runs carry
  bool combines_ = false;
  bool is_half_duplex_ = false;
};

/// Of more ranks than these, which nobody walks over, it is enough not to tell too little.
constexpr Rank kExactUpTo = 4096;

}  // namespace

std::optional<Picos> folded_striped_time(const StripedChoice& choice, const FoldedMachine& machine,
                                         const Collective& call) {
  constexpr Rank kMostClusters = 256;
  const bool gathers = call.operation == Operation::Allgather;
  const bool reduces_all = call.operation == Operation::Allreduce;
  if (!gathers && !reduces_all && call.operation != Operation::ReduceScatter) return std::nullopt;
  if (!call.commutative && reduces(call.operation)) return std::nullopt;
  const MachineShape& shape = machine.whole().shape();
  const topology::Cluster& outermost = machine.whole().machine().clusters().front();
  if (outermost.member_count > kMostClusters) return std::nullopt;
  if (!shape.equal_parts) {
    const bool is_told = call.size > kExactUpTo && shape.in_order && shape.equal_nodes &&
                         shape.equal_links && shape.equally_late &&
                         outermost.channel.backbone.unlimited() && shape.smallest_outermost > 1 &&
                         outermost.member_count > 1;
    if (!is_told) return std::nullopt;
    return StripedAtMost(machine, call).finish(choice);
  }
  RegularRounds rounds(machine);
  const Rank clusters = rounds.clusters();
  const double bytes = striped_bytes(call);
  const double share = bytes * call.size / rounds.inside();
  if (reduces_all) {
    if (choice.parts != 0 && choice.parts != rounds.inside()) return std::nullopt;
    const double part = bytes / rounds.inside();
    if (!share_out(rounds, choice.inside, part, true)) return std::nullopt;
    if (!among_owners(rounds, choice.across, part)) return std::nullopt;
    if (!share_out(rounds, choice.inside, part, false)) return std::nullopt;
    return rounds.finish();
  }
  if (gathers) {
    rounds.across_clusters(
        bytes, false, [&](Rank from, Rank to) { return (to + clusters - from) % clusters - 1; });
    if (!share_out(rounds, choice.inside, share, false)) return std::nullopt;
    return rounds.finish();
  }
  if (!share_out(rounds, choice.inside, share, true)) return std::nullopt;
  rounds.across_clusters(bytes, true, [](Rank from, Rank to) { return to < from ? to : to - 1; });
  return rounds.finish();
}

}  // namespace espalier::collective
