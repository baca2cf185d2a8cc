// A small program in which ranks could wait for each other if they had different settings or thread
// levels: infos, reordered topologies and collectives, on communicators of all and of some
// processes, before and after the first collective on all. Prints on rank 0 how many calls were
// planned.
//
//   settings [--multiple RANK]    this rank alone asks for MPI_THREAD_MULTIPLE
#include <array>
#include <cstring>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

/// Which rank this process will have: both launchers say so before MPI_Init.
int rank_to_be() {
  for (const char* name : {"PMI_RANK", "OMPI_COMM_WORLD_RANK"}) {
    if (const char* value = std::getenv(name)) return std::atoi(value);
  }
  return -1;
}

void use(MPI_Comm comm, Failures& failures) {
  int rank = 0, size = 1, sum = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int value = rank == size - 1 ? 42 : 0;
  MPI_Bcast(&value, 1, MPI_INT, size - 1, comm);
  failures.expect(value == 42, "a broadcast");
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
  failures.expect(sum == 42 * size, "an allreduce");
  std::vector<int> all(static_cast<std::size_t>(size)), ones(all.size(), 1), at(all.size());
  for (int i = 0; i < size; ++i) at[static_cast<std::size_t>(i)] = i;
  MPI_Allgatherv(&rank, 1, MPI_INT, all.data(), ones.data(), at.data(), MPI_INT, comm);
  for (int i = 0; i < size; ++i) failures.expect(all[static_cast<std::size_t>(i)] == i, "a gather");
  MPI_Barrier(comm);
}

void set_infos(MPI_Comm comm, Failures& failures) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "espalier", "on");
  MPI_Comm_set_info(comm, info);
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup_with_info(comm, info, &copy);
  use(copy, failures);
  MPI_Comm_free(&copy);
  MPI_Info_free(&info);
}

/// A ring by both kinds of topology, reordered if that is asked for.
std::array<MPI_Comm, 2> make_rings(MPI_Comm comm) {
  int rank = 0, size = 1, period = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  std::array<MPI_Comm, 2> rings{MPI_COMM_NULL, MPI_COMM_NULL};
  MPI_Cart_create(comm, 1, &size, &period, 1, &rings[0]);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  MPI_Dist_graph_create_adjacent(comm, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 1, &rings[1]);
  return rings;
}

int run() {
  Failures failures;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm some = MPI_COMM_NULL, all = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < 2 ? 0 : 1, -rank, &some);
  MPI_Comm_dup(MPI_COMM_WORLD, &all);
  for (int again = 0; again < 2; ++again) {
    for (MPI_Comm comm : {some, all}) {
      // Before anything on these processes tells who has which settings.
      auto rings = make_rings(comm);
      set_infos(comm, failures);
      use(comm, failures);
      for (MPI_Comm& ring : rings) {
        use(ring, failures);
        MPI_Comm_free(&ring);
      }
    }
    use(MPI_COMM_WORLD, failures);
  }
  MPI_Comm_free(&some);
  MPI_Comm_free(&all);
  if (rank == 0) {
    const std::uint64_t planned =
        espalier_query_count != nullptr ? espalier_query_count("planned") : 0;
    std::printf("planned %llu\n", static_cast<unsigned long long>(planned));
  }
  return failures.exit_code();
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  using namespace espalier::mpi_test;
  const bool is_multiple =
      argc > 2 && std::strcmp(argv[1], "--multiple") == 0 && rank_to_be() == std::atoi(argv[2]);
  int level = 0;
  MPI_Init_thread(&argc, &argv, is_multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
  const int code = run();
  MPI_Finalize();
  return code;
}
