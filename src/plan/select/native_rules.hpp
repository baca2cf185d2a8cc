// Which algorithms the MPI libraries take, as data.
//
// MPICH's choices by size: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of collective
// communication operations in MPICH", IJHPCA 19(1), 2005, with the thresholds of MPICH 4's settings
// (MPIR_CVAR_BCAST_SHORT_MSG_SIZE and so on). Open MPI's rules have many more cases, and are taken
// for the best of the same algorithms.
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "schedule/collective.hpp"

namespace espalier::select {

using schedule::Operation;

/// An algorithm that an MPI library takes for calls that meet all conditions.
struct NativeRule {
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

  Operation operation;
  std::string_view plan;                 ///< its name in our table of algorithms
  std::uint64_t most_bytes = kNoLimit;   ///< bytes of the vector, or of one block
  std::uint64_t most_of_all = kNoLimit;  ///< bytes of all blocks
  std::uint64_t least_ranks = 0;
  std::uint64_t most_ranks = kNoLimit;
  bool power_of_two = false;  ///< number of ranks is a power of two
  bool few_elements = false;  ///< fewer than there are ranks that take part in a butterfly
};

/// Reductions of more bytes go by the number of elements too.
inline constexpr std::uint64_t kShortReduction = 2048;

/// The first that fits is taken. Operations without any: as good as the best of kUsual.
inline constexpr NativeRule kOfMpich[]{
    {.operation = Operation::Broadcast, .plan = "binomial", .most_bytes = 12287},
    {.operation = Operation::Broadcast, .plan = "binomial", .most_ranks = 7},
    {.operation = Operation::Broadcast,
     .plan = "scatter-recursive-doubling",
     .most_bytes = 524287,
     .power_of_two = true},
    {.operation = Operation::Broadcast, .plan = "scatter-ring"},
    {.operation = Operation::Reduce, .plan = "binomial", .most_bytes = kShortReduction},
    {.operation = Operation::Reduce, .plan = "binomial", .few_elements = true},
    {.operation = Operation::Reduce, .plan = "rabenseifner"},
    {.operation = Operation::Allreduce,
     .plan = "recursive-doubling",
     .most_bytes = kShortReduction},
    {.operation = Operation::Allreduce, .plan = "recursive-doubling", .few_elements = true},
    {.operation = Operation::Allreduce, .plan = "rabenseifner"},
    {.operation = Operation::Allgather,
     .plan = "recursive-doubling",
     .most_of_all = 524287,
     .power_of_two = true},
    {.operation = Operation::Allgather, .plan = "bruck", .most_of_all = 81919},
    {.operation = Operation::Allgather, .plan = "ring"},
    {.operation = Operation::Alltoall, .plan = "bruck", .most_bytes = 256, .least_ranks = 8},
    {.operation = Operation::Alltoall, .plan = "direct", .most_bytes = 32768},
    {.operation = Operation::Alltoall, .plan = "pairwise"},
};

/// Of these the best is assumed. Gather and scatter not by "linear", which Open MPI takes for few
/// ranks or large blocks: it would be taken for what all do, whenever it is fast.
inline constexpr NativeRule kUsual[]{
    {Operation::Broadcast, "binomial"},
    {Operation::Broadcast, "scatter-ring"},
    {Operation::Reduce, "binomial"},
    {Operation::Reduce, "rabenseifner"},
    {Operation::Allreduce, "recursive-doubling"},
    {Operation::Allreduce, "rabenseifner"},
    {Operation::Allreduce, "ring"},
    {Operation::Barrier, "dissemination"},
    {Operation::Gather, "binomial"},
    {Operation::Scatter, "binomial"},
    {Operation::Allgather, "recursive-doubling"},
    {Operation::Allgather, "bruck"},
    {Operation::Allgather, "ring"},
    {Operation::Alltoall, "bruck"},
    {Operation::Alltoall, "direct"},
    {Operation::Alltoall, "pairwise"},
    {Operation::ReduceScatter, "recursive-halving"},
    {Operation::ReduceScatter, "butterfly"},
    {Operation::ReduceScatter, "pairwise"},
    {Operation::Scan, "recursive-doubling"},
    {Operation::Exscan, "recursive-doubling"},
};

/// Of calls whose blocks differ in length, in MPICH 4.0 and Open MPI 4.1: gatherv and scatterv go
/// straight between root and everybody, the others by the algorithms of their regular forms, of
/// which the best is taken.
inline constexpr NativeRule kOfBlocks[]{
    {Operation::Gather, "linear"},   {Operation::Scatter, "linear"},
    {Operation::Allgather, "ring"},  {Operation::Allgather, "recursive-doubling"},
    {Operation::Allgather, "bruck"}, {Operation::Allgather, "neighbour-exchange"},
    {Operation::Alltoall, "direct"}, {Operation::Alltoall, "pairwise"},
};

}  // namespace espalier::select
