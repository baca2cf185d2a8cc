#include <array>

#include "collective/allgather.hpp"
#include "collective/alltoall.hpp"
#include "collective/barrier.hpp"
#include "collective/flat_algorithms.hpp"
#include "collective/flat_call.hpp"
#include "collective/messages.hpp"

namespace espalier::collective {
namespace {

using schedule::Collective;
using schedule::Operation;
using schedule::ProgramBuilder;

/// Lays this rank's own block in place, then runs the algorithm.
template <void (*kAllgather)(ProgramBuilder&, const Participants&, const BlockLayout&)>
void allgather(ProgramBuilder& program, const Collective& call, std::uint64_t) {
  const FlatCall flat(call, program.rank());
  const BlockLayout all = flat.out_blocks();
  copy_unless_empty(program, flat.in(), all.region(program, flat.me()));
  kAllgather(program, flat.participants, all);
}

void direct_allgather_alone(ProgramBuilder& program, const Participants& participants,
                            const BlockLayout& all) {
  direct_allgather(program, participants, all, 0);
}

template <void (*kAlltoall)(ProgramBuilder&, const Participants&, const BlockLayout&,
                            const BlockLayout&)>
void alltoall(ProgramBuilder& program, const Collective& call, std::uint64_t) {
  const FlatCall flat(call, program.rank());
  kAlltoall(program, flat.participants, flat.in_blocks(), flat.out_blocks());
}

void direct_alltoall_alone(ProgramBuilder& program, const Participants& participants,
                           const BlockLayout& from, const BlockLayout& to) {
  direct_alltoall(program, participants, from, to, 0);
}

template <void (*kBarrier)(ProgramBuilder&, const Participants&)>
void barrier(ProgramBuilder& program, const Collective& call, std::uint64_t) {
  kBarrier(program, all_participants(call.size, program.rank()));
}

constexpr std::array kExchanges{
    FlatAlgorithm{Operation::Barrier, "dissemination", "Hensgen, Finkel, Manber, IJPP 1988", true,
                  any_size, barrier<dissemination_barrier>},
    FlatAlgorithm{Operation::Barrier, "butterfly", "Brooks, IJPP 1986", true, any_size,
                  barrier<butterfly_barrier>},
    FlatAlgorithm{Operation::Allgather, "ring", kThakur, true, any_size, allgather<ring_allgather>},
    FlatAlgorithm{Operation::Allgather, "bruck", kBruck, true, any_size,
                  allgather<bruck_allgather>},
    FlatAlgorithm{Operation::Allgather, "recursive-doubling", kThakur, true, power_of_two,
                  allgather<recursive_doubling_allgather>},
    FlatAlgorithm{Operation::Allgather, "neighbour-exchange", "Chen et al., HPC Asia 2005", true,
                  even_or_one, allgather<neighbour_exchange_allgather>},
    FlatAlgorithm{Operation::Allgather, "direct", kPjesivac, true, any_size,
                  allgather<direct_allgather_alone>},
    FlatAlgorithm{Operation::Allgather, "gather-broadcast", kThakur, true, any_size,
                  allgather<gather_broadcast_allgather>},
    FlatAlgorithm{Operation::Alltoall, "direct", kThakur, true, any_size,
                  alltoall<direct_alltoall_alone>},
    FlatAlgorithm{Operation::Alltoall, "pairwise", kThakur, true, any_size,
                  alltoall<pairwise_alltoall>},
    FlatAlgorithm{Operation::Alltoall, "bruck", kBruck, true, any_size, alltoall<bruck_alltoall>},
};

}  // namespace

std::span<const FlatAlgorithm> flat_exchanges() { return kExchanges; }

}  // namespace espalier::collective
