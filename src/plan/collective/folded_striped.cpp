// Estimates of striped plans on regular machines: the steps of striped_time.cpp.
#include "collective/regular_rounds.hpp"
#include "collective/striped.hpp"

namespace espalier::collective {

using schedule::Collective;
using schedule::Operation;

namespace {

/// Reduce-scatter or allgather within every cluster. @return whether all ranks do the same
bool share_out(RegularRounds& rounds, Inside inside, double block, bool reduces) {
  const Rank ranks = rounds.inside();
  if (ranks < 2) return true;
  if (inside == Inside::Ring) {
    rounds.ring(1, block, reduces);
    return true;
  }
  if (!reduces || !rounds.are_bits_aligned()) return false;
  for (Rank mask = 1; mask < ranks; mask *= 2) {
    rounds.across_bits(mask, block * (ranks / (2 * mask)), true);
  }
  return true;
}

}  // namespace

std::optional<cost::Picos> folded_striped_time(const StripedChoice& choice,
                                               const FoldedMachine& machine,
                                               const Collective& call) {
  constexpr Rank kMostClusters = 256;
  const bool gathers = call.operation == Operation::Allgather;
  if (!gathers && call.operation != Operation::ReduceScatter) return std::nullopt;
  if (!machine.whole().shape().is_regular) return std::nullopt;
  RegularRounds rounds(machine);
  const Rank clusters = rounds.clusters();
  if (clusters > kMostClusters) return std::nullopt;
  const double bytes = static_cast<double>(call.count * call.element.value);
  const double share = bytes * call.size / rounds.inside();
  if (gathers) {
    rounds.across_clusters(
        bytes, false, [&](Rank from, Rank to) { return (to + clusters - from) % clusters - 1; });
    if (!share_out(rounds, choice.inside, share, false)) return std::nullopt;
    return rounds.finish();
  }
  if (!share_out(rounds, choice.inside, share, true)) return std::nullopt;
  rounds.across_clusters(bytes, true, [](Rank from, Rank to) { return to < from ? to : to - 1; });
  return rounds.finish();
}

}  // namespace espalier::collective
