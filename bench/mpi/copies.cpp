// What reading long messages straight from their writer's memory gains on one node: the MPI
// library's own call, the same call through slots of shared memory (two copies), and by one copy,
// in one run, in turns (forwards and backwards), so that a drifting computer hits all. Buffers
// change from call to call. Prints a line for each operation and size: microseconds of each way
// (the median over rounds of the slowest rank), what two copies and one copy gain over the native
// call, and how many microseconds a plain copy takes of what the busiest rank has to move.
//
//   mpiexec.mpich -n 2 -bind-to core mpi/copies.mpich [BYTES...]
//   mpiexec.openmpi -n 4 --oversubscribe mpi/copies.openmpi
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "shared/mapping.hpp"
#include "shared/member.hpp"

namespace {

using namespace espalier::shared;
using AMember = Member<DirectAccess>;

constexpr int kRounds = 15;
constexpr double kBlockSeconds = 0.004;
constexpr std::size_t kBuffers = 8;
int rank = 0, size = 1;

void poll_mpi(void* /*of*/) {
  int is_there = 0;
  MPI_Iprobe(rank, MPI_ANY_TAG, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE);
}

Mapping shared_mapping(std::uint64_t bytes) {
  int told[2]{::getpid(), -1};
  Mapping mapping;
  if (rank == 0) {
    mapping = std::move(*Mapping::create(bytes));
    told[1] = mapping.file();
  }
  MPI_Bcast(told, 2, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank != 0) {
    auto opened = Mapping::open(told[0], told[1], bytes);
    if (!opened) MPI_Abort(MPI_COMM_WORLD, 1);
    mapping = std::move(*opened);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return mapping;
}

PeerMemory peer_memory() {
  const ProcessCard own = own_card();
  std::vector<ProcessCard> all(static_cast<std::size_t>(size));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, MPI_COMM_WORLD);
  return PeerMemory(std::move(all), static_cast<std::uint32_t>(rank));
}

/// Buffers of one call, in and out.
struct Pair {
  std::vector<std::byte> in, out;
};
struct Way {
  const char* name;
  std::function<void(Pair&, int bytes)> call;
};
struct Operation {
  const char* name;
  std::vector<Way> ways;
  int busiest;  ///< blocks that the busiest rank moves
};

std::vector<Operation> operations(AMember& member) {
  const auto ways = [&member](auto native, auto ours) {
    return std::vector<Way>{
        {"native", native},
        {"two", [&member, ours](Pair& p, int n) { ours(member, p, n, Copies::Two); }},
        {"one", [&member, ours](Pair& p, int n) { ours(member, p, n, Copies::One); }}};
  };
  const MPI_Comm world = MPI_COMM_WORLD;
  return {
      {"Bcast",
       ways([world](Pair& p, int n) { MPI_Bcast(p.in.data(), n, MPI_BYTE, 0, world); },
            [](AMember& m, Pair& p, int n, Copies copies) {
              m.broadcast(1, 0, p.in.data(), static_cast<std::uint64_t>(n), copies);
            }),
       1},
      {"Gather",
       ways(
           [world](Pair& p, int n) {
             MPI_Gather(p.in.data(), n, MPI_BYTE, p.out.data(), n, MPI_BYTE, 0, world);
           },
           [](AMember& m, Pair& p, int n, Copies copies) {
             m.gather(2, 0, p.in.data(), p.out.data(), static_cast<std::uint64_t>(n), copies);
           }),
       size},
      {"Scatter",
       ways(
           [world](Pair& p, int n) {
             MPI_Scatter(p.in.data(), n, MPI_BYTE, p.out.data(), n, MPI_BYTE, 0, world);
           },
           [](AMember& m, Pair& p, int n, Copies copies) {
             m.scatter(3, 0, p.in.data(), p.out.data(), static_cast<std::uint64_t>(n), copies);
           }),
       1},
      {"Allgather",
       ways(
           [world](Pair& p, int n) {
             MPI_Allgather(p.in.data(), n, MPI_BYTE, p.out.data(), n, MPI_BYTE, world);
           },
           [](AMember& m, Pair& p, int n, Copies copies) {
             m.allgather(4, p.in.data(), p.out.data(), static_cast<std::uint64_t>(n), copies);
           }),
       size},
      {"Alltoall",
       ways(
           [world](Pair& p, int n) {
             MPI_Alltoall(p.in.data(), n, MPI_BYTE, p.out.data(), n, MPI_BYTE, world);
           },
           [](AMember& m, Pair& p, int n, Copies copies) {
             m.alltoall(5, p.in.data(), p.out.data(), static_cast<std::uint64_t>(n), copies);
           }),
       size},
  };
}

/// Microseconds of a call, of the slowest rank.
double time_of(const Way& way, std::vector<Pair>& pairs, int bytes, int calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i) {
    way.call(pairs[static_cast<std::size_t>(i) % pairs.size()], bytes);
  }
  double seconds = MPI_Wtime() - begin, slowest = 0;
  MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest / calls * 1e6;
}

