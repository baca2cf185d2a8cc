// Calls without a root up one tree to a rank in the middle, and down another. Trees by links find
// relays, so where the way over another cluster is shorter than the direct one these plans do too.
#include <algorithm>
#include <memory>
#include <utility>

#include "collective/entries.hpp"
#include "collective/link_trees.hpp"
#include "collective/tree_gather.hpp"
#include "collective/tree_links.hpp"
#include "cost/predict_tree.hpp"
#include "tree/irregular.hpp"

namespace espalier::collective {

using cost::CostView;
using cost::Picos;
using schedule::Axis;
using schedule::Buffer;
using schedule::Collective;
using schedule::IndexSet;
using schedule::Operation;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

/// How far the processes of a member are from each other.
Time inner_latency(const topology::Machine& machine, const topology::Member& member) {
  if (member.is_leaf) return Time{};
  const topology::Cluster& cluster = machine.clusters()[member.id];
  return cluster.leaf_count == 1 ? Time{} : cluster.channel.latency;
}

/// Who collects and tells: from the whole machine on into the member of the least inner latency. So
/// it is not behind a long one if there is another rank. Ties go to the member of the lowest rank.
Rank rank_in_the_middle(const Hierarchy& hierarchy) {
  const topology::Machine& machine = hierarchy.machine();
  topology::ClusterId cluster = 0;
  for (;;) {
    std::pair<Time, Rank> least{kForever, kNoRank};
    topology::Member nearest;
    for (const topology::Member& member : machine.members(machine.clusters()[cluster])) {
      const Rank lowest =
          member.is_leaf ? machine.rank_at(member.id) : hierarchy.lowest_rank(member.id);
      const std::pair<Time, Rank> here{inner_latency(machine, member), lowest};
      if (here >= least) continue;
      least = here;
      nearest = member;
    }
    if (nearest.is_leaf) return least.second;
    cluster = nearest.id;
  }
}

/// Both have the same root.
struct TreesBothWays {
  tree::CommTree up;
  tree::CommTree down;
};

TreesBothWays trees_both_ways(const Hierarchy& hierarchy, const Collective& call,
                              std::uint64_t segment) {
  const Rank root = rank_in_the_middle(hierarchy);
  const std::uint64_t all_blocks = call.size * call.count;
  const auto one_way = [&](Operation operation, std::uint64_t count) {
    Collective way = call;
    way.operation = operation;
    way.root = root;
    way.count = count;
    const bool is_cut = operation == Operation::Reduce || operation == Operation::Broadcast;
    return link_tree(by_all_pairs, hierarchy.machine(), way, is_cut ? segment : 0);
  };
  switch (call.operation) {
    case Operation::Allreduce:
      return {one_way(Operation::Reduce, call.count), one_way(Operation::Broadcast, call.count)};
    case Operation::Allgather:
      return {one_way(Operation::Gather, call.count), one_way(Operation::Broadcast, all_blocks)};
    case Operation::ReduceScatter:
      return {one_way(Operation::Reduce, all_blocks), one_way(Operation::Scatter, call.count)};
    case Operation::Alltoall:
      return {one_way(Operation::Gather, all_blocks), one_way(Operation::Scatter, all_blocks)};
    default:
      break;
  }
  return {one_way(Operation::Gather, 0), one_way(Operation::Broadcast, 0)};  // a barrier
}

/// One rank's part while it is written.
class PartBothWays {
 public:
  PartBothWays(const TreesBothWays& trees, std::uint64_t segment, const Collective& call, Rank rank)
      : trees_(trees),
        call_(call),
        rank_(rank),
        up_(links_of(trees.up, rank, segment)),
        down_(links_of(trees.down, rank, segment)),
        in_(slice(Buffer::In, 0, units_in(call, rank))),
        out_(slice(Buffer::Out, 0, units_out(call, rank))),
        program_(rank) {}

  schedule::Program build() && {
    switch (call_.operation) {
      case Operation::Allreduce:
        tree_reduce(program_, up_, in_, out_);
        tree_broadcast(program_, down_, out_);
        break;
      case Operation::Allgather:
        allgather();
        break;
      case Operation::ReduceScatter:
        reduce_scatter();
        break;
      case Operation::Alltoall:
        alltoall();
        break;
      default:
        barrier();
        break;
    }
    return std::move(program_).build();
  }

 private:
  [[nodiscard]] bool is_root() const { return rank_ == trees_.up.root(); }

  void barrier() {
    for (const TreeEdge& child : up_.children) program_.recv(child.peer, {});
    program_.fence();
    if (!is_root()) {
      program_.send(up_.parent.peer, {});
      program_.fence();
      program_.recv(down_.parent.peer, {});
      program_.fence();
    }
    for (const TreeEdge& child : down_.children) program_.send(child.peer, {});
  }

  void allgather() {
    const std::uint64_t block = call_.block();
    program_.copy(in_, slice(Buffer::Out, rank_ * block, block));
    const auto below = bundles_below(trees_.up, rank_);
    std::vector<Rank> own{rank_};
    for (const std::vector<Rank>& ranks : below) own.insert(own.end(), ranks.begin(), ranks.end());
    allgather_up(program_, up_, below, own, block);
    tree_broadcast(program_, down_, out_);
  }

