#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <numeric>

#include "base/file_descriptor.hpp"
#include "base/text_hash.hpp"
#include "mpi/discover_world.hpp"
#include "mpi/environment.hpp"
#include "mpi/seconds_now.hpp"
#include "mpi/world.hpp"
#include "runtime/named_clusters.hpp"
#include "topology/machine_spec.hpp"
#include "topology/usual_figures.hpp"
#include "topology/writers.hpp"

namespace espalier::mpi {
namespace {

using topology::Machine;

Machine two_levels(const std::vector<int>& leaders) {
  std::map<int, std::vector<std::uint64_t>> ranks_of;
  for (std::size_t r = 0; r < leaders.size(); ++r) ranks_of[leaders[r]].push_back(r);
  topology::MachineSpec spec;
  spec.where = "the nodes that MPI reports";
  spec.name = "nodes";
  const topology::LevelSpec memory{{"memory", "process"}, topology::kUsualMemory, {}};
  const topology::LevelSpec network{
      {"network", "node"}, topology::kUsualNetwork, topology::kUsualLink};
  spec.placement = topology::PlacementKind::Listed;
  spec.listed.resize(leaders.size());
  std::uint64_t leaf = 0;
  for (const auto& [leader, ranks] : ranks_of) {
    topology::MemberSpec node;
    topology::MemberSpec processes;
    processes.count = ranks.size();
    node.members.push_back(processes);
    for (const std::uint64_t rank : ranks) spec.listed[rank] = leaf++;
    if (ranks_of.size() == 1) {
      spec.whole = node;
    } else {
      spec.whole.members.push_back(node);
    }
  }
  if (ranks_of.size() > 1) spec.levels.push_back(network);
  spec.levels.push_back(memory);
  return *build_machine(spec);
}

void say(const World& world, const std::vector<std::string>& lines) {
  if (world.settings.log == 0 || world.rank != 0) return;
  for (const std::string& line : lines) write_message(fmt::format("espalier: {}\n", line));
}

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

KnownMachine known_machine(const World& world, std::shared_ptr<const Machine> machine,
                           std::string_view as_text) {
  const std::uint64_t hash =
      TextHash{}.add(ESPALIER_VERSION).add(world.settings_text).add(as_text).value();
  const auto counted = [](std::size_t n, std::string_view what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  };
  say(world, {fmt::format("{} processes, {}, {}", machine->size(),
                          counted(machine->levels().size(), "level"),
                          counted(machine->clusters().size(), "cluster"))});
  const std::string planning = to_text(planning_settings(world.settings));
  const std::uint64_t place = TextHash{}.add(ESPALIER_VERSION).add(planning).add(as_text).value();
  return {std::move(machine), hash, place};
}

KnownMachine found_machine(const World& world, Machine machine, std::vector<std::string> words) {
  const std::string text = topology::write_json(machine);
  KnownMachine known =
      known_machine(world, std::make_shared<const Machine>(std::move(machine)), text);
  const std::string planning = to_text(planning_settings(world.settings));
  TextHash place;
  place.add(ESPALIER_VERSION).add(planning);
  for (const std::uint64_t node : world.places.nodes) place.add(node);
  known.place = place.value();
  say(world, words);
  known.words = std::move(words);
  return known;
}

/// Of clusters that a launcher or resource manager names on each host, collected from all
/// processes: what rank 0 was told holds for all, but where a process runs only itself is told.
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

KnownMachine machine_of_nodes(const World& world) {
  return known_machine(world, std::make_shared<const Machine>(two_levels(world.places.leaders)),
                       "");
}

KnownMachine discovered_machine(const World& world, MPI_Comm over) {
  const double begin = seconds_now();
  DiscoverOptions options;
  options.budget.eager_limits = false;  // told to people only
  options.budget.pair_rates = false;    // the program waits
  options.budget.most = 2 * options.budget.least;
  options.read_cache = options.write_cache = world.settings.cache;
  auto found = discover_world(options, over, world.places.leaders);
  if (!found) {
    say(world, {"discovery failed: " + to_string(found.error())});
    return machine_of_nodes(world);
  }
  discover::CachedMachine& seen = found->seen;
  std::vector<std::string> words = std::move(seen.words);
  if (found->from_cache) words.emplace_back("known from before, and still so");
  words.insert(words.end(), seen.doubts.begin(), seen.doubts.end());
  words.insert(words.end(), found->notes.begin(), found->notes.end());
  KnownMachine known = found_machine(world, std::move(seen.machine), std::move(words));
  known.is_certain = seen.complete && seen.doubts.empty();
  known.measured = seen.made;
  known.discover_seconds = seconds_now() - begin - found->waited;
  return known;
}

}  // namespace espalier::mpi
