#include <bit>

#include "collective/binomial_place.hpp"
#include "collective/broadcast.hpp"
#include "collective/flat_estimate.hpp"

namespace espalier::collective {

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

/// Round by round: whoever has it sends to one more, and not to the next before that has it.
cost::Picos binomial_broadcast_time(FlatEstimate& at) {
  const std::vector<Rank> members = at.from_root();
  std::vector<cost::Rounds::RoundMessage> round;
  for (std::size_t mask = std::bit_ceil(members.size()) / 2; mask > 0; mask /= 2) {
    round.clear();
    for (std::size_t v = 0; v + mask < members.size(); v += 2 * mask) {
      round.push_back({members[v], members[v + mask], at.bytes});
    }
    at.rounds.exchange(round, false, true);
  }
  return at.rounds.finish();
}

}  // namespace espalier::collective
