// Makes the calls that it is told, and says along which plan each of them ran.
//
//     what_runs OPERATION:BYTES:ROOT ...
//
// BYTES are those of the vector, or of a block; reductions sum doubles. Rank 0 prints one line for
// each call: the word as given, a tab, and the plan's name or "native".
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "mpi/harness.hpp"

namespace espalier::mpi_test {
namespace {

struct Call {
  std::string operation;
  int bytes = 0;
  int root = 0;
};

Call call_from(const std::string& word) {
  const std::size_t first = word.find(':'), second = word.find(':', first + 1);
  return {word.substr(0, first), std::stoi(word.substr(first + 1, second - first - 1)),
          std::stoi(word.substr(second + 1))};
}

/// Makes a call; false: there is no such operation.
bool make(const Call& call, std::vector<char>& in, std::vector<char>& out) {
  const MPI_Comm world = MPI_COMM_WORLD;
  const int n = call.bytes, numbers = call.bytes / 8, root = call.root;
  void* const from = in.data();
  void* const to = out.data();
  const std::map<std::string, std::function<void()>> calls{
      {"broadcast", [&] { MPI_Bcast(to, n, MPI_BYTE, root, world); }},
      {"reduce", [&] { MPI_Reduce(from, to, numbers, MPI_DOUBLE, MPI_SUM, root, world); }},
      {"allreduce", [&] { MPI_Allreduce(from, to, numbers, MPI_DOUBLE, MPI_SUM, world); }},
      {"barrier", [&] { MPI_Barrier(world); }},
      {"gather", [&] { MPI_Gather(from, n, MPI_BYTE, to, n, MPI_BYTE, root, world); }},
      {"scatter", [&] { MPI_Scatter(from, n, MPI_BYTE, to, n, MPI_BYTE, root, world); }},
      {"allgather", [&] { MPI_Allgather(from, n, MPI_BYTE, to, n, MPI_BYTE, world); }},
      {"alltoall", [&] { MPI_Alltoall(from, n, MPI_BYTE, to, n, MPI_BYTE, world); }},
      {"reduce-scatter",
       [&] { MPI_Reduce_scatter_block(from, to, numbers, MPI_DOUBLE, MPI_SUM, world); }},
      {"scan", [&] { MPI_Scan(from, to, numbers, MPI_DOUBLE, MPI_SUM, world); }},
      {"exscan", [&] { MPI_Exscan(from, to, numbers, MPI_DOUBLE, MPI_SUM, world); }}};
  const auto found = calls.find(call.operation);
  if (found == calls.end()) return false;
  found->second();
  return true;
}

int run(int argc, char** argv) {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  for (int i = 1; i < argc; ++i) {
    const Call call = call_from(argv[i]);
    std::vector<char> in(static_cast<std::size_t>(call.bytes) * static_cast<std::size_t>(size));
    std::vector<char> out(in.size());
    // The first call that would gain makes the hidden communicator, and is native itself.
    for (int again = 0; again < 2; ++again) {
      if (!make(call, in, out)) return 2;
    }
    if (rank != 0) continue;
    int planned = 0;
    const char* const name = espalier_query_last(&planned);
    std::printf("%s\t%s\n", argv[i], planned != 0 ? name : "native");
  }
  return 0;
}

}  // namespace
}  // namespace espalier::mpi_test

int main(int argc, char** argv) {
  return espalier::mpi_test::under_mpi(argc, argv, espalier::mpi_test::run);
}
