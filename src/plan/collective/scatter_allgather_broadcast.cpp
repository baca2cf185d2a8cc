#include "collective/allgather.hpp"
#include "collective/broadcast.hpp"
#include "collective/flat_algorithm.hpp"
#include "collective/gather_scatter.hpp"
#include "collective/multilevel_time.hpp"
#include "collective/round_steps.hpp"
#include "cost/bundles.hpp"

namespace espalier::collective {

using schedule::Operation;

void scatter_allgather_broadcast(schedule::ProgramBuilder& program,
                                 const Participants& participants, Rank root,
                                 const schedule::Region& region, AllgatherOf second) {
  // Which piece is whose is for us to say: counted from the root no sub-tree wraps around the end.
  const Participants from_root = rotated(participants, root);
  const BlockLayout pieces = BlockLayout::split(region, participants.size());
  binomial_scatter_in_place(program, from_root, 0, pieces);
  if (second == AllgatherOf::Ring) {
    ring_allgather(program, from_root, pieces);
  } else {
    recursive_doubling_allgather(program, from_root, pieces);
  }
}

namespace {

template <AllgatherOf kSecond>
void scatter_allgather(schedule::ProgramBuilder& program, const FlatCall& call) {
  scatter_allgather_broadcast(program, call.participants, call.root, call.out(), kSecond);
}

constexpr Traits kScattersFirst{.keeps_rank_order = true,
                                .along_machine = true,
                                .scatters_first = true,
                                .longest = LongestMessage::Half};

/// The pieces down a binomial tree.
void scatter_pieces_time(FlatEstimate& at) {
  const cost::Picos scattered =
      scatter_time(at.cost_view, at.tree(Shape::Binomial), at.bytes / at.size);
  for (const Rank r : at.everybody) at.rounds.set_clock(r, scattered);
}

/// From rank 0 on, on aligned machines.
template <bool (*kAllgather)(RegularRounds&, double piece)>
constexpr Algorithm scattered_first(Algorithm algorithm) {
  algorithm.estimate_folded = [](const FoldedMachine& machine, const schedule::Collective& call,
                                 const Parameters&) -> std::optional<cost::Picos> {
    if (!machine.whole().shape().is_regular || call.size < 2) return std::nullopt;
    const double bytes = static_cast<double>(call.count) * static_cast<double>(call.element.value);
    const double piece = bytes / call.size;
    const auto scattered = folded_binomial_blocks(piece, true, machine, call);
    RegularRounds rounds(machine);
    if (!scattered || !kAllgather(rounds, piece)) return std::nullopt;
    const auto gathered = rounds.finish();
    if (!gathered) return std::nullopt;
    return *scattered + *gathered;
  };
  return algorithm;
}

bool pieces_around(RegularRounds& rounds, double piece) {
  rounds.ring(0, piece, false);
  return true;
}

bool pieces_doubled(RegularRounds& rounds, double piece) {
  return regular_butterfly(rounds, true, false, [&](Rank mask) { return piece * mask; });
}

/// The pieces of half of the ranks, of a quarter of them, ...: a way that some of them take, if
/// their number is a power of two.
cost::Picos least_scatter(const LeastFlat& at) {
  if (!std::has_single_bit(at.call.size)) return 0;
  cost::Picos way = 0;
  for (Rank half = at.call.size / 2; half > 0; half /= 2) {
    way += at.rounds.message(half, at.bytes / at.size * half);
  }
  return way;
}

}  // namespace

constexpr Algorithm kScatterRing = scattered_first<pieces_around>(
    flat<any_size, scatter_allgather<AllgatherOf::Ring>,
         [](FlatEstimate& at) {
           scatter_pieces_time(at);
           at.rounds.ring(at.from_root(), at.size - 1, at.bytes / at.size);
         },
         [](LeastFlat& at) {
           at.rounds.add(least_scatter(at));
           at.rounds.ring(at.size - 1, at.bytes / at.size, false, true);
         }>(Operation::Broadcast, "scatter-ring", "Barnett et al., SC 1994", kScattersFirst));

constexpr Algorithm kScatterDoubling = scattered_first<pieces_doubled>(
    flat<power_of_two, scatter_allgather<AllgatherOf::RecursiveDoubling>,
         [](FlatEstimate& at) {
           scatter_pieces_time(at);
           butterfly(at.rounds, at.from_root(), {},
                     [&](Rank, Rank mask) { return at.bytes / at.size * mask; });
         },
         [](LeastFlat& at) {
           at.rounds.add(least_scatter(at));
           at.rounds.butterfly(false, [&](Rank mask) { return at.bytes / at.size * mask; });
         }>(Operation::Broadcast, "scatter-recursive-doubling", kThakur, kScattersFirst));

}  // namespace espalier::collective
