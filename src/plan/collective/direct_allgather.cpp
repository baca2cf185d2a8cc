#include "collective/allgather.hpp"
#include "collective/flat_estimate.hpp"
#include "collective/messages.hpp"

namespace espalier::collective {

void direct_allgather(schedule::ProgramBuilder& program, const Participants& participants,
                      const BlockLayout& all, std::uint32_t tag) {
  const schedule::Region own = all.region(program, participants.me);
  std::vector<PeerRegion> sends, receives;
  for (Rank step = 1; step < participants.size(); ++step) {
    const Rank p = (participants.me + step) % participants.size();
    sends.push_back({participants.at(p), own});
    receives.push_back({participants.at(p), all.region(program, p)});
  }
  send_families(program, sends, tag);
  recv_families(program, receives, tag);
}

cost::Picos direct_allgather_time(FlatEstimate& at) {
  at.rounds.all_to_all(at.everybody, at.bytes);
  return at.rounds.finish();
}

}  // namespace espalier::collective
