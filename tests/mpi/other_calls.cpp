// Calls that are not the plain blocking ones on an intracommunicator: large counts run along plans,
// non-blocking and persistent calls are counted and native, so are communicators
// that were switched off, intercommunicators and spawned processes. All give right results.
#include <array>
#include <cstring>
#include <vector>

#include "mpi/harness.hpp"
#ifdef OPEN_MPI
#include <mpi-ext.h>  // persistent collectives have a name of their own there
#endif

namespace espalier::mpi_test {
namespace {

struct Before {
  std::uint64_t planned = espalier_query_count("planned");
  std::uint64_t native = espalier_query_count("native");
};

void expect_calls(Failures& failures, const Before& before, std::uint64_t planned,
                  std::uint64_t native, const std::string& what) {
  const Before now;
  failures.expect(now.planned - before.planned == planned && now.native - before.native == native,
                  what + ": planned " + std::to_string(now.planned - before.planned) + ", native " +
                      std::to_string(now.native - before.native));
}

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// MPICH's MPI_Pack takes no null pointer, and MPI_BOTTOM is one.
void from_absolute_addresses(Failures& failures) {
  std::array<int, 10> data{};
  data.fill(rank_of(MPI_COMM_WORLD) == 0 ? 17 : -1);
  std::array<MPI_Aint, 2> at{};
  MPI_Get_address(data.data(), at.data());
  MPI_Get_address(data.data() + 4, &at[1]);
  const std::array<int, 2> lengths{2, 6};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hindexed(2, lengths.data(), at.data(), MPI_INT, &type);
  MPI_Type_commit(&type);
  const Before before;
  const int code = MPI_Bcast(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD);
  expect_calls(failures, before, 1, 0, "broadcast from MPI_BOTTOM");
  MPI_Type_free(&type);
  failures.expect(code == MPI_SUCCESS, "broadcast from MPI_BOTTOM: code");
  for (const std::size_t i : {0U, 1U, 4U, 9U}) {
    failures.expect(data.at(i) == 17, "broadcast from MPI_BOTTOM: data");
  }
}

#if MPI_VERSION >= 4
/// Ranks may describe one message by different counts and types.
void large_counts(Failures& failures) {
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  MPI_Datatype eight = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(8, MPI_BYTE, &eight);
  MPI_Type_commit(&eight);
  double value = rank == 0 ? 1.5 : 0;
  Before before;
  if (rank == 0) {
    MPI_Bcast_c(&value, 8, MPI_BYTE, 0, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  } else {
    MPI_Bcast_c(&value, 1, eight, 0, MPI_COMM_WORLD);
  }
  expect_calls(failures, before, 1, 0, "MPI_Bcast_c");
  failures.expect(value == 1.5, "MPI_Bcast_c: data");
  MPI_Type_free(&eight);
  std::vector<int> ones(1000, 1), sums(1000, -1);
  before = {};
  MPI_Allreduce_c(ones.data(), sums.data(), 1000, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Reduce_c(ones.data(), sums.data(), 1000, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  expect_calls(failures, before, 2, 0, "MPI_Allreduce_c, MPI_Reduce_c");
  if (rank == 0) failures.expect(sums.front() == size && sums.back() == size, "MPI_Allreduce_c");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  failures.expect(MPI_Bcast_c(&value, -5, MPI_BYTE, 0, MPI_COMM_WORLD) != MPI_SUCCESS,
                  "MPI_Bcast_c of a negative count is refused");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}
#endif

void native_forms(Failures& failures) {
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  int value = rank == 0 ? 42 : 0, sum = 0;
  const int one = 1;
  MPI_Request request = MPI_REQUEST_NULL;
  Before before;
  MPI_Ibcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_calls(failures, before, 0, 2, "non-blocking");
  failures.expect(value == 42 && sum == size, "non-blocking: data");
  failures.expect(espalier_query_count("native.MPI_Ibcast") == 1, "counted by its name");

  before = {};
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION < 5
  MPIX_Bcast_init(&value, 1, MPI_INT, size - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
#else
  MPI_Bcast_init(&value, 1, MPI_INT, size - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
#endif
  for (int i = 0; i < 3; ++i) {
    value = rank == size - 1 ? i : -1;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    failures.expect(value == i, "persistent: data");
  }
  MPI_Request_free(&request);
  expect_calls(failures, before, 0, 1, "persistent");

  MPI_Comm ring = MPI_COMM_NULL;
  const int periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
  std::array<int, 2> neighbours{-1, -1};
  before = {};
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, neighbours.data(), 1, MPI_INT, ring);
  expect_calls(failures, before, 1, 0, "neighbourhood");
  MPI_Ineighbor_allgather(&rank, 1, MPI_INT, neighbours.data(), 1, MPI_INT, ring, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  expect_calls(failures, before, 1, 1, "neighbourhood, non-blocking");
  failures.expect(neighbours[0] == (rank + size - 1) % size && neighbours[1] == (rank + 1) % size,
                  "neighbourhood: data");
  MPI_Comm_free(&ring);
}

MPI_Info info_saying(const char* value) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  if (value != nullptr) MPI_Info_set(info, "espalier", value);
  return info;
}

void expect_switch(Failures& failures, MPI_Comm comm, bool on, const std::string& what) {
  const Before before;
  int sum = 0;
  const int one = 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  failures.expect(sum == size_of(comm), what + ": data");
  expect_calls(failures, before, on ? 1 : 0, on ? 0 : 1, what);
  if (!on) failures.expect(last_text() == "switched off by its info", what + ": " + last_text());
}

void switches(Failures& failures) {
  const int rank = rank_of(MPI_COMM_WORLD);
  MPI_Comm comm = MPI_COMM_NULL, copy = MPI_COMM_NULL;
  MPI_Info off = info_saying("off"), on = info_saying("on"), nothing = info_saying(nullptr);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, off, &comm);
  expect_switch(failures, comm, false, "dup_with_info off");
  MPI_Comm_dup(comm, &copy);
  expect_switch(failures, copy, false, "a copy of one that is off");
  MPI_Comm_set_info(copy, nothing);
  expect_switch(failures, copy, false, "info without a word about it");
  MPI_Comm_set_info(copy, on);
  expect_switch(failures, copy, true, "on again");
  expect_switch(failures, comm, false, "the other is off still");
  // One rank's word is enough, and splits nobody.
  MPI_Comm_set_info(copy, rank == 1 ? off : nothing);
  expect_switch(failures, copy, false, "off on one rank");
  MPI_Comm_free(&copy);
  MPI_Comm_dup_with_info(comm, nothing, &copy);
  expect_switch(failures, copy, true, "a copy with an info of its own");
  MPI_Comm_free(&copy);
  MPI_Comm_free(&comm);
  for (MPI_Info* info : {&off, &on, &nothing}) MPI_Info_free(info);
}

void between_groups(Failures& failures) {
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  MPI_Comm half = MPI_COMM_NULL, inter = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &inter);
  int one = 1, sum = 0;
  const Before before;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, inter);
  expect_calls(failures, before, 0, 1, "intercommunicator");
  failures.expect(sum == (rank % 2 == 0 ? size / 2 : (size + 1) / 2), "intercommunicator: data");
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

/// Parents and children on one communicator, which not all of them know the machine of.
void with_others(Failures& failures, MPI_Comm inter, bool are_children) {
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Intercomm_merge(inter, are_children ? 1 : 0, &all);
  int one = 1, sum = 0;
  const Before before;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
  MPI_Info off = info_saying(are_children ? "off" : nullptr);
  MPI_Comm_set_info(all, off);
  MPI_Info_free(&off);
  MPI_Barrier(all);
  expect_calls(failures, before, 0, 2, "processes outside the world");
  failures.expect(sum == size_of(all), "processes outside the world: data");
  failures.expect(last_text() == "processes outside MPI_COMM_WORLD", last_text());
  MPI_Comm_free(&all);
}

void spawned(Failures& failures, const char* program) {
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm_spawn(program, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                 MPI_ERRCODES_IGNORE);
  with_others(failures, inter, false);
  MPI_Comm_disconnect(&inter);
}

int child(MPI_Comm parent) {
  Failures failures;
  if (library_is_there()) {
    const Before before;
    MPI_Barrier(MPI_COMM_WORLD);
    expect_calls(failures, before, 1, 0, "a spawned world has plans of its own");
  }
  with_others(failures, parent, true);
  MPI_Comm_disconnect(&parent);
  return failures.exit_code();
}

int run(char** argv) {
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) return child(parent);
  Failures failures;
  from_absolute_addresses(failures);
#if MPI_VERSION >= 4
  large_counts(failures);
#endif
  native_forms(failures);
  switches(failures);
  between_groups(failures);
  if (argv[1] != nullptr && std::strcmp(argv[1], "spawn") == 0) spawned(failures, argv[0]);
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(
      argc, argv, [](int, char** words) { return espalier::mpi_test::run(words); });
}
