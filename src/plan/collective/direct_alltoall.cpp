#include "collective/alltoall.hpp"
#include "collective/flat_algorithm.hpp"
#include "collective/messages.hpp"

namespace espalier::collective {

using schedule::Operation;

void direct_alltoall(schedule::ProgramBuilder& program, const Participants& participants,
                     const BlockLayout& from, const BlockLayout& to, std::uint32_t tag) {
  std::vector<PeerRegion> sends, receives;
  for (Rank step = 1; step < participants.size(); ++step) {
    const Rank p = (participants.me + step) % participants.size();
    sends.push_back({participants.at(p), from.region(program, p)});
    receives.push_back({participants.at(p), to.region(program, p)});
  }
  send_families(program, sends, tag);
  recv_families(program, receives, tag);
  copy_unless_empty(program, from.region(program, participants.me),
                    to.region(program, participants.me));
}

void direct_alltoall_by_rank(schedule::ProgramBuilder& program, const Participants& participants,
                             std::uint64_t block, std::uint32_t tag) {
  using schedule::Buffer;
  using schedule::slice;
  std::vector<PeerRegion> sends, receives;
  sends.reserve(participants.size());
  receives.reserve(participants.size());
  for (Rank step = 1; step < participants.size(); ++step) {
    const Rank peer = participants[(participants.me + step) % participants.size()];
    sends.push_back({peer, slice(Buffer::In, peer * block, block)});
    receives.push_back({peer, slice(Buffer::Out, peer * block, block)});
  }
  send_families(program, sends, tag);
  recv_families(program, receives, tag);
  const std::uint64_t own = program.rank() * block;
  program.copy(slice(Buffer::In, own, block), slice(Buffer::Out, own, block));
}

constexpr Algorithm kDirectAlltoall = on_regular_machines<regular_all_to_all>(
    flat<any_size,
         [](schedule::ProgramBuilder& program, const FlatCall& call) {
           direct_alltoall(program, call.participants, call.in_blocks(), call.out_blocks(), 0);
         },
         [](FlatEstimate& at) { at.rounds.all_to_all(at.everybody, at.bytes); },
         [](LeastFlat& at) { at.rounds.all_to_all(at.bytes, false); }>(
        Operation::Alltoall, "direct", kThakur, meeting_all(Operation::Alltoall, kDirect)));

}  // namespace espalier::collective
