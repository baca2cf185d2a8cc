#include "collective/ring_allreduce.hpp"

#include "collective/ring_allgather.hpp"
#include "collective/ring_reduce_scatter.hpp"

namespace espalier::collective {

void ring_allreduce(schedule::ProgramBuilder& program, const Participants& participants,
                    const schedule::Region& data) {
  const BlockLayout pieces = BlockLayout::split(data, participants.size());
  ring_reduce_scatter_in_place(program, participants, pieces);
  ring_allgather(program, participants, pieces);
}

}  // namespace espalier::collective
