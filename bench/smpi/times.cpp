// Simulated times of collectives under SMPI, of our runtime (which is inside) or, with
// ESPALIER_DISABLE=1, of the algorithms that SMPI has:
//
//   smpi_times [--roots N | --every N] OPERATION:BYTES...
//
// One line a call, by rank 0, as soon as it is measured:
//   operation,bytes,microseconds,right,planned,plan
// A mean over the roots: N of them, evenly spread, or every Nth (usually all). Ranks begin at the
// same moment; a call has ended when the last rank has. `right`: whether all data were right, on
// all ranks; `planned`: how many of its calls ran along a plan; `plan`: that of the last one.
#include <simgrid/actor.h>
#include <smpi/smpi.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "../mpi/measure/cases.hpp"
#include "mpi/harness.hpp"

namespace {

using measure::Case;
using measure::CommRank;

constexpr int kTag = 7;

/// Not by a collective: those are what is measured, and some that SMPI has are wrong.
double largest(double mine, const CommRank& place) {
  const auto receive = [](int from) {
    double theirs = 0;
    PMPI_Recv(&theirs, 1, MPI_DOUBLE, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return theirs;
  };
  if (place.rank != 0) {
    PMPI_Send(&mine, 1, MPI_DOUBLE, 0, kTag, MPI_COMM_WORLD);
    return receive(0);
  }
  for (int r = 1; r < place.size; ++r) mine = std::max(mine, receive(r));
  for (int r = 1; r < place.size; ++r) PMPI_Send(&mine, 1, MPI_DOUBLE, r, kTag, MPI_COMM_WORLD);
  return mine;
}

/// A moment that is still to come for everybody; returns when it is there. Not a nanosecond apart:
/// flows that begin and end together are also much faster to simulate.
double begin_together(const CommRank& place) {
  const double moment = std::ceil(largest(MPI_Wtime(), place)) + 1;
  sg_actor_sleep_for(moment - MPI_Wtime());
  return moment;
}

void prepare(Case& c) {
  if (c.in_place) {
    c.out = c.in;
  } else {
    std::fill(c.out.begin(), c.out.end(), -1);
  }
}

void measure_call(const std::string& operation, long bytes, const std::set<int>& roots,
                  const CommRank& place) {
  double total = 0;
  double wrong = 0;
  int planned = 0;
  bool warm = false;
  for (const int root : roots) {
    Case c = make_case(operation, place, bytes, root);
    if (!warm) {  // some algorithms set themselves up in their first call
      prepare(c);
      begin_together(place);
      c.call(c.in, c.out);
      warm = true;
    }
    prepare(c);
    const double begin = begin_together(place);
    c.call(c.in, c.out);
    const double end = MPI_Wtime();
    if (espalier::mpi_test::last_was_planned()) ++planned;
    total += largest(end, place) - begin;
    wrong = std::max(wrong, largest(c.is_right(c.out) ? 0 : 1, place));
  }
  if (place.rank != 0) return;
  std::printf("%s,%ld,%.3f,%d,%d of %d,%s\n", operation.c_str(), bytes,
              total / static_cast<double>(roots.size()) * 1e6, wrong == 0 ? 1 : 0, planned,
              static_cast<int>(roots.size()), espalier::mpi_test::last_text().c_str());
  std::fflush(stdout);
}

bool has_root(const std::string& operation) {
  return operation == "broadcast" || operation == "reduce" || operation == "gather" ||
         operation == "scatter";
}

/// @return 0, or 2 for what is no call
int measure_all(int argc, char** argv, const CommRank& place) {
  const auto every = static_cast<int>(espalier::mpi_test::option(argc, argv, "--every", 1));
  const auto few = static_cast<int>(espalier::mpi_test::option(argc, argv, "--roots", 0));
  std::set<int> roots;
  for (int r = 0; few == 0 && r < place.size; r += std::max(1, every)) roots.insert(r);
  for (int k = 0; k < few; ++k) roots.insert(static_cast<int>(1L * k * place.size / few));
  for (int i = 1; i < argc; ++i) {
    const std::string call = argv[i];
    const std::size_t colon = call.find(':');
    if (call.rfind("--", 0) == 0) {
      ++i;
      continue;
    }
    const std::string operation = call.substr(0, colon);
    const long bytes = colon == std::string::npos ? 0 : std::atol(call.c_str() + colon + 1);
    if (!measure::can_measure(operation, bytes)) return 2;
    measure_call(operation, bytes, has_root(operation) ? roots : std::set<int>{0}, place);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  CommRank place;
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place.size);
  const int code = measure_all(argc, argv, place);
  MPI_Finalize();
  return code;
}
