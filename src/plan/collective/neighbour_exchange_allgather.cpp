#include "base/contract.hpp"
#include "collective/allgather.hpp"
#include "collective/flat_algorithm.hpp"
#include "collective/messages.hpp"

namespace espalier::collective {

using schedule::Operation;

void neighbour_exchange_allgather(schedule::ProgramBuilder& program,
                                  const Participants& participants, const BlockLayout& all) {
  const Rank size = participants.size();
  if (size == 1) return;
  expects(size % 2 == 0, "neighbour_exchange_allgather: an odd number of ranks");
  const bool even = participants.me % 2 == 0;
  const Rank peer = participants.me ^ 1U;
  send_unless_empty(program, participants.at(peer), all.region(program, participants.me));
  recv_unless_empty(program, participants.at(peer), all.region(program, peer));

  // Pair q is the blocks 2q and 2q + 1. Even ranks turn left in odd steps and odd ranks right, so
  // what comes then is (step + 1) / 2 pairs away on that side, and step / 2 on the other in even
  // steps.
  const Rank pairs = size / 2;
  const auto pair = [&](Rank q) { return all.region(program, 2 * (q % pairs), 2); };
  Rank last = participants.me / 2;
  for (Rank step = 1; step < pairs; ++step) {
    const bool leftwards = even == (step % 2 == 1);
    const Rank away = (step + 1) / 2;
    const Rank next = (participants.me / 2 + (leftwards ? pairs - away : away)) % pairs;
    const Rank side = participants.at(std::int64_t{participants.me} + (leftwards ? -1 : 1));
    send_unless_empty(program, side, pair(last));
    recv_unless_empty(program, side, pair(next));
    last = next;
  }
}

namespace {

bool regular_neighbours(RegularRounds& rounds, const schedule::Collective& call, double bytes) {
  if (!rounds.are_bits_aligned() || call.size < 4) return false;
  rounds.across_bits(1, bytes, false);
  rounds.ring(0, 2 * bytes, false, 0.5);
  return true;
}

}  // namespace

/// After the first round pairs of blocks move on by one hop a round, both ways round.
constexpr Algorithm kNeighbourExchange = on_regular_machines<regular_neighbours>(
    flat<even_or_one, allgather<neighbour_exchange_allgather>,
         [](FlatEstimate& at) {
           std::vector<cost::Rounds::RoundMessage> messages;
           for (Rank p = 0; p < at.call.size; ++p) {
             messages.push_back({at.everybody[p], at.everybody[p ^ 1U], at.bytes});
           }
           at.rounds.exchange(messages);
           at.rounds.ring(at.everybody, at.size / 2 - 1, 2 * at.bytes);
         },
         [](LeastFlat& at) {
           at.rounds.round(1, at.bytes, false);
           at.rounds.ring(at.size / 2 - 1, 2 * at.bytes, false, true);
         }>(Operation::Allgather, "neighbour-exchange", "Chen et al., HPC Asia 2005", kMovesAlong));

}  // namespace espalier::collective
