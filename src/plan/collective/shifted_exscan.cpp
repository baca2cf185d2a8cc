#include "collective/flat_estimate.hpp"
#include "collective/messages.hpp"
#include "collective/scan.hpp"

namespace espalier::collective {

void shifted_exscan(schedule::ProgramBuilder& program, const Participants& participants,
                    const schedule::Region& own, const schedule::Region& before,
                    const InclusiveScan& scan) {
  if (participants.me + 1 < participants.size())
    send_unless_empty(program, participants[participants.me + 1], own);
  if (participants.me == 0) return;
  recv_unless_empty(program, participants[participants.me - 1], before);
  scan(program, without_first(participants), before);
}

void shifted_exscan_time(FlatEstimate& at, ScanTime scan) {
  std::vector<cost::Rounds::RoundMessage> messages;
  for (Rank r = 0; r + 1 < at.call.size; ++r) messages.push_back({r, r + 1, at.bytes});
  at.rounds.exchange(messages);
  scan(at, std::span(at.everybody).subspan(1));
}

}  // namespace espalier::collective
