#include "collective/allgather.hpp"
#include "collective/broadcast.hpp"
#include "collective/flat_estimate.hpp"
#include "collective/gather_scatter.hpp"
#include "collective/round_steps.hpp"
#include "cost/bundles.hpp"

namespace espalier::collective {

void scatter_allgather_broadcast(schedule::ProgramBuilder& program,
                                 const Participants& participants, Rank root,
                                 const schedule::Region& region, AllgatherOf second) {
  // Which piece is whose is for us to say: counted from the root no sub-tree wraps around the end.
  const Participants from_root = rotated(participants, root);
  const BlockLayout pieces = BlockLayout::split(region, participants.size());
  binomial_scatter_in_place(program, from_root, 0, pieces);
  if (second == AllgatherOf::Ring) {
    ring_allgather(program, from_root, pieces);
  } else {
    recursive_doubling_allgather(program, from_root, pieces);
  }
}

namespace {

/// The pieces down a binomial tree.
void scatter_pieces_time(FlatEstimate& at) {
  const cost::Picos scattered =
      scatter_time(at.cost_view, at.tree(Shape::Binomial), at.bytes / at.size);
  for (const Rank r : at.everybody) at.rounds.set_clock(r, scattered);
}

}  // namespace

cost::Picos scatter_ring_broadcast_time(FlatEstimate& at) {
  scatter_pieces_time(at);
  at.rounds.ring(at.from_root(), at.size - 1, at.bytes / at.size);
  return at.rounds.finish();
}

cost::Picos scatter_doubling_broadcast_time(FlatEstimate& at) {
  scatter_pieces_time(at);
  butterfly(at.rounds, at.from_root(), {},
            [&](Rank, Rank mask) { return at.bytes / at.size * mask; });
  return at.rounds.finish();
}

}  // namespace espalier::collective
