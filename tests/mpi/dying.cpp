// Collectives inside a program's attribute callbacks: while a communicator is freed, disconnected
// or duplicated, and in MPI_Finalize. Results are right, there and on communicators that come
// after; where the communicator is going away they are the MPI library's own on all ranks, whatever
// else hangs on it.
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

Failures failures;
int called = 0;
bool is_over = false;  // MPI_Finalize has begun

/// Native or planned, the sum of ranks + `more`.
void expect_sums(MPI_Comm comm, int calls, const std::string& where) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int more = 0; more < calls; ++more) {
    int mine = rank + more, sum = -1;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    const int right = size * (size - 1) / 2 + size * more;
    failures.expect(sum == right, where + ": a sum of " + std::to_string(sum) + " instead of " +
                                      std::to_string(right));
  }
}

int sums_in_delete(MPI_Comm comm, int /*keyval*/, void* /*value*/, void* /*state*/) {
  ++called;
  expect_sums(comm, 2, "in a delete function");
  if (!is_over && library_is_there()) {
    failures.expect(!last_was_planned(), "planned on a communicator that goes away");
  }
  return MPI_SUCCESS;
}

#if defined(OPEN_MPI)
void ignore_error(MPI_Comm* /*comm*/, int* /*code*/, ...) {}
MPI_Errhandler own_handler = MPI_ERRHANDLER_NULL;

/// MPICH's is away meanwhile: it may run out of communicators.
void expect_own_handler(MPI_Comm comm) {
  MPI_Errhandler found = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(comm, &found);
  failures.expect(found == own_handler, "another error handler in a copy function");
  MPI_Errhandler_free(&found);
}
#endif

int sums_in_copy(MPI_Comm comm, int /*keyval*/, void* /*state*/, void* value, void* copy,
                 int* flag) {
  ++called;
  expect_sums(comm, 2, "in a copy function");
#if defined(OPEN_MPI)
  expect_own_handler(comm);
#endif
  *static_cast<void**>(copy) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

/// Says no to the first attempt.
int refuses_once(MPI_Comm comm, int /*keyval*/, void* value, void* /*state*/) {
  ++called;
  expect_sums(comm, 1, "in a delete function that says no");
  int& refusals = *static_cast<int*>(value);
  return refusals-- > 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/// Frees the communicator that its value is, in which others are freed in turn.
int frees_another(MPI_Comm comm, int /*keyval*/, void* value, void* /*state*/) {
  ++called;
  auto* const inner = static_cast<MPI_Comm*>(value);
  expect_sums(*inner, 1, "on another communicator, in a delete function");
  MPI_Comm_free(inner);
  expect_sums(comm, 1, "in a delete function that frees");
  return MPI_SUCCESS;
}

int new_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove) {
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(copy, remove, &keyval, nullptr);
  return keyval;
}

/// Attributes that are set before and after ours, on some ranks one, on some the other; some
/// communicators were never used.
void free_and_use_again(int rounds, bool disconnects) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int keyval = new_keyval(MPI_COMM_NULL_COPY_FN, sums_in_delete);
  for (int round = 0; round < rounds; ++round) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, round % 2 == 0 ? rank : -rank, &comm);
    const bool is_first = (rank + round / 3) % 2 == 0;
    if (is_first) MPI_Comm_set_attr(comm, keyval, nullptr);
    if (round % 3 != 0) expect_sums(comm, 3, "before");
    if (!is_first) MPI_Comm_set_attr(comm, keyval, nullptr);
    if (disconnects) {
      MPI_Comm_disconnect(&comm);
    } else {
      MPI_Comm_free(&comm);
    }
    failures.expect(comm == MPI_COMM_NULL, "the handle is still there");
    // Of another order and length, by the same handle.
    MPI_Comm next = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &next);
    expect_sums(next, 3, "on the next communicator");
    MPI_Comm_free(&next);
  }
  failures.expect(called == rounds, "delete functions: " + std::to_string(called));
  called = 0;
  MPI_Comm_free_keyval(&keyval);
}

