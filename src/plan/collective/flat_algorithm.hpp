#pragma once

#include <algorithm>
#include <utility>

#include "collective/algorithm.hpp"
#include "collective/allgather.hpp"
#include "collective/allreduce.hpp"
#include "collective/flat_call.hpp"
#include "collective/messages.hpp"
#include "collective/scan.hpp"

namespace espalier::collective {

// Classical algorithms as entries of the table.

using Append = void (*)(schedule::ProgramBuilder&, const FlatCall&);

/// A classical algorithm among all ranks.
/// @tparam kServes how many ranks it serves
/// @tparam kTime   its estimate; null: it is simulated
template <bool (*kServes)(Rank), Append kAppend, cost::Picos (*kTime)(FlatEstimate&)>
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
        return kTime(at);
      },
  };
}

/// Lays this rank's own block in place, then runs the algorithm.
template <void (*kAllgather)(schedule::ProgramBuilder&, const Participants&, const BlockLayout&)>
void allgather(schedule::ProgramBuilder& program, const FlatCall& call) {
  copy_unless_empty(program, call.in(), call.own_place());
  kAllgather(program, call.participants, call.out_blocks());
}

template <void (*kAlltoall)(schedule::ProgramBuilder&, const Participants&, const BlockLayout&,
                            const BlockLayout&)>
void alltoall(schedule::ProgramBuilder& program, const FlatCall& call) {
  kAlltoall(program, call.participants, call.in_blocks(), call.out_blocks());
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

template <void (*kGather)(schedule::ProgramBuilder&, const Participants&, Rank,
                          const schedule::Region&, const BlockLayout&)>
void gather(schedule::ProgramBuilder& program, const FlatCall& call) {
  kGather(program, call.participants, call.root, call.in(), call.out_blocks());
}

template <void (*kScatter)(schedule::ProgramBuilder&, const Participants&, Rank, const BlockLayout&,
                           const schedule::Region&)>
void scatter(schedule::ProgramBuilder& program, const FlatCall& call) {
  kScatter(program, call.participants, call.root, call.in_blocks(), call.out());
}

template <AllgatherOf kSecond>
void scatter_allgather(schedule::ProgramBuilder& program, const FlatCall& call) {
  scatter_allgather_broadcast(program, call.participants, call.root, call.out(), kSecond);
}

/// The estimate of a scan, or of the exscan made of it.
template <ScanTime kScan>
cost::Picos scan_time(FlatEstimate& at) {
  kScan(at, at.everybody);
  return at.rounds.finish();
}
template <ScanTime kScan>
cost::Picos exscan_time(FlatEstimate& at) {
  return shifted_exscan_time(at, kScan);
}

}  // namespace espalier::collective
