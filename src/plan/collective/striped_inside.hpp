#pragma once

#include "collective/bruck_allgather.hpp"
#include "collective/butterfly_reduce_scatter.hpp"
#include "collective/ring_allgather.hpp"
#include "collective/ring_reduce_scatter.hpp"
#include "collective/striped.hpp"

namespace espalier::collective {

inline void allgather_inside(schedule::ProgramBuilder& program, Inside inside, const Team& team,
                             const BlockLayout& all) {
  if (inside == Inside::Ring) return ring_allgather(program, team, all);
  bruck_allgather(program, team, all);
}

inline void reduce_scatter_inside(schedule::ProgramBuilder& program, Inside inside,
                                  const Team& team, const BlockLayout& contributions,
                                  const schedule::Region& mine) {
  if (inside == Inside::Ring) return ring_reduce_scatter(program, team, contributions, mine);
  butterfly_reduce_scatter(program, team, contributions, mine);
}

}  // namespace espalier::collective
