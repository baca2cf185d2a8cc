// What tuning files can ask the MPI libraries for, as data: each algorithm with the plan or tree of
// ours that sends the same messages, so that its time can be predicted.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/types.hpp"
#include "schedule/collective.hpp"
#include "tuning/native_trees.hpp"

namespace espalier::tuning {

using schedule::Operation;

/// How an algorithm's time is worked out.
enum class Method : std::uint8_t {
  Plan,             ///< the time of a plan of the table of algorithms
  Tree,             ///< a broadcast or reduction along a tree
  UpAndDown,        ///< messages go up a tree, then down the same tree
  ExchangeAll,      ///< every rank sends its whole vector to all others
  ReduceBroadcast,  ///< the library's own reduce and broadcast, by the same file
  GatherBroadcast,  ///< the library's own gather and broadcast, by the same file
};

/// One algorithm that a tuning file may name.
struct NativeAlgorithm {
  Operation operation;
  std::string_view name;  ///< the name that the library has for it
  int number = 0;         ///< Open MPI: its number
  Method method = Method::Plan;
  std::string_view plan = {};  ///< Method::Plan: its name in our table of algorithms
  NativeTree tree = NativeTree::Flat;
  std::array<Rank, 4> fans = {};  ///< fans worth a try; 0: none
  bool fan_is_ranks = false;      ///< the fan is the number of ranks
  bool cuts = false;              ///< it takes the length of a segment
  bool keeps_order = true;        ///< right for operators that do not commute
  int tree_type = 0;              ///< MPICH: how its files number the tree
  std::string_view helper = {};   ///< MPICH: the non-blocking algorithm that does the work

