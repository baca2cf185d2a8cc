// Error handlers of a program that leave by an exception, or by longjmp(): what they throw arrives
// where the program catches it, whoever found the error. Afterwards everything goes on as before.
#include <array>
#include <csetjmp>
#include <functional>
#include <stdexcept>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

/// What a library of the program's might throw.
class MpiError : public std::runtime_error {
 public:
  explicit MpiError(int code) : std::runtime_error("MPI said no"), code_(code) {}
  [[nodiscard]] int error_class() const {
    int found = 0;
    MPI_Error_class(code_, &found);
    return found;
  }

 private:
  int code_;
};

bool jumps = false;
int times_called = 0;
int code_told = MPI_SUCCESS;
std::jmp_buf there;

void leave(MPI_Comm* /*comm*/, int* code, ...) {
  ++times_called;
  code_told = *code;
  if (jumps) std::longjmp(there, 1);
  throw MpiError(*code);
}

struct Wrong {
  const char* name;
  int error_class;  ///< 0: any
  std::function<void()> call;
};

/// Nothing here has a destructor: a jump goes over it.
bool jumps_out(const Wrong& one) {
  if (setjmp(there) != 0) return true;
  one.call();
  return false;
}

void expect_thrown(const Wrong& one, Failures& failures) {
  bool has_left = false;
  int found = 0;
  times_called = 0;
  if (jumps) {
    has_left = jumps_out(one);
    MPI_Error_class(code_told, &found);
  } else {
    try {
      one.call();
    } catch (const MpiError& error) {
      has_left = true;
      found = error.error_class();
    }
  }
  failures.expect(has_left, std::string(one.name) + ": nothing was thrown");
  failures.expect(times_called == 1, std::string(one.name) + ": the handler was called " +
                                         std::to_string(times_called) + " times");
  failures.expect(one.error_class == 0 || one.error_class == found,
                  std::string(one.name) + ": an error of class " + std::to_string(found));
}

std::array<int, 64> from{}, to{};

/// Found by each rank alone, before any message.
std::vector<Wrong> wrong_everywhere(MPI_Comm comm) {
  int* const in = from.data();
  int* const out = to.data();
  return {
      {"bcast", MPI_ERR_ROOT, [=] { MPI_Bcast(out, 1, MPI_INT, -7, comm); }},
      {"bcast of a negative count", MPI_ERR_COUNT, [=] { MPI_Bcast(out, -1, MPI_INT, 0, comm); }},
      {"reduce", MPI_ERR_ROOT, [=] { MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, 99, comm); }},
      {"allreduce", MPI_ERR_OP, [=] { MPI_Allreduce(in, out, 1, MPI_INT, MPI_OP_NULL, comm); }},
      {"gather", MPI_ERR_ROOT, [=] { MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, -7, comm); }},
      {"scatter", MPI_ERR_ROOT, [=] { MPI_Scatter(in, 1, MPI_INT, out, 1, MPI_INT, -7, comm); }},
      {"allgather", MPI_ERR_COUNT, [=] { MPI_Allgather(in, -1, MPI_INT, out, -1, MPI_INT, comm); }},
      {"alltoall", MPI_ERR_COUNT, [=] { MPI_Alltoall(in, -1, MPI_INT, out, -1, MPI_INT, comm); }},
      {"scan", MPI_ERR_OP, [=] { MPI_Scan(in, out, 1, MPI_INT, MPI_OP_NULL, comm); }},
      {"exscan", MPI_ERR_OP, [=] { MPI_Exscan(in, out, 1, MPI_INT, MPI_OP_NULL, comm); }},
      {"reduce_scatter_block", MPI_ERR_OP,
       [=] { MPI_Reduce_scatter_block(in, out, 1, MPI_INT, MPI_OP_NULL, comm); }},
      {"gatherv", MPI_ERR_ROOT,
       [=] { MPI_Gatherv(in, 1, MPI_INT, out, in, in, MPI_INT, -7, comm); }},
      {"allgatherv", MPI_ERR_TYPE,
       [=] { MPI_Allgatherv(in, 1, MPI_INT, out, in, in, MPI_DATATYPE_NULL, comm); }},
      {"barrier", MPI_ERR_COMM, [] { MPI_Barrier(MPI_COMM_NULL); }},
      {"ibcast", MPI_ERR_ROOT,
       [=] {
         MPI_Request request = MPI_REQUEST_NULL;
         MPI_Ibcast(out, 1, MPI_INT, -7, comm, &request);
       }},
      {"send", 0, [=] { MPI_Send(in, 1, MPI_INT, 99, 0, comm); }},
      {"recv", 0, [=] { MPI_Recv(out, 1, MPI_INT, 99, 0, comm, MPI_STATUS_IGNORE); }},
      {"comm_free", MPI_ERR_COMM,
       [] {
         MPI_Comm none = MPI_COMM_NULL;
         MPI_Comm_free(&none);
       }},
      {"comm_disconnect", MPI_ERR_COMM,
       [] {
         MPI_Comm none = MPI_COMM_NULL;
         MPI_Comm_disconnect(&none);
       }},
      {"comm_set_info", 0, [] { MPI_Comm_set_info(MPI_COMM_NULL, MPI_INFO_NULL); }},
      {"comm_dup_with_info", MPI_ERR_COMM,
       [] {
         MPI_Comm made = MPI_COMM_NULL;
         MPI_Comm_dup_with_info(MPI_COMM_NULL, MPI_INFO_NULL, &made);
       }},
      {"cart_create", 0,
       [=] {
         const int dims = 99, periods = 0;
         MPI_Comm made = MPI_COMM_NULL;
         MPI_Cart_create(comm, 1, &dims, &periods, 1, &made);
       }},
      {"graph_create", 0,
       [=] {
         const int index = 0, edges = 0;
         MPI_Comm made = MPI_COMM_NULL;
         MPI_Graph_create(comm, 99, &index, &edges, 1, &made);
       }},
  };
}