void free_twice() {
  int keyval = new_keyval(MPI_COMM_NULL_COPY_FN, refuses_once);
  int refusals = 1;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_attr(comm, keyval, &refusals);
  expect_sums(comm, 2, "before");
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // MPICH calls this one
  const int code = MPI_Comm_free(&comm);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (code != MPI_SUCCESS && comm != MPI_COMM_NULL) {
    expect_sums(comm, 3, "on a communicator that was not freed");
    if (library_is_there()) failures.expect(!last_was_planned(), "planned after that");
    MPI_Comm_free(&comm);
  }
  called = 0;
  MPI_Comm_free_keyval(&keyval);
}

void free_one_in_another(int depth) {
  int keyval = new_keyval(MPI_COMM_NULL_COPY_FN, frees_another);
  int last = new_keyval(MPI_COMM_NULL_COPY_FN, sums_in_delete);
  std::vector<MPI_Comm> comms(static_cast<std::size_t>(depth));
  for (std::size_t i = 0; i < comms.size(); ++i) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    if (i > 0) MPI_Comm_set_attr(comms[i], keyval, &comms[i - 1]);
    if (i % 2 == 0) expect_sums(comms[i], 2, "before");
    if (i == 0) MPI_Comm_set_attr(comms[i], last, nullptr);
  }
  MPI_Comm_free(&comms.back());
  failures.expect(called == depth, "delete functions in each other: " + std::to_string(called));
  called = 0;
  MPI_Comm_free_keyval(&keyval);
  MPI_Comm_free_keyval(&last);
}

void duplicate() {
  int keyval = new_keyval(sums_in_copy, sums_in_delete);
  MPI_Comm comm = MPI_COMM_NULL, copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
#if defined(OPEN_MPI)
  MPI_Comm_create_errhandler(ignore_error, &own_handler);
  MPI_Comm_set_errhandler(comm, own_handler);
#endif
  MPI_Comm_set_attr(comm, keyval, nullptr);
  for (int round = 0; round < 5; ++round) {
    MPI_Comm_dup(comm, &copy);
    expect_sums(copy, 2, "on the copy");
    MPI_Comm_free(&copy);
  }
  MPI_Comm_free(&comm);
  failures.expect(called == 11, "copy and delete functions: " + std::to_string(called));
  called = 0;
  MPI_Comm_free_keyval(&keyval);
}

int sums_at_the_end(MPI_Comm /*comm*/, int /*keyval*/, void* /*value*/, void* /*state*/) {
  expect_sums(MPI_COMM_WORLD, 3, "in MPI_Finalize");
  if (failures.everywhere() != 0) std::_Exit(1);
  return MPI_SUCCESS;
}

/// One rank frees a communicator twice, which MPICH finds. Its handle is used again.
void free_what_is_none() {
#if defined(MPICH)
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm comm = MPI_COMM_NULL, next = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm copy = comm;
  MPI_Comm_free(&comm);
  for (const MPI_Comm one : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    MPI_Comm_set_errhandler(one, MPI_ERRORS_RETURN);
  }
  if (rank == 0) {
    failures.expect(MPI_Comm_free(&copy) != MPI_SUCCESS, "a communicator is freed twice");
  }
  for (const MPI_Comm one : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    MPI_Comm_set_errhandler(one, MPI_ERRORS_ARE_FATAL);
  }
  MPI_Comm_dup(MPI_COMM_WORLD, &next);
  expect_sums(next, 3, "by the handle of what was freed twice");
  MPI_Comm_free(&next);
#endif
}

void run() {
  free_and_use_again(24, false);
  free_and_use_again(9, true);
  free_twice();
  free_one_in_another(3);
  free_one_in_another(12);
  duplicate();
  free_what_is_none();
  expect_sums(MPI_COMM_WORLD, 3, "on the world");
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  using namespace espalier::mpi_test;
  MPI_Init(&argc, &argv);
  // Before the first call, so that it is gone after what the library has there; and after.
  MPI_Comm_set_attr(MPI_COMM_SELF, new_keyval(MPI_COMM_NULL_COPY_FN, sums_at_the_end), nullptr);
  run();
  const int code = failures.exit_code();
  MPI_Comm_set_attr(MPI_COMM_SELF, new_keyval(MPI_COMM_NULL_COPY_FN, sums_at_the_end), nullptr);
  is_over = true;
  MPI_Finalize();
  return code;
}
