#include <algorithm>
#include <array>

#include "collective/allreduce.hpp"
#include "collective/broadcast.hpp"
#include "collective/flat_algorithms.hpp"
#include "collective/flat_call.hpp"
#include "collective/gather_scatter.hpp"

namespace espalier::collective {
namespace {

using schedule::Collective;
using schedule::Operation;
using schedule::ProgramBuilder;

/// Of pipelined trees, unless the caller knows the network better.

constexpr std::array kRooted{
    FlatAlgorithm{Operation::Broadcast, "scatter-ring", "Barnett et al., SC 1994", true, any_size,
                  [](ProgramBuilder& program, const Collective& call, std::uint64_t) {
                    const FlatCall flat(call, program.rank());
                    scatter_allgather_broadcast(program, flat.participants, flat.root, flat.out(),
                                                AllgatherOf::Ring);
                  }},
    FlatAlgorithm{Operation::Broadcast, "scatter-recursive-doubling", kThakur, true, power_of_two,
                  [](ProgramBuilder& program, const Collective& call, std::uint64_t) {
                    const FlatCall flat(call, program.rank());
                    scatter_allgather_broadcast(program, flat.participants, flat.root, flat.out(),
                                                AllgatherOf::RecursiveDoubling);
                  }},
    FlatAlgorithm{Operation::Broadcast, "double-tree",
                  "Sanders, Speck, Traeff, Parallel Computing 2009", true, any_size,
                  [](ProgramBuilder& program, const Collective& call, std::uint64_t segment) {
                    const FlatCall flat(call, program.rank());
                    if (segment == 0) {
                      segment = double_tree_segment(call);
                    }
                    double_tree_broadcast(program, flat.participants, flat.root, flat.out(),
                                          std::max<std::uint64_t>(1, segment));
                  }},
    FlatAlgorithm{Operation::Broadcast, "binomial-in-turn", kThakur, true, any_size,
                  [](ProgramBuilder& program, const Collective& call, std::uint64_t) {
                    const FlatCall flat(call, program.rank());
                    binomial_broadcast(program, flat.participants, flat.root, flat.out());
                  }},
    FlatAlgorithm{Operation::Reduce, "rabenseifner", kRabenseifner,
                  kRabenseifnerReduceKeepsRankOrder, any_size,
                  [](ProgramBuilder& program, const Collective& call, std::uint64_t) {
                    const FlatCall flat(call, program.rank());
                    rabenseifner_reduce(program, flat.participants, flat.root, flat.in(),
                                        flat.out());
                  }},
    FlatAlgorithm{Operation::Gather, "linear", kPjesivac, true, any_size,
                  [](ProgramBuilder& program, const Collective& call, std::uint64_t) {
                    const FlatCall flat(call, program.rank());
                    linear_gather(program, flat.participants, flat.root, flat.in(),
                                  flat.out_blocks(), 0);
                  }},
    FlatAlgorithm{Operation::Gather, "binomial", kThakur, true, any_size,
                  [](ProgramBuilder& program, const Collective& call, std::uint64_t) {
                    const FlatCall flat(call, program.rank());
                    binomial_gather(program, flat.participants, flat.root, flat.in(),
                                    flat.out_blocks());
                  }},
    FlatAlgorithm{Operation::Scatter, "linear", kPjesivac, true, any_size,
                  [](ProgramBuilder& program, const Collective& call, std::uint64_t) {
                    const FlatCall flat(call, program.rank());
                    linear_scatter(program, flat.participants, flat.root, flat.in_blocks(),
                                   flat.out(), 0);
                  }},
    FlatAlgorithm{Operation::Scatter, "binomial", kThakur, true, any_size,
                  [](ProgramBuilder& program, const Collective& call, std::uint64_t) {
                    const FlatCall flat(call, program.rank());
                    binomial_scatter(program, flat.participants, flat.root, flat.in_blocks(),
                                     flat.out());
                  }},
};

}  // namespace

std::span<const FlatAlgorithm> flat_rooted() { return kRooted; }

}  // namespace espalier::collective
