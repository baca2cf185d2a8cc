// Large-count functions as programs call them that are built for any MPI: by weak symbols, which
// are there if some library defines them. The preloaded one does, so they must work also under an
// MPI that has none.
#include <array>
#include <numeric>
#include <vector>

#include "mpi/harness.hpp"

extern "C" {
#pragma weak MPI_Bcast_c
#pragma weak MPI_Allreduce_c
#pragma weak MPI_Gather_c
#pragma weak MPI_Gatherv_c
#pragma weak MPI_Scatterv_c
#pragma weak MPI_Allgatherv_c
#pragma weak MPI_Alltoallv_c
#pragma weak MPI_Reduce_scatter_c
#pragma weak MPI_Iallgatherv_c
#pragma weak MPI_Ibcast_c
#pragma weak MPI_Neighbor_alltoallv_c
#pragma weak MPI_Neighbor_alltoallw_c
#pragma weak MPI_Bcast_init
#ifdef OPEN_MPI
int MPI_Bcast_c(void*, MPI_Count, MPI_Datatype, int, MPI_Comm);
int MPI_Allreduce_c(const void*, void*, MPI_Count, MPI_Datatype, MPI_Op, MPI_Comm);
int MPI_Gather_c(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count, MPI_Datatype, int,
                 MPI_Comm);
int MPI_Gatherv_c(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count[], const MPI_Aint[],
                  MPI_Datatype, int, MPI_Comm);
int MPI_Scatterv_c(const void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void*, MPI_Count,
                   MPI_Datatype, int, MPI_Comm);
int MPI_Allgatherv_c(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count[],
                     const MPI_Aint[], MPI_Datatype, MPI_Comm);
int MPI_Alltoallv_c(const void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void*,
                    const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm);
int MPI_Reduce_scatter_c(const void*, void*, const MPI_Count[], MPI_Datatype, MPI_Op, MPI_Comm);
int MPI_Iallgatherv_c(const void*, MPI_Count, MPI_Datatype, void*, const MPI_Count[],
                      const MPI_Aint[], MPI_Datatype, MPI_Comm, MPI_Request*);
int MPI_Ibcast_c(void*, MPI_Count, MPI_Datatype, int, MPI_Comm, MPI_Request*);
int MPI_Neighbor_alltoallv_c(const void*, const MPI_Count[], const MPI_Aint[], MPI_Datatype, void*,
                             const MPI_Count[], const MPI_Aint[], MPI_Datatype, MPI_Comm);
int MPI_Neighbor_alltoallw_c(const void*, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[],
                             void*, const MPI_Count[], const MPI_Aint[], const MPI_Datatype[],
                             MPI_Comm);
#if OMPI_MAJOR_VERSION < 5
int MPI_Bcast_init(void*, int, MPI_Datatype, int, MPI_Comm, MPI_Info, MPI_Request*);
#endif
#endif
}

namespace espalier::mpi_test {
namespace {

/// Where an argument is not significant, any value may stand.
template <typename Value>
const Value* garbage() {
  return reinterpret_cast<const Value*>(std::intptr_t{8});
}
constexpr MPI_Count kTooMany = MPI_Count{1} << 40;

struct Test {
  Failures failures;
  int me = 0, size = 1;
  MPI_Comm world = MPI_COMM_WORLD;
  std::vector<MPI_Count> counts;
  std::vector<MPI_Aint> displacements;

  Test() {
    MPI_Comm_rank(world, &me);
    MPI_Comm_size(world, &size);
    for (int r = 0; r < size; ++r) {
      counts.push_back(r + 1);
      displacements.push_back(r * (r + 1) / 2);
    }
  }
  [[nodiscard]] int all() const { return size * (size + 1) / 2; }
  /// Rank r has r + 1 elements of value r.
  void expect_gathered(const std::vector<int>& data, const char* what) {
    std::vector<int> wanted;
    for (int r = 0; r < size; ++r) wanted.insert(wanted.end(), static_cast<std::size_t>(r) + 1, r);
    failures.expect(data == wanted, what);
  }

