#include "collective/barrier.hpp"

#include "collective/flat_algorithm.hpp"
#include "collective/halving.hpp"
#include "collective/round_steps.hpp"

namespace espalier::collective {

using schedule::Operation;

void dissemination_barrier(schedule::ProgramBuilder& program, const Participants& participants) {
  program.fence();
  for (std::uint64_t distance = 1; distance < participants.size(); distance *= 2) {
    const auto d = static_cast<std::int64_t>(distance);
    program.send(participants.at(participants.me + d), {});
    program.recv(participants.at(participants.me - d), {});
    program.fence();
  }
}

void butterfly_barrier(schedule::ProgramBuilder& program, const Participants& participants) {
  const Fold fold(participants.size());
  const Rank partner = fold.partner(participants.me);
  const Rank index = fold.active_of(participants.me);
  program.fence();
  if (!fold.is_active(participants.me)) {
    program.send(participants.at(partner), {});
    program.recv(participants.at(partner), {});
    program.fence();
    return;
  }
  if (partner != kNoRank) {
    program.recv(participants.at(partner), {});
    program.fence();
  }
  for (Rank mask = 1; mask < fold.actives(); mask *= 2) {
    const Rank peer = participants.at(fold.position(index ^ mask));
    program.send(peer, {});
    program.recv(peer, {});
    program.fence();
  }
  if (partner == kNoRank) return;
  program.send(participants.at(partner), {});
  program.fence();
}

constexpr Algorithm kDisseminationBarrier =
    flat<any_size, barrier<dissemination_barrier>,
         [](FlatEstimate& at) { dissemination(at.rounds, at.everybody, [](Rank) { return 0.0; }); },
         [](LeastFlat& at) { at.rounds.dissemination([](Rank) { return 0.0; }); }>(
        Operation::Barrier, "dissemination", "Hensgen, Finkel, Manber, IJPP 1988", kMovesAlong);

namespace {

bool regular_butterfly_barrier(RegularRounds& rounds, const schedule::Collective&, double) {
  return regular_butterfly(rounds, true, false, [](Rank) { return 0.0; });
}

}  // namespace

constexpr Algorithm kButterflyBarrier = on_regular_machines<regular_butterfly_barrier>(
    flat<any_size, barrier<butterfly_barrier>,
         [](FlatEstimate& at) {
           butterfly(at.rounds, at.everybody, {}, [](Rank, Rank) { return 0.0; });
         },
         [](LeastFlat& at) { at.rounds.butterfly(false, [](Rank) { return 0.0; }); }>(
        Operation::Barrier, "butterfly", "Brooks, IJPP 1986", kMovesAlong));

}  // namespace espalier::collective
