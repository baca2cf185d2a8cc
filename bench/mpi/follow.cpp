// One call after the other, and what each took: for watching how plans follow a network that
// changes (tests/lab/drift.py). Rank 0 prints a line a call: its number, milliseconds (of the rank
// that took longest), how it ran.
//
//   follow OPERATION BYTES CALLS [CALL ...]     operation: bcast allreduce barrier alltoall
//
// After each CALL named it rests for 3 seconds, so that somebody can change the network.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

extern "C" __attribute__((weak)) const char* espalier_query_last(int* planned);

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string operation = argc > 1 ? argv[1] : "bcast";
  const int bytes = argc > 2 ? std::atoi(argv[2]) : 8;
  const int calls = argc > 3 ? std::atoi(argv[3]) : 100;
  std::vector<char> in(static_cast<std::size_t>(bytes) * static_cast<std::size_t>(size), 1);
  std::vector<char> out(in.size());
  MPI_Comm beside = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &beside);
  for (int i = 0; i < calls; ++i) {
    PMPI_Barrier(beside);
    const double begin = PMPI_Wtime();
    if (operation == "bcast") {
      MPI_Bcast(in.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    } else if (operation == "allreduce") {
      MPI_Allreduce(in.data(), out.data(), bytes, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    } else if (operation == "alltoall") {
      MPI_Alltoall(in.data(), bytes, MPI_BYTE, out.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
    } else {
      MPI_Barrier(MPI_COMM_WORLD);
    }
    double took = PMPI_Wtime() - begin, longest = 0;
    PMPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, beside);
    if (rank != 0) continue;
    int planned = 0;
    const char* how =
        espalier_query_last == nullptr ? "not preloaded" : espalier_query_last(&planned);
    std::printf("%d %.3f %s%s\n", i, longest * 1e3, planned != 0 ? "" : "native: ", how);
    std::fflush(stdout);
    for (int rest = 4; rest < argc; ++rest) {
      if (std::atoi(argv[rest]) == i + 1) sleep(3);
    }
  }
  PMPI_Comm_free(&beside);
  MPI_Finalize();
}
