// Thousands of communicators made, used and freed; how many the user can have before and after, and
// the user's attribute callbacks are never called by us.
//
//   communicators [--cases N] [--most M]
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

// Open MPI has millions: looking for the last one finds nothing, and each takes ten handovers
// between ranks, which on a busy machine take milliseconds each.
#ifdef OPEN_MPI
constexpr int kMost = 50;
#else
constexpr int kMost = 2500;
#endif

int copies = 0;
int copied(MPI_Comm, int, void*, void*, void*, int* flag) {
  ++copies;
  *flag = 0;
  return MPI_SUCCESS;
}

/// How many more communicators there can be, up to `most`.
int available(int most) {
  std::vector<MPI_Comm> made;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (MPI_Comm one = MPI_COMM_NULL; static_cast<int>(made.size()) < most;) {
    if (PMPI_Comm_dup(MPI_COMM_WORLD, &one) != MPI_SUCCESS) break;
    made.push_back(one);
  }
  for (MPI_Comm& one : made) PMPI_Comm_free(&one);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  return static_cast<int>(made.size());
}

/// An intercommunicator: native, and right.
void between_two_groups(int rank, Failures& failures) {
  MPI_Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
  const bool sends = rank == 0;
  MPI_Comm_split(MPI_COMM_WORLD, sends ? 0 : 1, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, sends ? 1 : 0, 5, &inter);
  int value = sends ? 42 : 0;
  MPI_Bcast(&value, 1, MPI_INT, sends ? MPI_ROOT : 0, inter);
  failures.expect(value == 42, "a broadcast between two groups");
  failures.expect(last_text() == "intercommunicator", "between two groups: " + last_text());
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

int run(int argc, char** argv) {
  Failures failures;
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int most = static_cast<int>(option(argc, argv, "--most", kMost));
  const std::uint64_t cases = option(argc, argv, "--cases", 2000);
  MPI_Barrier(MPI_COMM_WORLD);  // makes the world's hidden communicator
  const int before = available(most);
  const std::uint64_t hidden_before = espalier_query_count("hidden");
  for (std::uint64_t i = 0; i < cases; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, i % 3 == 0 ? rank % 2 : 0, i % 2 == 0 ? rank : -rank, &comm);
    int sum = 0, one = 1, part = 0;
    MPI_Comm_size(comm, &part);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    failures.expect(sum == part, "a sum of ones");
    failures.expect(part == 1 || last_was_planned(), "native: " + last_text());
    MPI_Comm_free(&comm);
  }
  const int after = available(most);
  failures.expect(before == after, std::to_string(before) + " communicators before, " +
                                       std::to_string(after) + " after");
  failures.expect(espalier_query_count("hidden") == hidden_before, "hidden ones are left");

  // More than we may hide at once: the rest is native, and all are right.
  std::vector<MPI_Comm> many(140);
  std::uint64_t planned = 0;
  for (MPI_Comm& comm : many) {
    MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &comm);
    int sum = 0, one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    failures.expect(sum == size, "a sum of ones");
    planned += last_was_planned() ? 1 : 0;
  }
  failures.expect(size == 1 || (planned > 0 && planned < many.size()),
                  "planned on " + std::to_string(planned) + " of 140 communicators");
  for (MPI_Comm& comm : many) MPI_Comm_free(&comm);
  failures.expect(espalier_query_count("hidden") == hidden_before, "hidden ones are left at last");

  if (size > 1) between_two_groups(rank, failures);

  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(copied, MPI_COMM_NULL_DELETE_FN, &keyval, nullptr);
  MPI_Comm with_attribute = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, rank, &with_attribute);
  MPI_Comm_set_attr(with_attribute, keyval, &copies);
  MPI_Barrier(with_attribute);
  failures.expect(copies == 0, "the user's copy callback was called");
  MPI_Comm_free(&with_attribute);
  if (rank == 0) std::printf("available before %d, after %d (of %d tried)\n", before, after, most);
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
