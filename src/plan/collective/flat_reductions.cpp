#include <array>

#include "collective/allreduce.hpp"
#include "collective/flat_algorithms.hpp"
#include "collective/flat_call.hpp"
#include "collective/messages.hpp"
#include "collective/reduce_scatter.hpp"
#include "collective/scan.hpp"

namespace espalier::collective {
namespace {

using schedule::Collective;
using schedule::Operation;
using schedule::ProgramBuilder;
using schedule::Region;

using InPlace = void (*)(ProgramBuilder&, const Participants&, const Region&);

/// Allreduce or scan: this rank's contribution is laid into Out, where the algorithm works.
template <InPlace kWork>
void in_out(ProgramBuilder& program, const Collective& call, std::uint64_t) {
  const FlatCall flat(call, program.rank());
  copy_unless_empty(program, flat.in(), flat.out());
  kWork(program, flat.participants, flat.out());
}

template <void (*kReduceScatter)(ProgramBuilder&, const Participants&, const BlockLayout&,
                                 const Region&)>
void reduce_scatter(ProgramBuilder& program, const Collective& call, std::uint64_t) {
  const FlatCall flat(call, program.rank());
  kReduceScatter(program, flat.participants, flat.in_blocks(), flat.out());
}

template <InPlace kScan>
void flat_exscan(ProgramBuilder& program, const Collective& call, std::uint64_t) {
  const FlatCall flat(call, program.rank());
  shifted_exscan(program, flat.participants, flat.in(), flat.out(), kScan);
}

void chain_scan(ProgramBuilder& program, const Collective& call, std::uint64_t segment) {
  const FlatCall flat(call, program.rank());
  copy_unless_empty(program, flat.in(), flat.out());
  linear_scan(program, flat.participants, flat.out(), segment);
}

void chain_exscan(ProgramBuilder& program, const Collective& call, std::uint64_t segment) {
  const FlatCall flat(call, program.rank());
  linear_exscan(program, flat.participants, flat.in(), flat.out(), segment);
}

template <void (*kScan)(ProgramBuilder&, const Participants&, const Region&, const Region&)>
void from_in_to_out(ProgramBuilder& program, const Collective& call, std::uint64_t) {
  const FlatCall flat(call, program.rank());
  kScan(program, flat.participants, flat.in(), flat.out());
}

constexpr std::string_view kByDefinition = "the definition of the operation, all at once";
constexpr std::string_view kHillisSteele = "Hillis, Steele, CACM 1986";

constexpr std::array kReductions{
    FlatAlgorithm{Operation::Allreduce, "recursive-doubling", kThakur,
                  kRecursiveDoublingAllreduceKeepsRankOrder, any_size,
                  in_out<recursive_doubling_allreduce>},
    FlatAlgorithm{Operation::Allreduce, "rabenseifner", kRabenseifner,
                  kRabenseifnerAllreduceKeepsRankOrder, any_size, in_out<rabenseifner_allreduce>},
    FlatAlgorithm{Operation::Allreduce, "ring", kPatarasuk, kRingAllreduceKeepsRankOrder, any_size,
                  in_out<ring_allreduce>},
    FlatAlgorithm{Operation::Allreduce, "direct", kByDefinition, kDirectReduceScatterKeepsRankOrder,
                  serves_direct_reduce_scatter, from_in_to_out<direct_allreduce>},
    FlatAlgorithm{Operation::ReduceScatter, "recursive-halving", kThakur,
                  kRecursiveHalvingReduceScatterKeepsRankOrder, any_size,
                  reduce_scatter<recursive_halving_reduce_scatter>},
    FlatAlgorithm{Operation::ReduceScatter, "butterfly", "Traeff, EuroPVM/MPI 2005",
                  kButterflyReduceScatterKeepsRankOrder, any_size,
                  reduce_scatter<butterfly_reduce_scatter>},
    FlatAlgorithm{Operation::ReduceScatter, "ring", kPatarasuk, kRingReduceScatterKeepsRankOrder,
                  any_size, reduce_scatter<ring_reduce_scatter>},
    FlatAlgorithm{Operation::ReduceScatter, "pairwise", kThakur,
                  kPairwiseReduceScatterKeepsRankOrder, any_size,
                  reduce_scatter<pairwise_reduce_scatter>},
    FlatAlgorithm{Operation::ReduceScatter, "direct", kByDefinition,
                  kDirectReduceScatterKeepsRankOrder, serves_direct_reduce_scatter,
                  reduce_scatter<direct_reduce_scatter>},
    FlatAlgorithm{Operation::Scan, "recursive-doubling", kHillisSteele,
                  kRecursiveDoublingScanKeepsRankOrder, any_size, in_out<recursive_doubling_scan>},
    FlatAlgorithm{Operation::Scan, "linear", kSandersTraeff, kLinearScanKeepsRankOrder, any_size,
                  chain_scan},
    FlatAlgorithm{Operation::Scan, "binomial", kSandersTraeff, kBinomialScanKeepsRankOrder,
                  any_size, in_out<binomial_scan>},
    FlatAlgorithm{Operation::Scan, "direct", kByDefinition, kDirectScanKeepsRankOrder,
                  serves_direct_scan, from_in_to_out<direct_scan>},
    FlatAlgorithm{Operation::Exscan, "recursive-doubling", kHillisSteele,
                  kRecursiveDoublingScanKeepsRankOrder, any_size,
                  flat_exscan<recursive_doubling_scan>},
    FlatAlgorithm{Operation::Exscan, "linear", kSandersTraeff, kLinearScanKeepsRankOrder, any_size,
                  chain_exscan},
    FlatAlgorithm{Operation::Exscan, "binomial", kSandersTraeff, kBinomialScanKeepsRankOrder,
                  any_size, flat_exscan<binomial_scan>},
    FlatAlgorithm{Operation::Exscan, "direct", kByDefinition, kDirectScanKeepsRankOrder,
                  serves_direct_scan, from_in_to_out<direct_exscan>},
};

}  // namespace

std::span<const FlatAlgorithm> flat_reductions() { return kReductions; }

}  // namespace espalier::collective