int refuses(MPI_Comm /*comm*/, int /*keyval*/, void* value, void* /*state*/) {
  return --*static_cast<int*>(value) >= 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

void expect_sum(MPI_Comm comm, Failures& failures, const char* when) {
  int size = 0, one = 1, sum = 0;
  MPI_Comm_size(comm, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  failures.expect(sum == size, std::string("a wrong sum ") + when);
}

/// MPI_Comm_free is left in the middle; the communicator is still there, and used as before.
void free_that_fails(MPI_Errhandler handler, Failures& failures) {
  int keyval = MPI_KEYVAL_INVALID, refusals = 1;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuses, &keyval, nullptr);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Comm_set_attr(comm, keyval, &refusals);
  expect_sum(comm, failures, "before");
  expect_thrown({"comm_free that a delete function refuses", 0, [&] { MPI_Comm_free(&comm); }},
                failures);
  for (int i = 0; i < 3; ++i) expect_sum(comm, failures, "after it was not freed");
  MPI_Comm_free(&comm);
  MPI_Comm_free_keyval(&keyval);
}

#if defined(MPICH)  // others do not find it
void use_what_is_gone() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &comm);
  MPI_Comm gone = comm;
  MPI_Comm_free(&comm);
  MPI_Barrier(gone);
}
#endif

/// Found in a planned call, once all is over: the root has less room than the others send.
void planned_that_fails(MPI_Comm comm, Failures& failures) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  const auto gather = [&] {
    MPI_Gather(from.data(), 4, MPI_INT, to.data(), rank == 0 ? 2 : 4, MPI_INT, 0, comm);
  };
  if (rank == 0) {
    expect_thrown({"gather into too little", MPI_ERR_TRUNCATE, gather}, failures);
  } else {
    gather();
  }
}

void run(Failures& failures) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(leave, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);  // MPI 4's, where there is no communicator
  for (int round = 0; round < 2; ++round) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (const bool by_jump : {false, true}) {
      jumps = by_jump;
      for (const Wrong& one : wrong_everywhere(comm)) {
        expect_thrown(one, failures);
        expect_sum(comm, failures, one.name);
      }
      free_that_fails(handler, failures);
      if (!by_jump && library_is_there()) planned_that_fails(comm, failures);
    }
    MPI_Comm_free(&comm);
  }
#if defined(MPICH)  // last: MPICH need not go on after that
  for (const bool by_jump : {false, true}) {
    jumps = by_jump;
    expect_thrown({"a communicator that is gone", MPI_ERR_COMM, use_what_is_gone}, failures);
  }
#endif
  MPI_Errhandler_free(&handler);
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, [] {
    espalier::mpi_test::Failures failures;
    espalier::mpi_test::run(failures);
    return failures.exit_code();
  });
}
