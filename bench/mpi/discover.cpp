// Finds and measures the machine that it runs on, and prints one line for `espalier discover`:
//
//   espalier-discovered {"machine": ..., "words": [...], "notes": [...], "doubts": [...],
//   "cached": false}
//
//   espalier-discover [--fresh] [--no-cache] [--progress] [--seconds N]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

#include "mpi/discover_world.hpp"
#include "mpi/mpi_api.hpp"
#include "mpi/roll_call.hpp"
#include "topology/writers.hpp"

namespace {

espalier::mpi::DiscoverOptions options_from(int argc, char** argv) {
  espalier::mpi::DiscoverOptions options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--fresh") == 0) options.read_cache = false;
    if (std::strcmp(argv[i], "--no-cache") == 0) options.read_cache = options.write_cache = false;
    if (std::strcmp(argv[i], "--progress") == 0) {
      options.progress = [](std::size_t experiments, espalier::Time spent) {
        std::fprintf(stderr, "espalier discover: %zu probes, %.0f ms\n", experiments,
                     1e3 * espalier::to_seconds(spent));
      };
    }
    if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
      options.budget.least = espalier::seconds(std::atoi(argv[++i]));
    }
  }
  return options;
}

/// Between MPI_Init and MPI_Finalize: what it holds waits for messages when it goes.
void discover(const espalier::mpi::DiscoverOptions& options) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  espalier::mpi::RollCall present;
  present.begin({});
  present.wait();
  const std::vector<int> leaders = present.places(MPI_COMM_WORLD).leaders;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  const auto found = espalier::mpi::discover_world(options, MPI_COMM_WORLD, leaders);
  const double took = MPI_Wtime() - start;
  if (rank == 0) {
    nlohmann::json line;
    if (found) {
      line = {{"machine", espalier::topology::write_json(found->machine)},
              {"words", found->words},
              {"notes", found->notes},
              {"doubts", found->doubts},
              {"cached", found->from_cache},
              {"seconds", took}};
    } else {
      line = {{"where", found.error().where},
              {"what", found.error().what},
              {"hint", found.error().hint}};
    }
    std::printf("espalier-discovered %s\n", line.dump().c_str());
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  discover(options_from(argc, argv));
  MPI_Finalize();
  return 0;
}
