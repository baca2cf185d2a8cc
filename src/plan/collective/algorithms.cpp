// The one table of algorithms. A new one is a line here; its builder and its estimate stand in its
// own file. Of equally good plans the first in this table is taken.
#include "collective/alltoall.hpp"
#include "collective/barrier.hpp"
#include "collective/broadcast.hpp"
#include "collective/families.hpp"
#include "collective/flat_algorithm.hpp"
#include "collective/gather_scatter.hpp"
#include "collective/reduce_scatter.hpp"
#include "tree/initiation_trees.hpp"

namespace espalier::collective {
namespace {

using schedule::Operation;
using schedule::ProgramBuilder;

void direct_allgather_alone(ProgramBuilder& program, const Participants& participants,
                            const BlockLayout& all) {
  direct_allgather(program, participants, all, 0);
}
void direct_alltoall_alone(ProgramBuilder& program, const Participants& participants,
                           const BlockLayout& from, const BlockLayout& to) {
  direct_alltoall(program, participants, from, to, 0);
}
void linear_gather_alone(ProgramBuilder& program, const Participants& participants, Rank root,
                         const schedule::Region& own, const BlockLayout& all) {
  linear_gather(program, participants, root, own, all, 0);
}
void linear_scatter_alone(ProgramBuilder& program, const Participants& participants, Rank root,
                          const BlockLayout& all, const schedule::Region& own) {
  linear_scatter(program, participants, root, all, own, 0);
}
void double_tree(ProgramBuilder& program, const FlatCall& call) {
  const std::uint64_t element = std::max<std::uint64_t>(1, call.element.value);
  double_tree_broadcast(program, call.participants, call.root, call.out(),
                        std::max<std::uint64_t>(1, kDoubleTreeSegment / element));
}
void binomial_in_turn(ProgramBuilder& program, const FlatCall& call) {
  binomial_broadcast(program, call.participants, call.root, call.out());
}
void rabenseifner(ProgramBuilder& program, const FlatCall& call) {
  rabenseifner_reduce(program, call.participants, call.root, call.in(), call.out());
}
void whole_linear_scan(ProgramBuilder& program, const Participants& participants,
                       const schedule::Region& data) {
  linear_scan(program, participants, data, 0);
}
void whole_linear_exscan(ProgramBuilder& program, const Participants& participants,
                         const schedule::Region& own, const schedule::Region& before) {
  linear_exscan(program, participants, own, before, 0);
}

constexpr std::string_view kThakur = "Thakur, Rabenseifner, Gropp, IJHPCA 2005";
constexpr std::string_view kRabenseifner = "Rabenseifner, ICCS 2004";
constexpr std::string_view kPjesivac = "Pjesivac-Grbovic et al., Cluster Computing 2007";
constexpr std::string_view kBruck = "Bruck et al., IEEE TPDS 1997";
constexpr std::string_view kPatarasuk = "Patarasuk, Yuan, JPDC 2009";
constexpr std::string_view kSandersTraeff = "Sanders, Traeff, EuroPVM/MPI 2006";
constexpr std::string_view kByDefinition = "the definition of the operation, all at once";
constexpr std::string_view kHillisSteele = "Hillis, Steele, CACM 1986";

// Traits of several.
constexpr Traits kMoves{.keeps_rank_order = true};
constexpr Traits kOrdered = kMoves;
constexpr Traits kMovesAlong{.keeps_rank_order = true, .along_machine = true};
constexpr Traits kDirect{.keeps_rank_order = true, .sends_directly = true};
constexpr Traits kHalvesAlong{
    .keeps_rank_order = true, .along_machine = true, .longest = LongestMessage::Half};
constexpr Traits kBundles{.keeps_rank_order = true, .longest = LongestMessage::HalfOfAll};
constexpr Traits kBundlesAlong{
    .keeps_rank_order = true, .along_machine = true, .longest = LongestMessage::HalfOfAll};
constexpr Traits kScattersFirst{.keeps_rank_order = true,
                                .along_machine = true,
                                .scatters_first = true,
                                .longest = LongestMessage::Half};
constexpr Traits meeting_all(Operation operation, Traits traits = kMoves) {
  traits.meets_everybody = {operation};
  return traits;
}

}  // namespace

std::span<const Algorithm> algorithms() {
  using enum Operation;
  static constexpr Algorithm kTable[]{
      kMultilevel,
      kStriped,
      kTwoLevel,
      tree_by_number<Shape::Flat>("flat"),
      tree_by_number<Shape::Chain>("chain"),
      tree_by_number<Shape::Binomial>("binomial"),
      tree_by_number<Shape::Quadnomial>("4-nomial"),
      tree_by_number<Shape::Octonomial>("8-nomial"),
      tree_by_speed<tree::fastest_node_first>("fnf"),
      tree_by_speed<tree::spoc>("spoc"),
      flat<any_size, scatter_allgather<AllgatherOf::Ring>, scatter_ring_broadcast_time>(
          Broadcast, "scatter-ring", "Barnett et al., SC 1994", kScattersFirst),
      flat<power_of_two, scatter_allgather<AllgatherOf::RecursiveDoubling>,
           scatter_doubling_broadcast_time>(Broadcast, "scatter-recursive-doubling", kThakur,
                                            kScattersFirst),
      flat<any_size, double_tree, double_tree_broadcast_time>(
          Broadcast, "double-tree", "Sanders, Speck, Traeff, Parallel Computing 2009",
          {.keeps_rank_order = true, .along_machine = true, .always_cuts_to = kDoubleTreeSegment}),
      flat<any_size, binomial_in_turn, binomial_broadcast_time>(Broadcast, "binomial-in-turn",
                                                                kThakur, kMovesAlong),
      flat<any_size, rabenseifner, rabenseifner_reduce_time>(Reduce, "rabenseifner", kRabenseifner,
                                                             kHalvesAlong),
      flat<any_size, gather<linear_gather_alone>, linear_gather_time>(Gather, "linear", kPjesivac,
                                                                      kDirect),
      flat<any_size, gather<binomial_gather>, binomial_gather_time>(Gather, "binomial", kThakur,
                                                                    kBundles),
      flat<any_size, scatter<linear_scatter_alone>, linear_scatter_time>(Scatter, "linear",
                                                                         kPjesivac, kDirect),
      flat<any_size, scatter<binomial_scatter>, binomial_scatter_time>(Scatter, "binomial", kThakur,
                                                                       kBundles),
      flat<any_size, barrier<dissemination_barrier>, dissemination_barrier_time>(
          Barrier, "dissemination", "Hensgen, Finkel, Manber, IJPP 1988", kMovesAlong),
      flat<any_size, barrier<butterfly_barrier>, butterfly_barrier_time>(
          Barrier, "butterfly", "Brooks, IJPP 1986", kMovesAlong),
      flat<any_size, allgather<ring_allgather>, ring_allgather_time>(Allgather, "ring", kThakur,
                                                                     kMovesAlong),
      flat<any_size, allgather<bruck_allgather>, bruck_allgather_time>(Allgather, "bruck", kBruck,
                                                                       kBundlesAlong),
      flat<power_of_two, allgather<recursive_doubling_allgather>,
           recursive_doubling_allgather_time>(Allgather, "recursive-doubling", kThakur,
                                              kBundlesAlong),
      flat<even_or_one, allgather<neighbour_exchange_allgather>, neighbour_exchange_allgather_time>(
          Allgather, "neighbour-exchange", "Chen et al., HPC Asia 2005", kMovesAlong),
      flat<any_size, allgather<direct_allgather_alone>, direct_allgather_time>(
          Allgather, "direct", kPjesivac, meeting_all(Allgather)),
      flat<any_size, allgather<gather_broadcast_allgather>, gather_broadcast_allgather_time>(
          Allgather, "gather-broadcast", kThakur, kMoves),
      flat<any_size, alltoall<direct_alltoall_alone>, direct_alltoall_time>(
          Alltoall, "direct", kThakur, meeting_all(Alltoall, kDirect)),
      flat<any_size, alltoall<pairwise_alltoall>, pairwise_alltoall_time>(
          Alltoall, "pairwise", kThakur, meeting_all(Alltoall)),
      flat<any_size, alltoall<bruck_alltoall>, bruck_alltoall_time>(Alltoall, "bruck", kBruck,
                                                                    kBundles),
      flat<any_size, in_out<recursive_doubling_allreduce>, recursive_doubling_allreduce_time>(
          Allreduce, "recursive-doubling", kThakur, kMovesAlong),
      flat<any_size, in_out<rabenseifner_allreduce>, rabenseifner_allreduce_time>(
          Allreduce, "rabenseifner", kRabenseifner, kHalvesAlong),
      flat<any_size, in_out<ring_allreduce>, ring_allreduce_time>(
          Allreduce, "ring", kPatarasuk, {.along_machine = true, .longest = LongestMessage::Piece}),
      flat<serves_direct_reduce_scatter, from_in_to_out<direct_allreduce>, direct_allreduce_time>(
          Allreduce, "direct", kByDefinition, meeting_all(Allreduce, kMovesAlong)),
      flat<any_size, reduce_scatter<recursive_halving_reduce_scatter>,
           recursive_halving_reduce_scatter_time>(
          ReduceScatter, "recursive-halving", kThakur,
          {.along_machine = true, .longest = LongestMessage::HalfOfAll}),
      flat<any_size, reduce_scatter<butterfly_reduce_scatter>, butterfly_reduce_scatter_time>(
          ReduceScatter, "butterfly", "Traeff, EuroPVM/MPI 2005", kBundles),
      flat<any_size, reduce_scatter<ring_reduce_scatter>, ring_reduce_scatter_time>(
          ReduceScatter, "ring", kPatarasuk, {.along_machine = true}),
      flat<any_size, reduce_scatter<pairwise_reduce_scatter>, pairwise_reduce_scatter_time>(
          ReduceScatter, "pairwise", kThakur, meeting_all(ReduceScatter)),
      flat<serves_direct_reduce_scatter, reduce_scatter<direct_reduce_scatter>,
           direct_reduce_scatter_time>(ReduceScatter, "direct", kByDefinition,
                                       meeting_all(ReduceScatter)),
      flat<any_size, in_out<recursive_doubling_scan>, scan_time<recursive_doubling_scan_time>>(
          Scan, "recursive-doubling", kHillisSteele, kOrdered),
      flat<any_size, in_out<whole_linear_scan>, linear_scan_time>(Scan, "linear", kSandersTraeff,
                                                                  kOrdered),
      flat<any_size, in_out<binomial_scan>, scan_time<binomial_scan_time>>(
          Scan, "binomial", kSandersTraeff, kOrdered),
      flat<serves_direct_scan, from_in_to_out<direct_scan>, direct_scan_time>(
          Scan, "direct", kByDefinition, meeting_all(Scan)),
      flat<any_size, exscan_of<recursive_doubling_scan>, exscan_time<recursive_doubling_scan_time>>(
          Exscan, "recursive-doubling", kHillisSteele, kOrdered),
      flat<any_size, from_in_to_out<whole_linear_exscan>, linear_scan_time>(
          Exscan, "linear", kSandersTraeff, kOrdered),
      flat<any_size, exscan_of<binomial_scan>, exscan_time<binomial_scan_time>>(
          Exscan, "binomial", kSandersTraeff, kOrdered),
      flat<serves_direct_scan, from_in_to_out<direct_exscan>, direct_scan_time>(
          Exscan, "direct", kByDefinition, meeting_all(Exscan)),
      kFixedOrder,
  };
  return kTable;
}

}  // namespace espalier::collective
