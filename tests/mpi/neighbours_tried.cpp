// Neighbourhood collectives without forced plans: whether they are planned depends on the machine,
// results never do. Everybody is a neighbour of everybody else, so that much crosses twice.
//
//   neighbours_tried --expect 0   never planned: no link is far
//   neighbours_tried --expect 1   planned from some call on, for good
//   neighbours_tried --expect 2   planned in some calls: native and planned ones are timed
//   neighbours_tried --grows 1    native while blocks are short, then planned; rank 0 alone frees
//                                 communicators of its own meanwhile
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

struct Ring {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, size = 1;
  std::vector<int> others;
};

Ring make(int repeated) {
  Ring made;
  MPI_Comm_rank(MPI_COMM_WORLD, &made.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &made.size);
  for (int i = 1; i < made.size; ++i) {
    const int other = (made.rank + i) % made.size;
    made.others.insert(made.others.end(), static_cast<std::size_t>(repeated), other);
  }
  const int degree = static_cast<int>(made.others.size());
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, degree, made.others.data(), MPI_UNWEIGHTED, degree,
                                 made.others.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made.comm);
  return made;
}

bool gathers(const Ring& on, int call, std::size_t ints) {
  const std::vector<int> sent(ints, 1000 * on.rank + call);
  std::vector<int> got(on.others.size() * ints, -1);
  const int count = static_cast<int>(ints);
  MPI_Neighbor_allgather(sent.data(), count, MPI_INT, got.data(), count, MPI_INT, on.comm);
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] != 1000 * on.others[i / ints] + call) return false;
  }
  return true;
}

bool exchanges(const Ring& on, int call) {
  std::vector<int> sent, got(on.others.size(), -1);
  for (const int other : on.others) sent.push_back(1000 * on.rank + 10 * other + call);
  MPI_Neighbor_alltoall(sent.data(), 1, MPI_INT, got.data(), 1, MPI_INT, on.comm);
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (got[i] != 1000 * on.others[i] + 10 * on.rank + call) return false;
  }
  return true;
}

/// More neighbours than ranks tell each other.
void check_bound(Failures& failures) {
  Ring many = make(1400);
  for (int call = 0; call < 2; ++call) {
    failures.expect(gathers(many, call, 1), "wrong data beyond the bound");
    failures.expect(!last_was_planned(), "planned beyond the bound");
  }
  MPI_Comm_free(&many.comm);
}

/// What rank 0 frees makes it ask anew what is native for good, and it alone.
void free_one_of_rank_0(int rank) {
  if (rank != 0) return;
  MPI_Comm own = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &own);
  MPI_Barrier(own);
  MPI_Comm_free(&own);
}

/// Ranks in a row, of which each gets blocks from the ranks beside it.
bool gathers_in_row(const Ring& row, int call, std::size_t ints) {
  const std::vector<int> sent(ints, 1000 * row.rank + call);
  std::vector<int> got(2 * ints, -1);
  const int count = static_cast<int>(ints);
  MPI_Neighbor_allgather(sent.data(), count, MPI_INT, got.data(), count, MPI_INT, row.comm);
  const int below = row.rank > 0 ? 1000 * (row.rank - 1) + call : -1;
  const int above = row.rank + 1 < row.size ? 1000 * (row.rank + 1) + call : -1;
  return got.front() == below && got[ints - 1] == below && got[ints] == above &&
         got.back() == above;
}

/// One edge crosses: short blocks gain nothing, long ones need no handshake.
int run_growing() {
  constexpr int kMostCalls = 20000;
  Failures failures;
  Ring row;
  MPI_Comm_rank(MPI_COMM_WORLD, &row.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &row.size);
  const int ends = 0;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &row.size, &ends, 0, &row.comm);
  bool is_planned = false;
  for (int call = 0; call < 60; ++call) {
    free_one_of_rank_0(row.rank);
    failures.expect(gathers_in_row(row, call, 1), "wrong data of short blocks");
    is_planned |= last_was_planned();
  }
  failures.expect(!is_planned, "short blocks were planned");
  // How soon ranks agree on the new length depends on how long they wait for each other.
  is_planned = false;
  for (int call = 0; call < kMostCalls && !is_planned; ++call) {
    failures.expect(gathers_in_row(row, call % 1000, 65536), "wrong data of long blocks");
    is_planned = last_was_planned();
  }
  failures.expect(is_planned, "long blocks were never planned: " + last_text());
  MPI_Comm_free(&row.comm);
  return failures.exit_code();
}

int run_tried(int argc, char** argv) {
  if (option(argc, argv, "--grows", 0) != 0) return run_growing();
  const std::uint64_t expected = option(argc, argv, "--expect", 0);
  Failures failures;
  Ring on = make(1);
  int planned = 0, last = 0;
  for (int call = 0; call < 300; ++call) {
    failures.expect(gathers(on, call, 4096), "wrong data of an allgather");
    last = last_was_planned() ? 1 : 0;
    planned += last;
    if (call % 3 == 0) failures.expect(exchanges(on, call), "wrong data of an alltoall");
  }
  const std::string found = std::to_string(planned) + " of 300 calls were planned: " + last_text();
  if (expected == 0) failures.expect(planned == 0, found);
  if (expected == 1) failures.expect(last == 1 && planned >= 290, found);
  if (expected == 2) failures.expect(planned > 0, found);
  if (expected == 1) check_bound(failures);
  MPI_Comm_free(&on.comm);
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run_tried);
}
