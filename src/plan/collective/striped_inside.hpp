#pragma once

#include "collective/bruck_allgather.hpp"
#include "collective/butterfly_reduce_scatter.hpp"
#include "collective/ring_allgather.hpp"
#include "collective/ring_reduce_scatter.hpp"
#include "collective/striped.hpp"

namespace espalier::collective {

inline void allgather_inside(schedule::ProgramBuilder& program, Inside inside,
                             const Participants& participants, const BlockLayout& all) {
  if (inside == Inside::Ring) return ring_allgather(program, participants, all);
  bruck_allgather(program, participants, all);
}

inline void reduce_scatter_inside(schedule::ProgramBuilder& program, Inside inside,
                                  const Participants& participants,
                                  const BlockLayout& contributions, const schedule::Region& mine) {
  if (inside == Inside::Ring)
    return ring_reduce_scatter(program, participants, contributions, mine);
  butterfly_reduce_scatter(program, participants, contributions, mine);
}

}  // namespace espalier::collective
