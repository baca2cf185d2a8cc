#include "collective/flat_algorithm.hpp"
#include "collective/halving.hpp"
#include "collective/reduce_scatter.hpp"
#include "collective/round_steps.hpp"

namespace espalier::collective {

using schedule::Operation;

using schedule::IndexSet;

namespace {

/// How many of 0 .. limit-1 are remainder (mod step).
Rank count_below(Rank limit, Rank remainder, Rank step) {
  return limit > remainder ? (limit - 1 - remainder) / step + 1 : 0;
}

/// Where the blocks of the actives = remainder (mod 2 distance) stand in the list of the actives
/// = remainder (mod distance).
///
/// Folded actives have two blocks each. A list has the first blocks of all these, then their second
/// ones, then the blocks of the others, each in the order of the actives: so every second active is
/// three runs, whatever their number. Only the first list, of all actives, is by position.
IndexSet every_second(const Fold& fold, Rank remainder, Rank distance) {
  const Rank step = 2 * distance;
  const Rank pairs = count_below(fold.extra(), remainder, step);
  const Rank others = count_below(fold.actives(), remainder, step) - pairs;
  const Rank first_other = remainder + pairs * step;
  IndexSet set;
  if (distance == 1) {
    set.append({2 * remainder, pairs, 2 * step});
    set.append({2 * remainder + 1, pairs, 2 * step});
    set.append({first_other + fold.extra(), others, step});
    return set;
  }
  const Rank listed = remainder % distance;
  const Rank listed_pairs = count_below(fold.extra(), listed, distance);
  const Rank begin = (remainder - listed) / distance;
  set.append({begin, pairs, 2});
  set.append({listed_pairs + begin, pairs, 2});
  set.append({listed_pairs + (first_other - listed) / distance, others, 2});
  return set;
}

}  // namespace

void butterfly_reduce_scatter(schedule::ProgramBuilder& program, const Participants& participants,
                              const BlockLayout& contributions, const schedule::Region& mine) {
  const Fold fold(participants.size());
  std::vector<Rank> distances;
  for (Rank d = 1; d < fold.actives(); d *= 2) distances.push_back(d);
  halve_blocks(program, participants, fold, contributions, mine, distances,
               [&](Rank active, Rank distance) {
                 const Rank kept = active % (2 * distance);
                 return BlockHalves{every_second(fold, kept, distance),
                                    every_second(fold, kept ^ distance, distance)};
               });
}

namespace {

bool regular_halving_near_first(RegularRounds& rounds, const schedule::Collective& call,
                                double bytes) {
  return regular_butterfly(rounds, true, true,
                           [&](Rank mask) { return bytes * (call.size / (2 * mask)); });
}

}  // namespace

constexpr Algorithm kButterflyReduceScatter = on_regular_machines<regular_halving_near_first>(
    flat<any_size, reduce_scatter<butterfly_reduce_scatter>,
         [](FlatEstimate& at) { halving(at.rounds, at.everybody, true, at.bytes); },
         [](LeastFlat& at) {
           const Rank actives = std::bit_floor(at.call.size);
           at.rounds.butterfly(
               true, [&](Rank mask) { return at.bytes * (actives / (2 * mask)); }, true,
               at.bytes * at.size, at.bytes);
         }>(Operation::ReduceScatter, "butterfly", "Traeff, EuroPVM/MPI 2005", kBundles));

}  // namespace espalier::collective
