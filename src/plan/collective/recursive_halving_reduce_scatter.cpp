#include "collective/flat_algorithm.hpp"
#include "collective/halving.hpp"
#include "collective/reduce_scatter.hpp"
#include "collective/round_steps.hpp"

namespace espalier::collective {

using schedule::Operation;

using schedule::IndexSet;

void recursive_halving_reduce_scatter(schedule::ProgramBuilder& program,
                                      const Participants& participants,
                                      const BlockLayout& contributions,
                                      const schedule::Region& mine) {
  const Fold fold(participants.size());
  std::vector<Rank> distances;
  for (Rank d = fold.actives() / 2; d > 0; d /= 2) distances.push_back(d);
  // The list is the blocks of the actives [begin, begin + 2 distance).
  halve_blocks(program, participants, fold, contributions, mine, distances,
               [&](Rank active, Rank distance) {
                 const Rank begin = active & ~(2 * distance - 1);
                 const auto half_of = [&](Rank a) {
                   const Rank first = a & ~(distance - 1);
                   return IndexSet::range(fold.first(first) - fold.first(begin),
                                          fold.first(first + distance) - fold.first(first));
                 };
                 return BlockHalves{half_of(active), half_of(active ^ distance)};
               });
}

namespace {

bool regular_halving(RegularRounds& rounds, const schedule::Collective&, double bytes) {
  return regular_butterfly(rounds, false, true, [&](Rank mask) { return bytes * mask; });
}

}  // namespace

constexpr Algorithm kRecursiveHalving = on_regular_machines<regular_halving>(
    flat<any_size, reduce_scatter<recursive_halving_reduce_scatter>,
         [](FlatEstimate& at) { halving(at.rounds, at.everybody, false, at.bytes); },
         [](LeastFlat& at) {
           at.rounds.butterfly(
               true, [&](Rank mask) { return at.bytes * mask; }, false, at.bytes * at.size,
               at.bytes);
         }>(Operation::ReduceScatter, "recursive-halving", kThakur,
            {.along_machine = true, .longest = LongestMessage::HalfOfAll}));

}  // namespace espalier::collective
