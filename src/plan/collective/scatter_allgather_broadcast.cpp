#include "collective/allgather.hpp"
#include "collective/broadcast.hpp"
#include "collective/gather_scatter.hpp"

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

}  // namespace espalier::collective
