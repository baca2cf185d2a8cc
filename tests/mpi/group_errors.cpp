// System-ranked groups where errors return: what MPI or a rank refuses is refused on all, and
// closing after an error, freeing after closing, or closing after MPI_Finalize does no harm.
#include <dlfcn.h>
#include <espalier/group.h>

#include <array>
#include <espalier/group.hpp>
#include <optional>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

bool every_test_fails = false;

/// What one rank cannot read or take is refused on all; nothing is posted that MPI would write to.
void refuse_options(int me, Failures& failures) {
  const char* const here = "proc:16(5us)";
  const auto open = [](int degree, const char* machine) {
    espalier_groups* groups = nullptr;
    const int code = espalier_groups_open(MPI_COMM_WORLD, degree, machine, &groups);
    espalier_groups_close(&groups);
    return code;
  };
  failures.expect(open(0, me == 1 ? "/nowhere" : here) == MPI_ERR_ARG, "a file on all but one");
  failures.expect(open(0, me == 1 ? "proc:1(5us)" : here) == MPI_ERR_ARG, "places on all but one");
  failures.expect(open(me == 1 ? 255 : 3, here) == MPI_ERR_ARG, "a degree that one cannot have");
  failures.expect(open(me == 1 ? -1 : 3, here) == MPI_ERR_ARG, "a negative degree on one");
  failures.expect(open(3, here) == MPI_SUCCESS, "options after refusals");
}

/// Nothing is sent: the call after it finds all members in step.
void refuse_operations(espalier_group* all, int size, Failures& failures) {
  double value = 1;
  int count = 1;
  failures.expect(espalier_group_allreduce(all, &value, 1, MPI_DOUBLE, MPI_BAND) == MPI_ERR_ARG,
                  "bits of doubles");
  failures.expect(espalier_group_reduce(all, &value, 1, MPI_DOUBLE, MPI_MAXLOC, 0) == MPI_ERR_ARG,
                  "the place of a plain double");
  failures.expect(
      espalier_group_allreduce(all, &value, 1, MPI_DATATYPE_NULL, MPI_SUM) == MPI_ERR_ARG,
      "no type");
  failures.expect(espalier_group_reduce(all, &value, 1, MPI_DOUBLE, MPI_OP_NULL, 0) == MPI_ERR_ARG,
                  "no operation");
  failures.expect(espalier_group_allreduce(all, &count, 1, MPI_INT, MPI_SUM) == MPI_SUCCESS &&
                      count == size && value == 1,
                  "a sum after refusals");
}

espalier_groups* unequal = nullptr;  // rank 0 cannot close it: the others have given it up

/// The root notices nothing: its data are on their way.
void refuse_lengths(int me, Failures& failures) {
  std::array<double, 8> data{};
  espalier_groups_open(MPI_COMM_WORLD, 0, nullptr, &unequal);
  espalier_group* all = espalier_groups_all(unequal);
  const int code = espalier_group_broadcast(all, data.data(), me == 0 ? 4 : 8, MPI_DOUBLE, 0);
  failures.expect(code == (me == 0 ? MPI_SUCCESS : MPI_ERR_TRUNCATE), "lengths that differ");
  if (me != 0) {
    failures.expect(data == std::array<double, 8>{}, "data of another length");
    failures.expect(espalier_groups_close(&unequal) == MPI_SUCCESS, "close after other lengths");
  }
}

void free_after_close(Failures& failures) {
  espalier_groups* groups = nullptr;
  espalier_group* row = nullptr;
  espalier_group* freed = nullptr;
  espalier_groups_open(MPI_COMM_WORLD, 0, nullptr, &groups);
  espalier_group_split(espalier_groups_all(groups), 0, &row);
  espalier_group_split(espalier_groups_all(groups), 0, &freed);
  failures.expect(espalier_group_free(&freed) == MPI_SUCCESS, "free");
  failures.expect(espalier_groups_close(&groups) == MPI_SUCCESS, "close with a group left");
  failures.expect(espalier_group_size(row) == 0, "a size after close");
  failures.expect(espalier_group_barrier(row) == MPI_ERR_ARG, "a barrier after close");
  failures.expect(espalier_group_free(&row) == MPI_SUCCESS && row == nullptr, "free after close");
  failures.expect(espalier_groups_close(&groups) == MPI_SUCCESS, "close once more");
}

