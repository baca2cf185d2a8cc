#pragma once

#include <optional>
#include <type_traits>
#include <utility>

#include "collective/entries.hpp"
#include "collective/flat_call.hpp"
#include "collective/flat_estimate.hpp"
#include "collective/least_flat.hpp"
#include "collective/messages.hpp"
#include "collective/regular_rounds.hpp"
#include "collective/scan.hpp"

namespace espalier::collective {

// Classical algorithms as entries of the table.

// The papers of several.
inline constexpr std::string_view kThakur = "Thakur, Rabenseifner, Gropp, IJHPCA 2005";
inline constexpr std::string_view kRabenseifner = "Rabenseifner, ICCS 2004";
inline constexpr std::string_view kPjesivac = "Pjesivac-Grbovic et al., Cluster Computing 2007";
inline constexpr std::string_view kBruck = "Bruck et al., IEEE TPDS 1997";
inline constexpr std::string_view kPatarasuk = "Patarasuk, Yuan, JPDC 2009";
inline constexpr std::string_view kSandersTraeff = "Sanders, Traeff, EuroPVM/MPI 2006";
inline constexpr std::string_view kByDefinition = "the definition of the operation, all at once";
inline constexpr std::string_view kHillisSteele = "Hillis, Steele, CACM 1986";

// The traits of several.
inline constexpr Traits kMoves{.keeps_rank_order = true};
inline constexpr Traits kMovesAlong{.keeps_rank_order = true, .along_machine = true};
inline constexpr Traits kDirect{.keeps_rank_order = true, .sends_directly = true};
inline constexpr Traits kHalvesAlong{
    .keeps_rank_order = true, .along_machine = true, .longest = LongestMessage::Half};
inline constexpr Traits kBundles{.keeps_rank_order = true, .longest = LongestMessage::HalfOfAll};
inline constexpr Traits kBundlesAlong{
    .keeps_rank_order = true, .along_machine = true, .longest = LongestMessage::HalfOfAll};
constexpr Traits meeting_all(schedule::Operation operation, Traits traits = kMoves) {
  traits.meets_everybody = {operation};
  return traits;
}

using Append = void (*)(schedule::ProgramBuilder&, const FlatCall&);

/// What an algorithm tells of a LeastFlat.
/// @tparam kShares messages share links with those of other ranks
template <auto kLeast, bool kShares>
cost::Picos told_by_few(const Hierarchy& hierarchy, const schedule::Collective& call,
                        const Parameters& parameters) {
  if (call.size == 1) return 0;
  LeastFlat at(hierarchy, call, std::get<RankOrder>(parameters), kShares);
  if constexpr (!std::is_void_v<decltype(kLeast(at))>) {
    return kLeast(at);
  } else {
    kLeast(at);
    return at.rounds.finish();
  }
}

/// A classical algorithm among all ranks.
/// @tparam kServes how many ranks it serves
/// @tparam kTime   its estimate of a FlatEstimate: a time, or nothing but clocks that it moves on
/// @tparam kLeast  a lower bound of that, of a LeastFlat: a time, or nothing but rounds that it
/// adds
template <bool (*kServes)(Rank), Append kAppend, auto kTime, auto kLeast>
constexpr Algorithm flat(schedule::Operation operation, std::string_view name,
                         std::string_view source, Traits traits) {
  traits.by_number = true;
  return {
      .name = name,
      .source = source,
      .operations = {operation},
      .traits = traits,
      .refuses = [](const Hierarchy&, const schedule::Collective& call,
                    const Parameters&) { return !kServes(call.size); },
      .build = [](const Hierarchy& hierarchy, const schedule::Collective& call,
                  const Parameters& parameters) -> PartOf {
        return [&, order = std::get<RankOrder>(parameters)](Rank rank) {
          schedule::ProgramBuilder program(rank);
          kAppend(program, FlatCall(call, hierarchy.machine(), order, rank));
          return std::move(program).build();
        };
      },
      .estimate = [](const cost::CostView& cost_view, const Hierarchy& hierarchy,
                     const schedule::Collective& call,
                     const Parameters& parameters) -> cost::Picos {
        if (call.size == 1) return 0;
        FlatEstimate at(cost_view, call,
                        all_ranks(hierarchy.machine(), std::get<RankOrder>(parameters)));
        if constexpr (!std::is_void_v<decltype(kTime(at))>) {
          return kTime(at);
        } else {
          kTime(at);
          return at.rounds.finish();
        }
      },
      .at_least = told_by_few<kLeast, false>,
      .about = told_by_few<kLeast, true>,
  };
}

/// The algorithm with an estimate for machines of equal parts, on which all ranks do the same.
/// @tparam kTime moves the clocks of RegularRounds on; false: this call is not so regular
template <bool (*kTime)(RegularRounds&, const schedule::Collective&, double bytes)>
constexpr Algorithm on_regular_machines(Algorithm algorithm) {
  algorithm.estimate_folded = [](const FoldedMachine& machine, const schedule::Collective& call,
                                 const Parameters& parameters) -> std::optional<cost::Picos> {
    const MachineShape& shape = machine.whole().shape();
    const bool is_along = shape.in_order || std::get<RankOrder>(parameters) == RankOrder::AlongTree;
    if (!shape.equal_parts || !is_along || call.size < 2) return std::nullopt;
    RegularRounds rounds(machine);
    const double bytes = static_cast<double>(call.count) * static_cast<double>(call.element.value);
    if (!kTime(rounds, call, bytes)) return std::nullopt;
    return rounds.finish();
  };
  return algorithm;
}

/// Rounds with partners whose numbers differ in one bit.
template <typename BytesOf>
bool regular_butterfly(RegularRounds& rounds, bool rising, bool combines, BytesOf bytes) {
  if (!rounds.are_bits_aligned()) return false;
  const Rank size = rounds.size();
  for (Rank k = 1; k < size; k *= 2) {
    const Rank mask = rising ? k : size / (2 * k);
    rounds.across_bits(mask, bytes(mask), combines);
  }
  return true;
}

/// Everybody sends to all others at once.
inline bool regular_all_to_all(RegularRounds& rounds, const schedule::Collective&, double bytes) {
  rounds.all_to_all(bytes, false);
  return true;
}

/// Lays this rank's own block in place, then runs the algorithm.
template <void (*kAllgather)(schedule::ProgramBuilder&, const Participants&, const BlockLayout&)>
void allgather(schedule::ProgramBuilder& program, const FlatCall& call) {
  copy_unless_empty(program, call.in(), call.own_place());
  kAllgather(program, call.participants, call.out_blocks());
}

template <void (*kBarrier)(schedule::ProgramBuilder&, const Participants&)>
void barrier(schedule::ProgramBuilder& program, const FlatCall& call) {
  kBarrier(program, call.participants);
}

using InPlace = void (*)(schedule::ProgramBuilder&, const Participants&, const schedule::Region&);

/// Allreduce or scan: this rank's contribution is laid into Out, where the algorithm works.
template <InPlace kWork>
void in_out(schedule::ProgramBuilder& program, const FlatCall& call) {
  copy_unless_empty(program, call.in(), call.out());
  kWork(program, call.participants, call.out());
}

template <void (*kReduceScatter)(schedule::ProgramBuilder&, const Participants&, const BlockLayout&,
                                 const schedule::Region&)>
void reduce_scatter(schedule::ProgramBuilder& program, const FlatCall& call) {
  kReduceScatter(program, call.participants, call.in_blocks(), call.out());
}

template <InPlace kScan>
void exscan_of(schedule::ProgramBuilder& program, const FlatCall& call) {
  shifted_exscan(program, call.participants, call.in(), call.out(), kScan);
}

template <void (*kWork)(schedule::ProgramBuilder&, const Participants&, const schedule::Region&,
                        const schedule::Region&)>
void from_in_to_out(schedule::ProgramBuilder& program, const FlatCall& call) {
  kWork(program, call.participants, call.in(), call.out());
}

/// The estimate of a scan, or of the exscan made of it.
template <ScanTime kScan>
void scan_time(FlatEstimate& at) {
  kScan(at, at.everybody);
}
template <ScanTime kScan>
void exscan_time(FlatEstimate& at) {
  shifted_exscan_time(at, kScan);
}

}  // namespace espalier::collective
