#include <algorithm>
#include <bit>

#include "collective/alltoall.hpp"
#include "collective/flat_algorithm.hpp"
#include "collective/messages.hpp"
#include "collective/round_steps.hpp"

namespace espalier::collective {

using schedule::Operation;

using schedule::ProgramBuilder;

void pairwise_alltoall(ProgramBuilder& program, const Participants& participants,
                       const RegionOf& from, const RegionOf& to) {
  const Rank size = participants.size();
  const bool by_xor = std::has_single_bit(size);
  copy_unless_empty(program, from(participants.me), to(participants.me));
  for (Rank step = 1; step < size; ++step) {
    const Rank target = by_xor ? participants.me ^ step : (participants.me + step) % size;
    const Rank source = by_xor ? target : (participants.me + size - step) % size;
    send_unless_empty(program, participants.at(target), from(target));
    recv_unless_empty(program, participants.at(source), to(source));
    program.fence();  // no data makes the steps wait for one another
  }
}

void pairwise_alltoall(ProgramBuilder& program, const Participants& participants,
                       const BlockLayout& from, const BlockLayout& to) {
  pairwise_alltoall(
      program, participants, [&](Rank p) { return from.region(program, p); },
      [&](Rank p) { return to.region(program, p); });
}

namespace {

/// The steps of pairwise() by bits.
bool regular_pairwise(RegularRounds& rounds, const schedule::Collective& call, double bytes) {
  if (!rounds.are_bits_aligned()) return false;
  const Rank stride = pairwise_stride(call.size);
  for (Rank step = 1; step < call.size; step += stride) {
    rounds.across_bits(std::bit_floor(step), bytes, false, std::min(stride, call.size - step));
  }
  return true;
}

}  // namespace

constexpr Algorithm kPairwiseAlltoall = on_regular_machines<regular_pairwise>(
    flat<any_size,
         [](ProgramBuilder& program, const FlatCall& call) {
           pairwise_alltoall(program, call.participants, call.in_blocks(), call.out_blocks());
         },
         [](FlatEstimate& at) { pairwise(at.rounds, at.everybody, at.bytes, false); },
         [](LeastFlat& at) { return least_pairwise(at, false); }>(
        Operation::Alltoall, "pairwise", kThakur, meeting_all(Operation::Alltoall)));

}  // namespace espalier::collective
