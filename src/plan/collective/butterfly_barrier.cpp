#include "collective/butterfly_barrier.hpp"

#include "collective/fold.hpp"

namespace espalier::collective {

void butterfly_barrier(schedule::ProgramBuilder& program, const Team& team) {
  const Fold fold(team.size());
  const Rank partner = fold.partner(team.me);
  const Rank index = fold.active_of(team.me);
  program.fence();
  if (!fold.is_active(team.me)) {
    program.send(team.at(partner), {});
    program.recv(team.at(partner), {});
    program.fence();
    return;
  }
  if (partner != kNoRank) {
    program.recv(team.at(partner), {});
    program.fence();
  }
  for (Rank mask = 1; mask < fold.actives(); mask *= 2) {
    const Rank peer = team.at(fold.position(index ^ mask));
    program.send(peer, {});
    program.recv(peer, {});
    program.fence();
  }
  if (partner == kNoRank) return;
  program.send(team.at(partner), {});
  program.fence();
}

}  // namespace espalier::collective
