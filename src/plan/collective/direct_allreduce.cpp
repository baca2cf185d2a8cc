#include "collective/direct_allreduce.hpp"

#include "collective/direct_reduce_scatter.hpp"
#include "collective/unless_empty.hpp"

namespace espalier::collective {

void direct_allreduce(schedule::ProgramBuilder& program, const Team& team,
                      const schedule::Region& in, const schedule::Region& out) {
  const Rank size = team.size();
  const BlockLayout pieces = BlockLayout::split(out, size);
  const schedule::Region own = pieces.region(program, team.me);
  direct_reduce_scatter(program, team, BlockLayout::split(in, size), own);
  // One by one, not in families (direct_allgather.hpp), so that ranks can be renamed along the
  // machine.
  for (Rank step = 1; step < size; ++step) {
    send_unless_empty(program, team.at((team.me + step) % size), own);
  }
  for (Rank step = 1; step < size; ++step) {
    const Rank source = (team.me + size - step) % size;
    recv_unless_empty(program, team.at(source), pieces.region(program, source));
  }
}

}  // namespace espalier::collective