  [[nodiscard]] bool has_fan() const { return fans[0] != 0; }
};

/// Open MPI's coll/tuned, 4.1 to 6. Left out, since no plan of ours is like them: split binary
/// trees, in-order binary trees, segmented rings, double rings, gathers and alltoalls that
/// synchronise. Scan and exscan: 4.1 matches them without their count.
inline constexpr NativeAlgorithm kOfOpenMpi[]{
    {.operation = Operation::Broadcast,
     .name = "basic_linear",
     .number = 1,
     .method = Method::Tree,
     .tree = NativeTree::Flat},
    {.operation = Operation::Broadcast,
     .name = "chain",
     .number = 2,
     .method = Method::Tree,
     .tree = NativeTree::Chains,
     .fans = {2, 3, 4, 8},
     .cuts = true},
    {.operation = Operation::Broadcast,
     .name = "pipeline",
     .number = 3,
     .method = Method::Tree,
     .tree = NativeTree::Kary,
     .fans = {1},
     .cuts = true},
    {.operation = Operation::Broadcast,
     .name = "binary_tree",
     .number = 5,
     .method = Method::Tree,
     .tree = NativeTree::StridedKary,
     .fans = {2},
     .cuts = true},
    {.operation = Operation::Broadcast,
     .name = "binomial",
     .number = 6,
     .method = Method::Tree,
     .tree = NativeTree::StridedBinomial,
     .cuts = true},
    {.operation = Operation::Broadcast,
     .name = "knomial",
     .number = 7,
     .method = Method::Tree,
     .tree = NativeTree::Knomial,
     .fans = {4},
     .cuts = true},
    {.operation = Operation::Broadcast,
     .name = "scatter_allgather",
     .number = 8,
     .plan = "scatter-recursive-doubling"},
    {.operation = Operation::Broadcast,
     .name = "scatter_allgather_ring",
     .number = 9,
     .plan = "scatter-ring"},
    {.operation = Operation::Reduce,
     .name = "linear",
     .number = 1,
     .method = Method::Tree,
     .tree = NativeTree::Flat},
    {.operation = Operation::Reduce,
     .name = "chain",
     .number = 2,
     .method = Method::Tree,
     .tree = NativeTree::Chains,
     .fans = {2, 3, 4, 8},
     .cuts = true,
     .keeps_order = false},
    {.operation = Operation::Reduce,
     .name = "pipeline",
     .number = 3,
     .method = Method::Tree,
     .tree = NativeTree::Kary,
     .fans = {1},
     .cuts = true,
     .keeps_order = false},
    {.operation = Operation::Reduce,
     .name = "binary",
     .number = 4,
     .method = Method::Tree,
     .tree = NativeTree::StridedKary,
     .fans = {2},
     .cuts = true,
     .keeps_order = false},
    {.operation = Operation::Reduce,
     .name = "binomial",
     .number = 5,
     .method = Method::Tree,
     .tree = NativeTree::Binomial,
     .cuts = true,
     .keeps_order = false},
    {.operation = Operation::Reduce, .name = "rabenseifner", .number = 7, .plan = "rabenseifner"},
    {.operation = Operation::Allreduce,
     .name = "basic_linear",
     .number = 1,
     .method = Method::UpAndDown,
     .tree = NativeTree::Flat},
    {.operation = Operation::Allreduce,
     .name = "nonoverlapping",
     .number = 2,
     .method = Method::ReduceBroadcast},
    {.operation = Operation::Allreduce,
     .name = "recursive_doubling",
     .number = 3,
     .plan = "recursive-doubling"},
    {.operation = Operation::Allreduce,
     .name = "ring",
     .number = 4,
     .plan = "ring",
     .keeps_order = false},
    {.operation = Operation::Allreduce,
     .name = "rabenseifner",
     .number = 6,
     .plan = "rabenseifner"},
    {.operation = Operation::Barrier,
     .name = "linear",
     .number = 1,
     .method = Method::UpAndDown,
     .tree = NativeTree::Flat},
    {.operation = Operation::Barrier,
     .name = "recursive_doubling",
     .number = 3,
     .plan = "butterfly"},
    {.operation = Operation::Barrier, .name = "bruck", .number = 4, .plan = "dissemination"},
    {.operation = Operation::Barrier,
     .name = "tree",
     .number = 6,
     .method = Method::UpAndDown,
     .tree = NativeTree::Binomial},
    {.operation = Operation::Gather, .name = "basic_linear", .number = 1, .plan = "linear"},
    {.operation = Operation::Gather, .name = "binomial", .number = 2, .plan = "binomial"},
    {.operation = Operation::Scatter, .name = "basic_linear", .number = 1, .plan = "linear"},
    {.operation = Operation::Scatter, .name = "binomial", .number = 2, .plan = "binomial"},
    {.operation = Operation::Allgather,
     .name = "linear",
     .number = 1,
     .method = Method::GatherBroadcast},
    {.operation = Operation::Allgather, .name = "bruck", .number = 2, .plan = "bruck"},
    {.operation = Operation::Allgather,
     .name = "recursive_doubling",
     .number = 3,
     .plan = "recursive-doubling"},
    {.operation = Operation::Allgather, .name = "ring", .number = 4, .plan = "ring"},
    {.operation = Operation::Allgather,
     .name = "neighbor",
     .number = 5,
     .plan = "neighbour-exchange"},
    {.operation = Operation::Alltoall, .name = "linear", .number = 1, .plan = "direct"},
    {.operation = Operation::Alltoall, .name = "pairwise", .number = 2, .plan = "pairwise"},
    {.operation = Operation::Alltoall, .name = "modified_bruck", .number = 3, .plan = "bruck"},
};

/// MPICH 4: its own, and the trees of its non-blocking collectives, which a blocking call takes by
/// "nb". Gathers and scatters have one algorithm only.
inline constexpr NativeAlgorithm kOfMpich[]{
    {.operation = Operation::Broadcast,
     .name = "MPIR_Bcast_intra_binomial",
     .plan = "binomial-in-turn"},
    {.operation = Operation::Broadcast,
     .name = "MPIR_Bcast_intra_scatter_recursive_doubling_allgather",
     .plan = "scatter-recursive-doubling"},
    {.operation = Operation::Broadcast,
     .name = "MPIR_Bcast_intra_scatter_ring_allgather",
     .plan = "scatter-ring"},
    {.operation = Operation::Broadcast,
     .name = "MPIR_Bcast_allcomm_nb",
     .method = Method::Tree,
     .tree = NativeTree::Kary,
     .fans = {1, 2, 3, 4},
     .cuts = true,
     .tree_type = 0,
     .helper = "MPIR_Ibcast_intra_tsp_tree"},
    {.operation = Operation::Broadcast,
     .name = "MPIR_Bcast_allcomm_nb",
     .method = Method::Tree,
     .tree = NativeTree::Knomial,
     .fans = {2, 4, 8},
     .cuts = true,
     .tree_type = 2,
     .helper = "MPIR_Ibcast_intra_tsp_tree"},
    {.operation = Operation::Reduce,
     .name = "MPIR_Reduce_intra_binomial",
     .method = Method::Tree,
     .tree = NativeTree::Binomial},
    {.operation = Operation::Reduce,
     .name = "MPIR_Reduce_intra_reduce_scatter_gather",
     .plan = "rabenseifner"},
    {.operation = Operation::Reduce,
     .name = "MPIR_Reduce_allcomm_nb",
     .method = Method::Tree,
     .tree = NativeTree::Kary,
     .fans = {1, 2, 3, 4},
     .cuts = true,
     .keeps_order = false,
     .tree_type = 0,
     .helper = "MPIR_Ireduce_intra_tsp_tree"},
    {.operation = Operation::Reduce,
     .name = "MPIR_Reduce_allcomm_nb",
     .method = Method::Tree,
     .tree = NativeTree::Knomial,
     .fans = {2, 4, 8},
     .cuts = true,
     .keeps_order = false,
     .tree_type = 2,
     .helper = "MPIR_Ireduce_intra_tsp_tree"},
    {.operation = Operation::Allreduce,
     .name = "MPIR_Allreduce_intra_recursive_doubling",
     .plan = "recursive-doubling"},
    {.operation = Operation::Allreduce,
     .name = "MPIR_Allreduce_intra_reduce_scatter_allgather",
     .plan = "rabenseifner"},
    {.operation = Operation::Allreduce,
     .name = "MPIR_Allreduce_allcomm_nb",
     .method = Method::UpAndDown,
     .tree = NativeTree::Kary,
     .fans = {1, 2, 3, 4},
     .cuts = true,
     .keeps_order = false,
     .tree_type = 0,
     .helper = "MPIR_Iallreduce_intra_tsp_tree"},
    {.operation = Operation::Allreduce,
     .name = "MPIR_Allreduce_allcomm_nb",
     .method = Method::UpAndDown,
     .tree = NativeTree::Knomial,
     .fans = {2, 4, 8},
     .cuts = true,
     .keeps_order = false,
     .tree_type = 2,
     .helper = "MPIR_Iallreduce_intra_tsp_tree"},
    {.operation = Operation::Allreduce,
     .name = "MPIR_Allreduce_allcomm_nb",
     .method = Method::ExchangeAll,
     .fan_is_ranks = true,
     .keeps_order = false,
     .helper = "MPIR_Iallreduce_intra_tsp_recexch_multiple_buffer"},
    {.operation = Operation::Barrier,
     .name = "MPIR_Barrier_intra_dissemination",
     .plan = "dissemination"},
    {.operation = Operation::Barrier,
     .name = "MPIR_Barrier_intra_k_dissemination",
     .plan = "dissemination",
     .fans = {2}},
    {.operation = Operation::Allgather, .name = "MPIR_Allgather_intra_brucks", .plan = "bruck"},
    {.operation = Operation::Allgather,
     .name = "MPIR_Allgather_intra_recursive_doubling",
     .plan = "recursive-doubling"},
    {.operation = Operation::Allgather, .name = "MPIR_Allgather_intra_ring", .plan = "ring"},
    {.operation = Operation::Alltoall, .name = "MPIR_Alltoall_intra_brucks", .plan = "bruck"},
    {.operation = Operation::Alltoall, .name = "MPIR_Alltoall_intra_scattered", .plan = "direct"},
    {.operation = Operation::Alltoall, .name = "MPIR_Alltoall_intra_pairwise", .plan = "pairwise"},
};

/// An algorithm as a rule asks for it.
struct Candidate {
  const NativeAlgorithm* algorithm = nullptr;
  Rank fan = 0;
  std::uint64_t segment = 0;  ///< bytes; 0: whole messages
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

}  // namespace espalier::tuning
