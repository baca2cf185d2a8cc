#include "mpi/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

#include "mpi/world_machine.hpp"
#include "runtime/choose_plan.hpp"
#include "topology/load_machine.hpp"
#include "topology/read_json.hpp"
#include "topology/write_json.hpp"

namespace espalier::mpi {
namespace {

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
  std::string machine;   ///< JSON; "": none was named
  std::string verdicts;  ///< of earlier runs; "": none
};

/// Of no use is no reason to do without plans: one line, and trials find out again.
std::string verdicts_of(const runtime::Settings& settings) {
  if (settings.verdicts.empty()) return "";
  const auto read = runtime::read_verdicts(settings.verdicts);
  if (read) return read->empty() ? "" : read->to_text();
  fmt::print(stderr, "espalier: ESPALIER_VERDICTS: {}: {}; ignored\n", read.error().where,
             read.error().what);
  return "";
}

Expected<Announcement> announcement(int size) try {
  auto settings = runtime::read_settings(environment);
  if (!settings) return settings.error();
  if (const auto wrong = runtime::check_algorithms(*settings)) return *wrong;
  Announcement result{!settings->disabled, to_text(*settings), "", verdicts_of(*settings)};
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

/// Whether no rank's environment contradicts the settings; the first whose does says so. Tells
/// also whether threads of any rank may be in MPI at once.
bool nobody_contradicts(World& world) {
  auto wrong = runtime::contradiction(world.settings, environment);
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  std::array<int, 2> least{wrong ? world.rank : world.size, level == MPI_THREAD_MULTIPLE ? 0 : 1};
  PMPI_Allreduce(MPI_IN_PLACE, least.data(), 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  world.is_threaded = least[1] == 0;
  const int first = least[0];
  if (first == world.size) return true;
  if (first != world.rank) return false;
  std::array<char, MPI_MAX_PROCESSOR_NAME + 1> host{};
  int length = 0;
  PMPI_Get_processor_name(host.data(), &length);
  wrong->where += fmt::format(" on rank {} ({})", world.rank, host.data());
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

}  // namespace

std::unique_ptr<World> agree_on_world() {
  auto world = std::make_unique<World>();
  PMPI_Comm_rank(MPI_COMM_WORLD, &world->rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &world->size);
  Announcement told;
  if (world->rank == 0) {
    auto made = announcement(world->size);
    if (made) {
      told = std::move(*made);
    } else {
      complain(made.error());
    }
  }
  std::string& text = world->settings_text;
  text = told.active ? told.settings : "";
  broadcast(text);
  if (text.empty()) return nullptr;
  broadcast(told.machine);
  broadcast(told.verdicts);
  world->settings = runtime::settings_from_text(text);
  if (!nobody_contradicts(*world)) return nullptr;
  if (!told.verdicts.empty()) {
    world->verdicts = *runtime::Verdicts::from_text(told.verdicts, "ESPALIER_VERDICTS");
  }
  if (!told.machine.empty()) {
    world->learn(known_machine(*world, *topology::read_json(told.machine, "ESPALIER_MACHINE"),
                               told.machine));
    return world;
  }
  world->leaders = node_leaders(world->rank, world->size);
  const auto& leaders = world->leaders;
  const bool is_one_node =
      std::all_of(leaders.begin(), leaders.end(), [](int l) { return l == 0; });
  if (is_one_node || !world->settings.discover) {
    world->learn(machine_of_nodes(*world));
  } else if (world->settings.force || world->settings.reproducible) {
    // Both hold from the first call on, on whatever communicator it is.
    world->learn(discovered_machine(*world, MPI_COMM_WORLD));
  } else {
    world->learns_late = true;
  }
  return world;
}

}  // namespace espalier::mpi
