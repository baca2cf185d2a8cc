#include "mpi/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

#include "runtime/choose_plan.hpp"
#include "topology/load_machine.hpp"
#include "topology/machine_spec.hpp"
#include "topology/read_json.hpp"
#include "topology/write_json.hpp"

namespace espalier::mpi {
namespace {

using runtime::Settings;
using topology::Machine;

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

void complain(const Error& error) {
  fmt::print(stderr, "espalier: {}; using native collectives{}{}\n",
             to_string({error.where, error.what, ""}),
             error.hint.empty() ? "" : "; hint: ", error.hint);
}

/// What rank 0 tells the others: the settings, and the machine if one was named.
struct Announcement {
  bool active = false;
  std::string settings;
  std::string machine;  ///< JSON; "": none was named
};

Expected<Announcement> announcement(int size) try {
  auto settings = runtime::read_settings(environment);
  if (!settings) return settings.error();
  if (const auto wrong = runtime::check_algorithms(*settings)) return *wrong;
  Announcement result{!settings->disabled, to_text(*settings), ""};
  if (settings->disabled || settings->machine.empty()) return result;
  auto loaded = topology::load_machine(settings->machine);
  if (!loaded) {
    return Error{"ESPALIER_MACHINE", to_string({loaded.error().where, loaded.error().what, ""}),
                 loaded.error().hint};
  }
  if (loaded->machine.size() != static_cast<Rank>(size)) {
    return Error{"ESPALIER_MACHINE",
                 fmt::format("the machine has {} processes but MPI_COMM_WORLD has {}",
                             loaded->machine.size(), size),
                 "describe as many processes as are started"};
  }
  result.machine = topology::write_json(loaded->machine);
  return result;
} catch (const std::exception& bug) {  // the others are waiting for our word
  return Error{"start", bug.what(), "please report this"};
}

/// Whether no rank's environment contradicts the settings; the first whose does says so.
bool nobody_contradicts(const Settings& settings, int rank, int size) {
  auto wrong = runtime::contradiction(settings, environment);
  int first = wrong ? rank : size;
  PMPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (first == size) return true;
  if (first != rank) return false;
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> host{};
  int length = 0;
  PMPI_Get_processor_name(host.data(), &length);
  wrong->where += fmt::format(" on rank {} ({})", rank, host.data());
  complain(*wrong);
  return false;
}

void broadcast(std::string& text) {
  std::uint64_t length = text.size();
  PMPI_Bcast(&length, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  text.resize(length);
  constexpr std::uint64_t kPart = std::uint64_t{1} << 30U;
  for (std::uint64_t at = 0; at < length; at += kPart) {
    PMPI_Bcast(text.data() + at, static_cast<int>(std::min(kPart, length - at)), MPI_CHAR, 0,
               MPI_COMM_WORLD);
  }
}

/// For each rank, the lowest rank of its node.
std::vector<int> node_leaders(int rank, int size) {
  MPI_Comm node = MPI_COMM_NULL;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  int leader = rank;
  PMPI_Bcast(&leader, 1, MPI_INT, 0, node);
  PMPI_Comm_free(&node);
  std::vector<int> leaders(static_cast<std::size_t>(size));
  PMPI_Allgather(&leader, 1, MPI_INT, leaders.data(), 1, MPI_INT, MPI_COMM_WORLD);
  return leaders;
}

/// Two levels, with figures of an ordinary cluster: only ESPALIER_MACHINE knows better.
Machine machine_of_nodes(const std::vector<int>& leaders) {
  std::map<int, std::vector<std::uint64_t>> ranks_of;
  for (std::size_t r = 0; r < leaders.size(); ++r) ranks_of[leaders[r]].push_back(r);
  topology::MachineSpec spec;
  spec.where = "the nodes that MPI reports";
  spec.name = "nodes";
  const topology::LevelSpec memory{{"memory", "process"}, {nanoseconds(500), {}, {}}, {}};
  const topology::LevelSpec network{
      {"network", "node"},
      {microseconds(50), {}, {}},
      {bits_per_second(10'000'000'000), bits_per_second(10'000'000'000), false, {}}};
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

std::uint64_t hash_text(std::uint64_t hash, const std::string& text) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

}  // namespace

std::unique_ptr<const World> agree_on_world() {
  int rank = 0, size = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  Announcement told;
  if (rank == 0) {
    auto made = announcement(size);
    if (made) {
      told = std::move(*made);
    } else {
      complain(made.error());
    }
  }
  std::string text = told.active ? told.settings : "";
  broadcast(text);
  if (text.empty()) return nullptr;
  broadcast(told.machine);
  Settings settings = runtime::settings_from_text(text);
  if (!nobody_contradicts(settings, rank, size)) return nullptr;
  const std::uint64_t hash =
      hash_text(hash_text(hash_text(0xcbf29ce484222325ULL, ESPALIER_VERSION), text), told.machine);
  Machine machine = told.machine.empty() ? machine_of_nodes(node_leaders(rank, size))
                                         : *topology::read_json(told.machine, "ESPALIER_MACHINE");
  if (settings.log > 0 && rank == 0) {
    fmt::print(stderr, "espalier: {} processes, {} levels, {} clusters\n", machine.size(),
               machine.levels().size(), machine.clusters().size());
  }
  return std::make_unique<const World>(
      World{rank, size, std::move(settings), std::move(machine), hash});
}

}  // namespace espalier::mpi