double median(std::vector<double> all) {
  std::sort(all.begin(), all.end());
  return all[all.size() / 2];
}

void measure(const Operation& operation, int bytes) {
  const std::size_t room = static_cast<std::size_t>(bytes) * static_cast<std::size_t>(size);
  std::vector<Pair> pairs(kBuffers);
  for (Pair& pair : pairs) {
    pair.in.assign(room, std::byte{1});
    pair.out.assign(room, std::byte{2});
  }
  double once = 0;
  for (int i = 0; i < 2; ++i) once = time_of(operation.ways[0], pairs, bytes, 4);
  const int calls =
      std::clamp(static_cast<int>(kBlockSeconds * 1e6 / std::max(once, 0.1)), 4, 4000);
  std::vector<std::vector<double>> times(operation.ways.size());
  std::vector<double> to_two, to_one;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> now(operation.ways.size());
    for (std::size_t k = 0; k < 2 * now.size(); ++k) {
      const std::size_t way = k < now.size() ? k : 2 * now.size() - 1 - k;
      now[way] += time_of(operation.ways[way], pairs, bytes, calls) / 2;
    }
    for (std::size_t way = 0; way < now.size(); ++way) times[way].push_back(now[way]);
    to_two.push_back(now[0] / now[1]);
    to_one.push_back(now[0] / now[2]);
  }
  std::vector<double> plain;
  const auto block = static_cast<std::size_t>(bytes);
  for (int round = 0; round < kRounds; ++round) {
    const double begin = MPI_Wtime();
    for (int i = 0; i < calls; ++i) {
      Pair& pair = pairs[static_cast<std::size_t>(i) % pairs.size()];
      for (int b = 0; b < operation.busiest; ++b) {
        const auto at = static_cast<std::size_t>(b) * block;
        std::memcpy(pair.out.data() + at, pair.in.data() + at, block);
      }
    }
    plain.push_back((MPI_Wtime() - begin) / calls * 1e6);
  }
  if (rank != 0) return;
  std::printf("%-9s %8d  %9.2f %9.2f %9.2f us   %5.2f %5.2f   one/two %5.2f   copy %9.2f us\n",
              operation.name, bytes, median(times[0]), median(times[1]), median(times[2]),
              median(to_two), median(to_one), median(times[2]) / median(times[1]), median(plain));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  std::vector<int> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = {16384, 32768, 65536, 262144, 1048576, 4194304};
  Geometry geometry;
  geometry.members = static_cast<std::uint32_t>(size);
  const Mapping mapping = shared_mapping(geometry.bytes());
  const PeerMemory peers = peer_memory();
  int can_read = peers.can_read_all() ? 1 : 0, all_can = 0;
  MPI_Allreduce(&can_read, &all_can, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0 && all_can == 0) std::printf("processes may not read each other's memory\n");
  const bool is_crowded = size > ::sysconf(_SC_NPROCESSORS_ONLN);
  auto* const sleepers = reinterpret_cast<std::uint32_t*>(mapping.data() + kLine);
  AMember member(mapping.data(), geometry, static_cast<std::uint32_t>(rank),
                 DirectAccess(sleepers, is_crowded, {poll_mpi, nullptr}, &peers));
  if (rank == 0) {
    std::printf("%d ranks: native, two copies, one copy; gains of the two over native\n", size);
  }
  for (const Operation& operation : operations(member)) {
    for (const int bytes : sizes) measure(operation, bytes);
  }
  MPI_Finalize();
  return 0;
}
