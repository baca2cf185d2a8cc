#include "collective/allgather.hpp"
#include "collective/flat_algorithm.hpp"
#include "collective/messages.hpp"

namespace espalier::collective {

using schedule::Operation;

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

constexpr Algorithm kDirectAllgather = on_regular_machines<regular_all_to_all>(
    flat<any_size,
         [](schedule::ProgramBuilder& program, const FlatCall& call) {
           copy_unless_empty(program, call.in(), call.own_place());
           direct_allgather(program, call.participants, call.out_blocks(), 0);
         },
         [](FlatEstimate& at) { at.rounds.all_to_all(at.everybody, at.bytes); },
         [](LeastFlat& at) { at.rounds.all_to_all(at.bytes, false); }>(
        Operation::Allgather, "direct", kPjesivac, meeting_all(Operation::Allgather)));

}  // namespace espalier::collective
