#include "collective/shifted_exscan.hpp"

#include "collective/unless_empty.hpp"

namespace espalier::collective {

void shifted_exscan(schedule::ProgramBuilder& program, const Team& team,
                    const schedule::Region& own, const schedule::Region& before,
                    const InclusiveScan& scan) {
  if (team.me + 1 < team.size()) send_unless_empty(program, team.ranks[team.me + 1], own);
  if (team.me == 0) return;
  recv_unless_empty(program, team.ranks[team.me - 1], before);
  const Team rest{{team.ranks.begin() + 1, team.ranks.end()}, team.me - 1};
  scan(program, rest, before);
}

}  // namespace espalier::collective
