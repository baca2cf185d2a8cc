#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace measure {

using Element = std::int64_t;
using Buffer = std::vector<Element>;

/// Where a call takes place, and who we are there.
struct CommRank {
  MPI_Comm comm = MPI_COMM_WORLD;
  int rank = 0;
  int size = 1;
};

/// A call: what goes in, what has to come out, and the call itself.
struct Case {
  Buffer in;
  Buffer out;
  /// Whether the output is right. It computes what is expected anew: a copy would not fit into the
  /// memory of one process with many ranks.
  std::function<bool(const Buffer& out)> is_right;
  std::function<void(Buffer& in, Buffer& out)> call;
  bool in_place = false;  ///< whether `out` starts as a copy of `in`
};

/// Elements of each rank's block in a scatterv or gatherv; empty means that all blocks are equal.
using Counts = std::vector<int>;

/// Whether there is such a call. All operations but broadcast have elements of 8 bytes.
bool can_measure(const std::string& operation, long bytes, const Counts& counts = {});
/// @pre can_measure(operation, bytes, counts); counts are empty or one for each rank of `place`
Case make_case(const std::string& operation, const CommRank& place, long bytes, int root,
               const Counts& counts = {});

}  // namespace measure
