#include <bit>

#include "base/contract.hpp"
#include "collective/allgather.hpp"
#include "collective/flat_algorithm.hpp"
#include "collective/messages.hpp"
#include "collective/round_steps.hpp"

namespace espalier::collective {

using schedule::Operation;

void recursive_doubling_allgather(schedule::ProgramBuilder& program,
                                  const Participants& participants, const BlockLayout& all) {
  expects(std::has_single_bit(participants.size()),
          "recursive_doubling_allgather: not a power of two of ranks");
  for (Rank mask = 1; mask < participants.size(); mask *= 2) {
    const Rank peer = participants.me ^ mask;
    const Rank aligned = ~(mask - 1);
    send_unless_empty(program, participants.at(peer),
                      all.region(program, participants.me & aligned, mask));
    recv_unless_empty(program, participants.at(peer), all.region(program, peer & aligned, mask));
  }
}

namespace {

bool regular_doubling(RegularRounds& rounds, const schedule::Collective&, double bytes) {
  return regular_butterfly(rounds, true, false, [&](Rank mask) { return bytes * mask; });
}

}  // namespace

constexpr Algorithm kRecursiveDoublingAllgather = on_regular_machines<regular_doubling>(
    flat<power_of_two, allgather<recursive_doubling_allgather>,
         [](FlatEstimate& at) {
           butterfly(at.rounds, at.everybody, {}, [&](Rank, Rank mask) { return at.bytes * mask; });
         },
         [](LeastFlat& at) {
           at.rounds.butterfly(false, [&](Rank mask) { return at.bytes * mask; });
         }>(Operation::Allgather, "recursive-doubling", kThakur, kBundlesAlong));

}  // namespace espalier::collective