  void reduce_scatter() {
    const std::uint64_t units = is_root() ? in_.length : 0;
    const Region all = slice(Buffer::Scratch, program_.scratch(units), units);
    tree_reduce(program_, up_, in_, all);
    const auto below = bundles_below(trees_.down, rank_);
    if (is_root()) return scatter_from_root(program_, down_, below, all, call_.block(), out_);
    scatter_down(program_, down_, below, out_);
  }

  /// Whole rows go up: all that a rank has for others. What the root sends on are columns.
  void alltoall() {
    const auto rows = bundles_below(trees_.up, rank_);
    const auto columns = bundles_below(trees_.down, rank_);
    if (!is_root()) {
      gather_up(program_, up_, rows, in_);
      return scatter_down(program_, down_, columns, out_);
    }
    // The first room in scratch: row r stands at r times its length.
    program_.scratch(call_.size * in_.length);
    gather_at_root(program_, up_, rows, in_, Buffer::Scratch, in_.length);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      program_.send(down_.children[c].peer, columns_of(columns[c]));
    }
    program_.copy(columns_of(std::vector<Rank>{rank_}), out_);
  }

  /// What all ranks have for each of these, one after the other.
  Region columns_of(const std::vector<Rank>& ranks) {
    Region region = slice(Buffer::Scratch, 0, call_.block());
    region.outer = Axis{program_.set(IndexSet{ranks}), call_.block()};
    region.inner = Axis{program_.set(IndexSet::range(0, call_.size)), in_.length};
    return region;
  }

  const TreesBothWays& trees_;
  const Collective& call_;
  Rank rank_;
  TreeLinks up_;
  TreeLinks down_;
  Region in_;
  Region out_;
  ProgramBuilder program_;
};

/// Trees depend on the length of blocks, which not all ranks know where they differ.
bool both_ways_refuses(const Hierarchy&, const Collective& call, const Parameters&) {
  return call.irregular();
}

/// Of an alltoall the root has all blocks of all ranks in scratch.
bool has_room_for_all(const Collective& call) {
  const std::uint64_t blocks = std::uint64_t{call.size} * call.size;
  return call.operation != Operation::Alltoall ||
         call.count * call.element.value <= tree::kBundleLimit.value / blocks;
}

/// Without detours plans over levels are as good.
std::vector<Parameters> both_ways_proposals(const Hierarchy& hierarchy, const Collective& call) {
  const bool has_relays = hierarchy.shape().has_detours && call.size <= kAllPairsUpTo;
  if (!has_relays || !has_room_for_all(call)) return {};
  return one_tree_a_segment(call);
}

PartOf both_ways_parts(const Hierarchy& hierarchy, const Collective& call,
                       const Parameters& parameters) {
  const std::uint64_t segment = std::get<LevelChoice>(parameters).segment;
  const auto trees =
      std::make_shared<const TreesBothWays>(trees_both_ways(hierarchy, call, segment));
  return [trees, segment, &call](Rank rank) {
    return PartBothWays(*trees, segment, call, rank).build();
  };
}

/// A vector is combined on its way up, and told.
Picos allreduce_both_ways(const CostView& cost_view, const Hierarchy& hierarchy,
                          const Collective& call, const Parameters& parameters) {
  const std::uint64_t units = std::get<LevelChoice>(parameters).segment;
  const TreesBothWays trees = trees_both_ways(hierarchy, call, units);
  const auto bytes = static_cast<double>(call.count * call.element.value);
  const std::vector<double> segments(cost_view.machine().levels().size(),
                                     static_cast<double>(units * call.element.value));
  const cost::WholeTree above = cost::whole_tree(trees.up);
  const cost::WholeTree below = cost::whole_tree(trees.down);
  cost::TreePrediction up(cost_view, above, bytes, segments);
  cost::TreePrediction down(cost_view, below, bytes, segments);
  std::vector<cost::Stream> streams(call.size, {0, 0, bytes});
  up.reduce(streams);
  Picos last = up.busiest_link(true, streams);
  cost::Stream& combined = streams[trees.up.root()];
  if (!up.pipelined()) combined.first = combined.last = std::max(combined.last, last);
  down.broadcast(streams);
  last = std::max(last, down.busiest_link(false, streams));
  for (const cost::Stream& stream : streams) last = std::max(last, stream.last);
  if (!up.pipelined()) return last;
  // Segments go down while others still come up.
  cost::Loads both = up.reduce_loads();
  const cost::Loads told = down.broadcast_loads();
  const Picos busiest = std::max(both.busiest(), told.busiest());
  both += told;
  return last + std::max(0.0, both.busiest() - busiest);
}

}  // namespace

constexpr Algorithm kEdgeFirstAllreduce{
    .name = "ecef-la",
    .source = "up one tree by links and down another, over relays",
    .operations = {Operation::Allreduce},
    .traits = {.knows_machine = true},
    .refuses = both_ways_refuses,
    .propose = both_ways_proposals,
    .build = both_ways_parts,
    .estimate = allreduce_both_ways,
    .text = link_tree_text,
    .read = read_link_tree};
/// They have few messages, and who waits for which link takes more than a formula: they are
/// simulated.
constexpr Algorithm kEdgeFirstBothWays = [] {
  Algorithm simulated = kEdgeFirstAllreduce;
  simulated.operations = {Operation::Barrier, Operation::Allgather, Operation::ReduceScatter,
                          Operation::Alltoall};
  simulated.estimate = nullptr;
  return simulated;
}();

}  // namespace espalier::collective
