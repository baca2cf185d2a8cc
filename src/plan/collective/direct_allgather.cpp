#include "collective/direct_allgather.hpp"

#include "collective/message_families.hpp"

namespace espalier::collective {

void direct_allgather(schedule::ProgramBuilder& program, const Team& team, const BlockLayout& all,
                      std::uint32_t tag) {
  const schedule::Region own = all.region(program, team.me);
  std::vector<PeerRegion> sends, receives;
  for (Rank step = 1; step < team.size(); ++step) {
    const Rank p = (team.me + step) % team.size();
    sends.push_back({team.at(p), own});
    receives.push_back({team.at(p), all.region(program, p)});
  }
  send_families(program, sends, tag);
  recv_families(program, receives, tag);
}

}  // namespace espalier::collective
