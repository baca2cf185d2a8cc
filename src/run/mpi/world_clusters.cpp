// Clusters that a launcher or resource manager names on each host, collected from all processes:
// what rank 0 was told holds for all, but where a process runs only itself is told.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <numeric>

#include "base/file_descriptor.hpp"
#include "mpi/environment.hpp"
#include "mpi/world.hpp"
#include "runtime/named_clusters.hpp"
#include "topology/writers.hpp"

namespace espalier::mpi {
namespace {

/// The texts of all processes, by their ranks in MPI_COMM_WORLD. Collective over `over`.
std::vector<std::string> gather_by_rank(const std::string& own, int world_rank, MPI_Comm over) {
  int size = 1;
  PMPI_Comm_size(over, &size);
  const auto count = static_cast<std::size_t>(size);
  const std::array<int, 2> mine{world_rank, static_cast<int>(own.size())};
  std::vector<std::array<int, 2>> all(count);
  PMPI_Allgather(mine.data(), 2, MPI_INT, all.data(), 2, MPI_INT, over);
  std::vector<int> lengths(count), starts(count);
  for (std::size_t i = 0; i < count; ++i) lengths[i] = all[i][1];
  std::exclusive_scan(lengths.begin(), lengths.end(), starts.begin(), 0);
  std::string texts(static_cast<std::size_t>(starts.back() + lengths.back()), ' ');
  PMPI_Allgatherv(own.data(), mine[1], MPI_CHAR, texts.data(), lengths.data(), starts.data(),
                  MPI_CHAR, over);
  std::vector<std::string> by_rank(count);
  for (std::size_t i = 0; i < count; ++i) {
    by_rank[static_cast<std::size_t>(all[i][0])] =
        texts.substr(static_cast<std::size_t>(starts[i]), static_cast<std::size_t>(lengths[i]));
  }
  return by_rank;
}

/// What this process was told; at most a little more than is accepted.
std::string own_clusters() {
  std::string text = runtime::cluster_text(environment("ESPALIER_CLUSTERS").value_or(""));
  if (text.size() > runtime::kMostClusterText) text.resize(runtime::kMostClusterText + 1);
  return text;
}

}  // namespace

std::optional<KnownMachine> machine_of_named_clusters(const World& world, MPI_Comm over) {
  const std::vector<std::string> texts = gather_by_rank(own_clusters(), world.rank, over);
  auto machine = runtime::machine_of_clusters(texts, world.places.leaders);
  if (machine) {
    const std::string text = topology::write_json(*machine);
    return known_machine(world, std::make_shared<const topology::Machine>(*std::move(machine)),
                         text);
  }
  if (world.rank == 0) {
    const Error& error = machine.error();
    write_message(
        fmt::format("espalier: {}: {}; ignored; hint: {}\n", error.where, error.what, error.hint));
  }
  return std::nullopt;
}

}  // namespace espalier::mpi
