#include <bit>

#include "base/contract.hpp"
#include "collective/allgather.hpp"
#include "collective/flat_estimate.hpp"
#include "collective/messages.hpp"
#include "collective/round_steps.hpp"

namespace espalier::collective {

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

cost::Picos recursive_doubling_allgather_time(FlatEstimate& at) {
  butterfly(at.rounds, at.everybody, {}, [&](Rank, Rank mask) { return at.bytes * mask; });
  return at.rounds.finish();
}

}  // namespace espalier::collective