  void regular() {
    int value = me == size - 1 ? 7 : 0, sum = 0;
    MPI_Bcast_c(&value, 1, MPI_INT, size - 1, world);
    failures.expect(value == 7, "Bcast_c");
    MPI_Allreduce_c(&me, &sum, 1, MPI_INT, MPI_SUM, world);
    failures.expect(sum == size * (size - 1) / 2, "Allreduce_c");
    std::vector<int> data(static_cast<std::size_t>(size));
    MPI_Gather_c(&me, 1, MPI_INT, data.data(), me == 0 ? 1 : kTooMany, MPI_INT, 0, world);
    if (me == 0) failures.expect(data.back() == size - 1, "Gather_c");
    MPI_Request request = MPI_REQUEST_NULL;
    value = me == 0 ? 9 : 0;
    MPI_Ibcast_c(&value, 1, MPI_INT, 0, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    failures.expect(value == 9, "Ibcast_c");
  }

  void irregular() {
    const std::vector<int> mine(static_cast<std::size_t>(me) + 1, me);
    std::vector<int> data(static_cast<std::size_t>(all()));
    const bool is_root = me == size - 1;
    MPI_Gatherv_c(mine.data(), me + 1, MPI_INT, data.data(),
                  is_root ? counts.data() : garbage<MPI_Count>(),
                  is_root ? displacements.data() : garbage<MPI_Aint>(), MPI_INT, size - 1, world);
    if (is_root) expect_gathered(data, "Gatherv_c");
    std::vector<int> part(mine.size());
    MPI_Scatterv_c(data.data(), is_root ? counts.data() : garbage<MPI_Count>(),
                   is_root ? displacements.data() : garbage<MPI_Aint>(), MPI_INT, part.data(),
                   me + 1, MPI_INT, size - 1, world);
    failures.expect(part == mine, "Scatterv_c");
    data.assign(data.size(), -1);
    MPI_Allgatherv_c(mine.data(), me + 1, MPI_INT, data.data(), counts.data(), displacements.data(),
                     MPI_INT, world);
    expect_gathered(data, "Allgatherv_c");
    data.assign(data.size(), -1);
    std::vector<MPI_Request> requests(20, MPI_REQUEST_NULL);
    std::vector<std::vector<int>> several(requests.size(), data);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      MPI_Iallgatherv_c(mine.data(), me + 1, MPI_INT, several[i].data(), counts.data(),
                        displacements.data(), MPI_INT, world, &requests[i]);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    for (const auto& one : several) expect_gathered(one, "Iallgatherv_c");
    std::vector<int> ones(static_cast<std::size_t>(all()), 1);
    MPI_Reduce_scatter_c(ones.data(), part.data(), counts.data(), MPI_INT, MPI_SUM, world);
    failures.expect(part == std::vector<int>(part.size(), size), "Reduce_scatter_c");
  }

  /// Each to each: rank i sends i + j + 1 elements to rank j.
  void exchanged() {
    std::vector<MPI_Count> each;
    std::vector<MPI_Aint> at;
    MPI_Aint length = 0;
    for (int r = 0; r < size; ++r) {
      each.push_back(me + r + 1);
      at.push_back(length);
      length += me + r + 1;
    }
    std::vector<int> data(static_cast<std::size_t>(length), me);
    MPI_Alltoallv_c(MPI_IN_PLACE, garbage<MPI_Count>(), garbage<MPI_Aint>(), MPI_INT, data.data(),
                    each.data(), at.data(), MPI_INT, world);
    for (int r = 0; r < size; ++r) {
      failures.expect(data[static_cast<std::size_t>(at[static_cast<std::size_t>(r)])] == r,
                      "Alltoallv_c");
    }
    const int around = 1;
    MPI_Comm ring = MPI_COMM_NULL;
    MPI_Cart_create(world, 1, &size, &around, 0, &ring);
    const std::array<MPI_Count, 2> two{1, 2};
    const std::array<MPI_Count, 2> come{2, 1};
    const std::array<MPI_Aint, 2> from{0, 1}, to{0, 2};
    const std::array<int, 3> out{me, me, me};
    std::array<int, 3> in{};
    MPI_Neighbor_alltoallv_c(out.data(), two.data(), from.data(), MPI_INT, in.data(), come.data(),
                             to.data(), MPI_INT, ring);
    const int below = (me + size - 1) % size, above = (me + 1) % size;
    failures.expect(in == std::array<int, 3>{below, below, above}, "Neighbor_alltoallv_c");
    const std::array<MPI_Datatype, 2> types{MPI_INT, MPI_INT};
    const std::array<MPI_Aint, 2> out_at{0, sizeof(int)}, in_at{0, 2 * sizeof(int)};
    in.fill(-1);
    MPI_Neighbor_alltoallw_c(out.data(), two.data(), out_at.data(), types.data(), in.data(),
                             come.data(), in_at.data(), types.data(), ring);
    failures.expect(in == std::array<int, 3>{below, below, above}, "Neighbor_alltoallw_c");
    MPI_Comm_free(&ring);
  }

  void bound() {
    int value = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Bcast_init(&value, 1, MPI_INT, 0, world, MPI_INFO_NULL, &request);
    for (int i = 1; i < 4; ++i) {
      value = me == 0 ? i : 0;
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      failures.expect(value == i, "Bcast_init");
    }
    MPI_Request_free(&request);
  }

  /// Counts that the MPI cannot take are an error on all ranks, not another count.
  void too_many() {
#ifdef OPEN_MPI
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(world, &copy);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
    std::vector<MPI_Count> large(static_cast<std::size_t>(size), kTooMany);
    int value = 0, error = MPI_SUCCESS;
    MPI_Error_class(MPI_Bcast_c(&value, kTooMany, MPI_INT, 0, copy), &error);
    failures.expect(error == MPI_ERR_COUNT, "Bcast_c of too many");
    const int code = MPI_Allgatherv_c(&value, 1, MPI_INT, &value, large.data(),
                                      displacements.data(), MPI_INT, copy);
    MPI_Error_class(code, &error);
    failures.expect(error == MPI_ERR_COUNT, "Allgatherv_c of too many");
    MPI_Comm_free(&copy);
#endif
  }
};

int run() {
  if (MPI_Bcast_c == nullptr || !library_is_there()) return 0;
  Test test;
  for (int round = 0; round < 3; ++round) {
    test.regular();
    test.irregular();
    test.exchanged();
    if (MPI_Bcast_init != nullptr) test.bound();
  }
  test.too_many();
  return test.failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
