#include "collective/binomial_place.hpp"
#include "collective/broadcast.hpp"

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

}  // namespace espalier::collective
