#include "collective/direct_alltoall.hpp"

#include "collective/message_families.hpp"
#include "collective/unless_empty.hpp"

namespace espalier::collective {

void direct_alltoall(schedule::ProgramBuilder& program, const Team& team, const BlockLayout& from,
                     const BlockLayout& to, std::uint32_t tag) {
  std::vector<PeerRegion> sends, receives;
  for (Rank step = 1; step < team.size(); ++step) {
    const Rank p = (team.me + step) % team.size();
    sends.push_back({team.at(p), from.region(program, p)});
    receives.push_back({team.at(p), to.region(program, p)});
  }
  send_families(program, sends, tag);
  recv_families(program, receives, tag);
  copy_unless_empty(program, from.region(program, team.me), to.region(program, team.me));
}

}  // namespace espalier::collective
