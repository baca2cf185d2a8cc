// How long it takes to split MPI_COMM_WORLD into c parts, three ways: MPI_Comm_split; an allgather
// of colours and keys and a sort of one's own, which is what any communicator needs at least; and a
// system-ranked group. `espalier reproduce langer --on here` runs it.
//
//   mpiexec -n 8 espalier-split.mpich REPEATS
//
// One line for each number of colours, by rank 0: split RANKS COLOURS, then the medians of the
// slowest rank's time, in microseconds, and how many results were wrong.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <espalier/group.hpp>
#include <utility>
#include <vector>

namespace {

struct World {
  int rank = 0, size = 1;
};

/// What one way gives: the size of the part that this rank is in.
using Size = int;

template <typename Way>
double slowest(const Way& way, Size right, int& wrong) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  const Size size = way();
  double mine = 1e6 * (MPI_Wtime() - start), most = 0;
  wrong += size != right ? 1 : 0;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return most;
}

Size by_allgather(const World& world, int colour) {
  const int mine[2] = {colour, world.rank};
  std::vector<int> all(2 * static_cast<std::size_t>(world.size));
  MPI_Allgather(mine, 2, MPI_INT, all.data(), 2, MPI_INT, MPI_COMM_WORLD);
  std::vector<std::pair<int, int>> members;  // (key, rank)
  for (int r = 0; r < world.size; ++r) {
    const auto at = 2 * static_cast<std::size_t>(r);
    if (all[at] == colour) members.emplace_back(all[at + 1], r);
  }
  std::sort(members.begin(), members.end());
  return static_cast<Size>(members.size());
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void time_colours(const World& world, const espalier::Group& all, int colours, int repeats) {
  const int colour = world.rank % colours;
  const Size right = (world.size - colour + colours - 1) / colours;
  std::vector<double> native, gathered, grouped;
  int wrong = 0, wrong_anywhere = 0;
  for (int i = 0; i < repeats + 2; ++i) {  // two to warm up
    MPI_Comm comm = MPI_COMM_NULL;
    espalier::Group group;
    native.push_back(slowest(
        [&] {
          Size size = 0;
          MPI_Comm_split(MPI_COMM_WORLD, colour, world.rank, &comm);
          MPI_Comm_size(comm, &size);
          return size;
        },
        right, wrong));
    gathered.push_back(slowest([&] { return by_allgather(world, colour); }, right, wrong));
    grouped.push_back(slowest(
        [&] {
          group = all.split(colour);
          return static_cast<Size>(group.size());
        },
        right, wrong));
    MPI_Comm_free(&comm);
    group.free();
  }
  for (std::vector<double>* times : {&native, &gathered, &grouped}) {
    times->erase(times->begin(), times->begin() + 2);
  }
  MPI_Allreduce(&wrong, &wrong_anywhere, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (world.rank > 0) return;
  std::printf("split %d %d %.2f %.2f %.2f %d\n", world.size, colours, median(native),
              median(gathered), median(grouped), wrong_anywhere);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  World world;
  MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world.size);
  const int repeats = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20;
  {
    espalier::Groups groups(MPI_COMM_WORLD);
    for (int c = 1; c <= world.size; c *= 2) time_colours(world, groups.all(), c, repeats);
  }
  MPI_Finalize();
  return 0;
}
