// Finds and measures the machine that it runs on, and prints one line for `espalier discover`:
//
//   espalier-discovered {"machine": ..., "words": [...], "notes": [...], "doubts": [...],
//   "cached": false}
//
//   espalier-discover [--fresh] [--no-cache] [--progress EVERY] [--seconds N] [--cpu-speed]
//
//   --progress EVERY   a line on standard error when so many seconds are over since the last one
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/json.hpp"
#include "discover/cpu_speed.hpp"
#include "mpi/discover_world.hpp"
#include "mpi/mpi_api.hpp"
#include "mpi/roll_call.hpp"
#include "topology/views.hpp"
#include "topology/writers.hpp"

namespace {

espalier::mpi::DiscoverOptions options_from(int argc, char** argv) {
  espalier::mpi::DiscoverOptions options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--fresh") == 0) options.read_cache = false;
    if (std::strcmp(argv[i], "--no-cache") == 0) options.read_cache = options.write_cache = false;
    if (std::strcmp(argv[i], "--progress") == 0 && i + 1 < argc) {
      const double every = std::atof(argv[++i]);
      options.progress = [every, next = every](std::size_t experiments,
                                               espalier::Time spent) mutable {
        const double seconds = espalier::to_seconds(spent);
        if (seconds < next) return;
        next = seconds + every;
        std::fprintf(stderr, "espalier discover: %zu probes, %.0f ms\n", experiments,
                     1e3 * seconds);
      };
    }
    if (std::strcmp(argv[i], "--seconds") == 0 && i + 1 < argc) {
      options.budget.least = espalier::seconds(std::atoi(argv[++i]));
    }
  }
  return options;
}

bool has_flag(int argc, char** argv, const char* flag) {
  return std::any_of(argv + 1, argv + argc,
                     [&](const char* word) { return std::strcmp(word, flag) == 0; });
}

/// What each process computes in a second while all others compute too; on rank 0.
std::vector<double> all_rates() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  const double own = espalier::discover::rounds_a_second(espalier::milliseconds(100));
  std::vector<double> all(static_cast<std::size_t>(size));
  MPI_Gather(&own, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return all;
}

/// The node of each rank, for people: its innermost cluster's name, or the process's own.
std::vector<std::string> nodes_of(const espalier::topology::Machine& machine) {
  std::vector<std::string> nodes;
  for (espalier::Rank r = 0; r < machine.size(); ++r) {
    const auto leaf = machine.leaf_of(r);
    const auto& cluster = machine.clusters()[machine.cluster_of(leaf)];
    const std::string& own = machine.leaf_name(leaf);
    nodes.push_back(!own.empty() ? own : !cluster.name.empty() ? cluster.name : "this node");
  }
  return nodes;
}

/// Between MPI_Init and MPI_Finalize: what it holds waits for messages when it goes.
void discover(const espalier::mpi::DiscoverOptions& options, bool with_speeds) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  espalier::mpi::RollCall present;
  present.begin({});
  present.wait();
  const std::vector<int> leaders = present.places(MPI_COMM_WORLD).leaders;
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  auto found = espalier::mpi::discover_world(options, MPI_COMM_WORLD, leaders);
  // After the links: who computes answers late.
  const std::vector<double> rates = with_speeds ? all_rates() : std::vector<double>{};
  const double took = MPI_Wtime() - start;
  if (rank == 0) {
    espalier::Json line;
    if (found && with_speeds) {
      const auto speeds = espalier::discover::speed_classes(rates);
      auto& machine = found->seen.machine;
      machine = espalier::topology::with_speeds(machine, speeds);
      for (auto& sentence : espalier::discover::speeds_in_words(speeds, nodes_of(machine))) {
        found->seen.words.push_back(std::move(sentence));
      }
    }
    if (found) {
      line = {{"machine", espalier::topology::write_json(found->seen.machine)},
              {"words", found->seen.words},
              {"notes", found->notes},
              {"doubts", found->seen.doubts},
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
  discover(options_from(argc, argv), has_flag(argc, argv, "--cpu-speed"));
  MPI_Finalize();
  return 0;
}
