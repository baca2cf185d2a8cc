#include "collective/gather_broadcast_allgather.hpp"

#include "collective/binomial_gather.hpp"
#include "collective/binomial_place.hpp"
#include "collective/unless_empty.hpp"

namespace espalier::collective {

void gather_broadcast_allgather(schedule::ProgramBuilder& program, const Team& team,
                                const BlockLayout& all) {
  binomial_gather_in_place(program, team, 0, all);
  const BinomialPlace place = binomial_place(team.me, team.size());
  const schedule::Region everything = all.region(program, 0, team.size());
  if (place.parent != kNoRank) recv_unless_empty(program, team.at(place.parent), everything);
  for (const BinomialPlace::Child& child : place.children) {
    send_unless_empty(program, team.at(child.position), everything);
  }
}

}  // namespace espalier::collective
