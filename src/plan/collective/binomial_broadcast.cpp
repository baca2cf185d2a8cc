#include <bit>

#include "collective/binomial_place.hpp"
#include "collective/broadcast.hpp"
#include "collective/flat_algorithm.hpp"

namespace espalier::collective {

using schedule::Operation;

void binomial_broadcast(schedule::ProgramBuilder& program, const Participants& participants,
                        Rank root, const schedule::Region& region) {
  const Participants tree = rotated(participants, root);
  const BinomialPlace place = binomial_place(tree.me, tree.size());
  if (place.parent != kNoRank) program.recv(tree.at(place.parent), region);
  for (const BinomialPlace::Child& child : place.children) {
    program.fence();
    program.send(tree.at(child.position), region);
  }
}

namespace {

/// Round by round: whoever has it sends to one more, and not to the next before that has it.
void binomial_in_turn_time(FlatEstimate& at) {
  const std::vector<Rank> members = at.from_root();
  std::vector<cost::Rounds::RoundMessage> round;
  for (std::size_t mask = std::bit_ceil(members.size()) / 2; mask > 0; mask /= 2) {
    round.clear();
    for (std::size_t v = 0; v + mask < members.size(); v += 2 * mask) {
      round.push_back({members[v], members[v + mask], at.bytes});
    }
    at.rounds.exchange(round, false, true);
  }
}

}  // namespace

constexpr Algorithm kBinomialInTurn =
    flat<any_size,
         [](schedule::ProgramBuilder& program, const FlatCall& call) {
           binomial_broadcast(program, call.participants, call.root, call.out());
         },
         binomial_in_turn_time, [](LeastFlat& at) { return least_down(at, Shape::Binomial, 0); }>(
        Operation::Broadcast, "binomial-in-turn", kThakur, kMovesAlong);

}  // namespace espalier::collective
