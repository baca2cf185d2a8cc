#include "collective/pairwise_alltoall.hpp"

#include <bit>

#include "collective/unless_empty.hpp"

namespace espalier::collective {

using schedule::ProgramBuilder;

void pairwise_alltoall(ProgramBuilder& program, const Team& team, const RegionOf& from,
                       const RegionOf& to) {
  const Rank size = team.size();
  const bool by_xor = std::has_single_bit(size);
  copy_unless_empty(program, from(team.me), to(team.me));
  for (Rank step = 1; step < size; ++step) {
    const Rank target = by_xor ? team.me ^ step : (team.me + step) % size;
    const Rank source = by_xor ? target : (team.me + size - step) % size;
    send_unless_empty(program, team.at(target), from(target));
    recv_unless_empty(program, team.at(source), to(source));
    program.fence();  // no data makes the steps wait for one another
  }
}

void pairwise_alltoall(ProgramBuilder& program, const Team& team, const BlockLayout& from,
                       const BlockLayout& to) {
  pairwise_alltoall(
      program, team, [&](Rank p) { return from.region(program, p); },
      [&](Rank p) { return to.region(program, p); });
}

}  // namespace espalier::collective