/// On all ranks at once, inside a sum of a row, or inside a split.
void close_after_an_error(bool splitting, Failures& failures) {
  espalier_groups* groups = nullptr;
  espalier_group* row = nullptr;
  espalier_group* below = nullptr;
  int one = 1;
  espalier_groups_open(MPI_COMM_WORLD, 0, nullptr, &groups);
  espalier_group_split(espalier_groups_all(groups), 0, &row);
  PMPI_Barrier(MPI_COMM_WORLD);
  every_test_fails = true;
  const int code = splitting ? espalier_group_split(row, 0, &below)
                             : espalier_group_allreduce(row, &one, 1, MPI_INT, MPI_SUM);
  failures.expect(code == MPI_ERR_OTHER, "an error of MPI inside a call");
  if (below != nullptr) {
    failures.expect(espalier_group_free(&below) == MPI_SUCCESS, "free what was not made");
  }
  failures.expect(espalier_group_free(&row) == MPI_SUCCESS, "free after an error");
  failures.expect(espalier_groups_close(&groups) == MPI_SUCCESS, "close after an error");
  every_test_fails = false;
}

/// A message that was handed to MPI, which then cannot tell whether it still reads it.
void keep_what_mpi_may_read(Failures& failures) {
  Groups groups(MPI_COMM_WORLD);
  const Group all = groups.all();
  const std::array<int, 3> data{1, 2, 3};
  PMPI_Barrier(MPI_COMM_WORLD);
  every_test_fails = true;
  all.send((all.rank() + 1) % all.size(), data);
  failures.expect(groups.error() == MPI_ERR_OTHER, "an error of MPI inside a send");
  failures.expect(groups.statistics().sends_under_way == 1, "a send whose memory stays");
  every_test_fails = false;
}

/// MPI fails while closing waits for a sum, of which the last member knows nothing.
void close_with_a_call_under_way(Failures& failures) {
  static std::array<int, 2> values{1, 1};  // MPI may still read it
  {
    Groups groups(MPI_COMM_WORLD);
    const Group row = groups.all().split(0);
    PMPI_Barrier(MPI_COMM_WORLD);
    if (row.rank() + 1 < row.size()) static_cast<void>(row.iallreduce(values, sum));
    failures.expect(groups.error() == MPI_SUCCESS, "no error before the groups are closed");
    every_test_fails = true;
  }
  every_test_fails = false;
}

std::optional<Groups> left;  // closed after MPI_Finalize

/// A sum that nobody waits for, of which the last member knows nothing.
void leave_open() {
  static std::array<int, 2> values{1, 1};
  left.emplace(MPI_COMM_WORLD);
  const Group all = left->all();
  if (all.rank() + 1 < all.size()) static_cast<void>(all.iallreduce(values, sum));
}

int run() {
  Failures failures;
  int size = 1, me = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  refuse_options(me, failures);
  espalier_groups* groups = nullptr;
  espalier_groups_open(MPI_COMM_WORLD, 0, nullptr, &groups);
  refuse_operations(espalier_groups_all(groups), size, failures);
  espalier_groups_close(&groups);
  refuse_lengths(me, failures);
  free_after_close(failures);
  close_after_an_error(false, failures);
  close_after_an_error(true, failures);
  keep_what_mpi_may_read(failures);
  close_with_a_call_under_way(failures);
  leave_open();
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

/// Stands before MPI's own.
extern "C" [[gnu::visibility("default")]] int PMPI_Test(MPI_Request* request, int* done,
                                                        MPI_Status* status) {
  using Test = int (*)(MPI_Request*, int*, MPI_Status*);
  static const auto real = reinterpret_cast<Test>(dlsym(RTLD_NEXT, "PMPI_Test"));
  return espalier::mpi_test::every_test_fails ? MPI_ERR_OTHER : real(request, done, status);
}

int main(int argc, char** argv) {
  const int code = espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
  espalier::mpi_test::left.reset();
  return code;
}
