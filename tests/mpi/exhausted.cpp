// All communicators belong to the program: it gets as many as without the library, also if some are
// hidden behind its own by then; and where there is none left for us, calls are the MPI library's.
//
//   exhausted [--most N]   as many as MPI has, but no more than N (Open MPI has 65,531)
//
// Most of them are duplicates of MPI_COMM_SELF that stay: for those nobody waits for anybody.
#include <algorithm>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

void expect_sum(MPI_Comm comm, Failures& failures, const char* when) {
  int size = 0, one = 1, sum = 0;
  MPI_Comm_size(comm, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  failures.expect(sum == size, std::string("a wrong sum ") + when);
}

/// Past the library. Errors are returned meanwhile.
std::vector<MPI_Comm> all_there_are(std::size_t most) {
  std::vector<MPI_Comm> made;
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (MPI_Comm one = MPI_COMM_NULL; made.size() < most; made.push_back(one)) {
    if (PMPI_Comm_dup(MPI_COMM_WORLD, &one) != MPI_SUCCESS) break;
    PMPI_Comm_set_errhandler(one, MPI_ERRORS_ARE_FATAL);
  }
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  return made;
}

void free_all(std::vector<MPI_Comm>& comms) {
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  comms.clear();
}

/// The first call on a communicator when all others are taken.
void hide_where_none_is_left(std::size_t most, Failures& failures) {
  std::vector<MPI_Comm> comms = all_there_are(most);
  for (int i = 0; i < 3; ++i) {
    expect_sum(comms.back(), failures, "on the last communicator");
    expect_sum(comms.front(), failures, "on the first one of all");
  }
  free_all(comms);
}

/// As many communicators as there are, each used at once, while errors are fatal.
void make_all(std::size_t most, Failures& failures) {
  std::vector<MPI_Comm> comms(most);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (std::size_t i = 0; i < comms.size(); ++i) {
    if (i % 2 == 0) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    } else {
      MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comms[i]);
    }
    if (i < 200 || i + 20 > most) expect_sum(comms[i], failures, "on a new communicator");
  }
  for (std::size_t i = 0; i < comms.size(); i += 40) {
    expect_sum(comms[i], failures, "when all are there");
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_get_errhandler(comms[i], &handler);
    failures.expect(handler == MPI_ERRORS_ARE_FATAL, "another error handler than the parent's");
    MPI_Errhandler_free(&handler);
  }
  free_all(comms);
  for (int i = 0; i < 3; ++i) expect_sum(MPI_COMM_WORLD, failures, "at last");
}

/// Some ranks run out of communicators among themselves, while one of all ranks has a hidden one
/// behind it. That one stays: the other ranks know of nothing.
void some_run_short(std::size_t most, Failures& failures) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm all = MPI_COMM_NULL, some = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : MPI_UNDEFINED, rank, &some);
  for (int i = 0; i < 3; ++i) expect_sum(all, failures, "before some run short");
  if (some != MPI_COMM_NULL) {
    MPI_Comm_set_errhandler(some, MPI_ERRORS_RETURN);
    std::vector<MPI_Comm> comms;
    for (MPI_Comm one = MPI_COMM_NULL; comms.size() < most; comms.push_back(one)) {
      if (MPI_Comm_dup(some, &one) != MPI_SUCCESS) break;
    }
    free_all(comms);
  }
  for (int i = 0; i < 3; ++i) expect_sum(all, failures, "after some ran short");
  if (some != MPI_COMM_NULL) MPI_Comm_free(&some);
  MPI_Comm_free(&all);
}

/// Takes communicators of this rank alone until no more than `left` of MPICH's 2,048 are left.
std::vector<MPI_Comm> ballast(std::size_t left) {
  constexpr std::size_t kOfMpich = 2048;
  std::vector<MPI_Comm> made(kOfMpich - std::min(left, kOfMpich));
  for (MPI_Comm& one : made) MPI_Comm_dup(MPI_COMM_SELF, &one);
  return made;
}

int run(int argc, char** argv) {
  Failures failures;
  const std::size_t asked = option(argc, argv, "--most", 400);
  std::vector<MPI_Comm> taken = ballast(asked);
  std::vector<MPI_Comm> first = all_there_are(asked);
  const std::size_t most = first.size();
  free_all(first);
  some_run_short(most, failures);  // first: whoever ran short takes no hidden ones any more
  hide_where_none_is_left(most, failures);
  make_all(most, failures);
  free_all(taken);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::printf("%zu communicators\n", most);
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
