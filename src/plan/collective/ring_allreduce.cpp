#include "collective/ring_allreduce.hpp"

#include "collective/ring_allgather.hpp"
#include "collective/ring_reduce_scatter.hpp"

namespace espalier::collective {

void ring_allreduce(schedule::ProgramBuilder& program, const Team& team,
                    const schedule::Region& data) {
  const BlockLayout pieces = BlockLayout::split(data, team.size());
  ring_reduce_scatter_in_place(program, team, pieces);
  ring_allgather(program, team, pieces);
}

}  // namespace espalier::collective
