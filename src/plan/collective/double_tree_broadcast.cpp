#include <algorithm>
#include <array>

#include "collective/broadcast.hpp"
#include "collective/flat_algorithm.hpp"
#include "collective/tree_links.hpp"
#include "cost/predict_tree.hpp"
#include "tree/double_binary.hpp"

namespace espalier::collective {

using schedule::Operation;

using schedule::ProgramBuilder;
using schedule::Region;

namespace {

/// This rank's part of one of the trees.
struct Half {
  Region region;
  std::uint64_t segments = 0;
  Rank parent = kNoRank;
  std::vector<Rank> children;
};

/// By position, children in the steps in which they receive.
Half half_of(const tree::CommTree& tree, Rank position, const Region& region, std::uint64_t segment,
             const std::vector<std::uint8_t>& steps, bool first) {
  Half half{region, region.length == 0 ? 0 : segment_count(region, segment), kNoRank, {}};
  if (position != tree.root()) half.parent = tree.parent(position);
  half.children = tree.children(position);
  std::stable_sort(half.children.begin(), half.children.end(), [&](Rank a, Rank b) {
    return first ? steps[a] < steps[b] : steps[a] > steps[b];
  });
  return half;
}

}  // namespace

void double_tree_broadcast(ProgramBuilder& program, const Participants& participants, Rank root,
                           const Region& region, std::uint64_t segment) {
  const tree::DoubleTree trees = tree::double_binary(tree::everybody(participants.size(), root));
  const std::vector<std::uint8_t> steps = tree::two_colouring(trees);
  Region upper = region, lower = region;
  upper.length = (region.length + 1) / 2;
  lower.offset += upper.length;
  lower.length -= upper.length;
  std::array<Half, 2> halves{half_of(trees.first, participants.me, upper, segment, steps, true),
                             half_of(trees.second, participants.me, lower, segment, steps, false)};
  // The root sends in both trees: first in the one whose child receives first.
  const bool is_root = participants.me == root;
  const bool second_first = is_root
                                ? !halves[0].children.empty() && steps[halves[0].children[0]] == 1
                                : steps[participants.me] == 1;
  if (second_first) std::swap(halves[0], halves[1]);

  for (std::uint64_t s = 0; s < std::max(halves[0].segments, halves[1].segments); ++s) {
    for (const Half& half : halves) {
      if (s >= half.segments) continue;
      const Region part = segment_of(half.region, segment, s);
      if (half.parent != kNoRank) program.recv(participants.at(half.parent), part);
      for (const Rank child : half.children) program.send(participants.at(child), part);
    }
  }
}

namespace {

cost::Picos double_tree_broadcast_time(FlatEstimate& at) {
  using cost::Loads;
  using cost::Picos;
  using cost::Stream;
  const auto root = static_cast<Rank>(
      std::find(at.everybody.begin(), at.everybody.end(), at.call.root) - at.everybody.begin());
  const tree::DoubleTree trees = tree::double_binary(tree::everybody(at.call.size, root));
  const std::vector<double> segments(at.cost_view.machine().levels().size(),
                                     static_cast<double>(kDoubleTreeSegment));
  Picos last = 0, busiest = 0;
  Picos nearest = static_cast<Picos>(kForever.picoseconds);  // latency of the root's messages
  sim::Route route;
  Loads both(at.cost_view);
  for (const tree::CommTree* half : {&trees.first, &trees.second}) {
    const cost::WholeTree tree = cost::whole_tree(*half, at.everybody);
    std::vector<Stream> streams(at.call.size, {0, 0, at.bytes / 2});
    cost::TreePrediction prediction(at.cost_view, tree, at.bytes / 2, segments);
    prediction.broadcast(streams);
    for (const Stream& stream : streams) last = std::max(last, stream.last);
    for (const Rank child : tree.children_of(at.call.root)) {
      at.cost_view.find_route(at.call.root, child, route);
      nearest = std::min(nearest, at.cost_view.latency(route));
    }
    const Loads one = prediction.broadcast_loads();
    busiest = std::max(busiest, one.busiest());
    both += one;
  }
  // Where one resource carries the messages of all depths, it is busy from the first one on.
  return std::max(last + std::max(0.0, both.busiest() - busiest), nearest + both.busiest());
}

/// A cluster without the root is a run of positions. The largest power of two of them that surely
/// begins at a multiple of itself is a whole sub-tree, whose edges span half of it, a quarter, ...
cost::Picos double_tree_broadcast_least(LeastFlat& at) {
  const double bytes = std::min(at.bytes / 2, static_cast<double>(kDoubleTreeSegment));
  if (at.outermost < 4 || at.outermost == at.call.size) return at.rounds.message(1, bytes);
  cost::Picos way = at.costs.across(bytes);
  for (Rank span = std::bit_floor(at.outermost) / 8; at.is_along && span > 0; span /= 2) {
    way += at.rounds.message(span, bytes);
  }
  return way * (1 - 1e-9);
}

}  // namespace

constexpr Algorithm kDoubleTree =
    flat<any_size,
         [](ProgramBuilder& program, const FlatCall& call) {
           const std::uint64_t element = std::max<std::uint64_t>(1, call.element.value);
           double_tree_broadcast(program, call.participants, call.root, call.out(),
                                 std::max<std::uint64_t>(1, kDoubleTreeSegment / element));
         },
         double_tree_broadcast_time, double_tree_broadcast_least>(
        Operation::Broadcast, "double-tree", "Sanders, Speck, Traeff, Parallel Computing 2009",
        {.keeps_rank_order = true, .along_machine = true, .always_cuts_to = kDoubleTreeSegment});

}  // namespace espalier::collective
