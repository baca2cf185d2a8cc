// Topologies on communicators with processes outside MPI_COMM_WORLD: these were told other
// settings, or have no library. With ESPALIER_REORDER nobody may gather a graph there, since others
// would not take part: the topologies are as the program says. On communicators of this world alone
// they are reordered as before.
//
//   outside [bare]   bare: the spawned process has no library
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

/// A ring by each kind of topology. Calls work(comm, name).
template <typename Work>
void with_rings(MPI_Comm comm, Work work) {
  int rank = 0, size = 1, period = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int left = (rank + size - 1) % size, right = (rank + 1) % size;
  const auto use = [&](MPI_Comm ring, const char* name) {
    work(ring, name);
    MPI_Comm_free(&ring);
  };
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(comm, 1, &size, &period, 1, &ring);
  use(ring, "a grid");
  std::vector<int> index, edges;
  for (int r = 0; r < size; ++r) {
    edges.insert(edges.end(), {(r + size - 1) % size, (r + 1) % size});
    index.push_back(static_cast<int>(edges.size()));
  }
  MPI_Graph_create(comm, size, index.data(), edges.data(), 1, &ring);
  use(ring, "a graph");
  const int degree = 2;
  const std::array<int, 2> beside{left, right};
  MPI_Dist_graph_create(comm, 1, &rank, &degree, beside.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 1,
                        &ring);
  use(ring, "a distributed graph");
  MPI_Dist_graph_create_adjacent(comm, 2, beside.data(), MPI_UNWEIGHTED, 2, beside.data(),
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &ring);
  use(ring, "an adjacent graph");
}

/// Collectives on it are right, and so is what neighbours send.
void use(MPI_Comm ring, const std::string& name, Failures& failures) {
  int rank = 0, size = 1, sum = 0;
  MPI_Comm_rank(ring, &rank);
  MPI_Comm_size(ring, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, ring);
  failures.expect(sum == size * (size - 1) / 2, name + ": a wrong sum");
  std::array<int, 2> beside{-1, -1};
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, beside.data(), 1, MPI_INT, ring);
  std::array<int, 2> wanted{(rank + size - 1) % size, (rank + 1) % size};
  std::sort(beside.begin(), beside.end());
  std::sort(wanted.begin(), wanted.end());
  failures.expect(beside == wanted, name + ": other neighbours");
}

void use_with_others(MPI_Comm others, bool is_high, Failures& failures) {
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Intercomm_merge(others, is_high ? 1 : 0, &all);
  int before = 0;
  MPI_Comm_rank(all, &before);
  with_rings(all, [&](MPI_Comm ring, const std::string& name) {
    use(ring, name, failures);
    int after = -1;
    MPI_Comm_rank(ring, &after);
    failures.expect(after == before, name + " with others was reordered");
  });
  MPI_Comm_free(&all);
  if (is_high) return;
  with_rings(MPI_COMM_WORLD,
             [&](MPI_Comm ring, const std::string& name) { use(ring, name, failures); });
}

/// Whether this world numbers its processes anew: on its machine neighbours are at two sites.
bool is_reordered() {
  int before = 0, moved = 0, all_moved = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &before);
  with_rings(MPI_COMM_WORLD, [&](MPI_Comm ring, const char*) {
    int after = -1;
    MPI_Comm_rank(ring, &after);
    moved += after == before ? 0 : 1;
  });
  MPI_Allreduce(&moved, &all_moved, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return all_moved > 0;
}

int run(int argc, char** argv) {
  Failures failures;
  MPI_Comm others = MPI_COMM_NULL;
  MPI_Comm_get_parent(&others);
  if (others != MPI_COMM_NULL) {
    use_with_others(others, true, failures);
  } else {
    failures.expect(is_reordered(), "nothing is reordered");
    std::string bare = "bare", usual = "usual";
    const bool is_bare = argc > 1 && bare == argv[1];
    std::array<char*, 3> words{const_cast<char*>("spawned"), (is_bare ? bare : usual).data(),
                               nullptr};
    MPI_Comm_spawn(argv[0], words.data(), 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &others,
                   MPI_ERRCODES_IGNORE);
    use_with_others(others, false, failures);
  }
  MPI_Comm_disconnect(&others);
  return failures.exit_code();
}

/// A spawned process takes its settings away before it starts, and its library if it is to have
/// none.
void become_another(char** argv) {
  unsetenv("ESPALIER_REORDER");
  unsetenv("ESPALIER_MACHINE");
  if (std::strcmp(argv[2], "bare") != 0 || std::getenv("LD_PRELOAD") == nullptr) return;
  unsetenv("LD_PRELOAD");
  execv("/proc/self/exe", argv);
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  using namespace espalier::mpi_test;
  if (argc > 2 && std::strcmp(argv[1], "spawned") == 0) become_another(argv);
  return under_mpi(argc, argv, run);
}
