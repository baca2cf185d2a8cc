#include "collective/allgather.hpp"
#include "collective/binomial_place.hpp"
#include "collective/gather_scatter.hpp"
#include "collective/messages.hpp"

namespace espalier::collective {

void gather_broadcast_allgather(schedule::ProgramBuilder& program, const Participants& participants,
                                const BlockLayout& all) {
  binomial_gather_in_place(program, participants, 0, all);
  const BinomialPlace place = binomial_place(participants.me, participants.size());
  const schedule::Region everything = all.region(program, 0, participants.size());
  if (place.parent != kNoRank)
    recv_unless_empty(program, participants.at(place.parent), everything);
  for (const BinomialPlace::Child& child : place.children) {
    send_unless_empty(program, participants.at(child.position), everything);
  }
}

}  // namespace espalier::collective
