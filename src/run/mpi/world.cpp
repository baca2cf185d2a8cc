#include "mpi/world.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/file_descriptor.hpp"
#include "base/text_hash.hpp"
#include "mpi/environment.hpp"
#include "mpi/mpi_traits.hpp"
#include "mpi/progress_thread.hpp"
#include "mpi/seconds_now.hpp"
#include "mpi/self_test.hpp"
#include "mpi/shared_by_ranks.hpp"
#include "runtime/explain.hpp"
#include "runtime/named_algorithms.hpp"
#include "topology/load_machine.hpp"
#include "topology/readers.hpp"
#include "topology/usual_figures.hpp"
#include "topology/writers.hpp"

namespace espalier::mpi {
namespace {

void complain(const Error& error) {
  write_message(fmt::format("espalier: {}; using native collectives{}{}\n",
                            to_string({error.where, error.what, ""}),
                            error.hint.empty() ? "" : "; hint: ", error.hint));
}

/// Complains, on rank 0; ESPALIER_EXPLAIN repeats it.
void decline(World& world, const Error& why) {
  if (world.rank != 0) return;
  complain(why);
  world.why_declined = to_string({why.where, why.what, ""});
}

/// ESPALIER_EXPLAIN as read_settings() takes it, also where other settings are malformed.
std::string where_to_explain() {
  const std::string where = environment("ESPALIER_EXPLAIN").value_or("");
  return where == "0" ? "" : where;
}

/// What rank 0 tells the others.
struct Announcement {
  std::string settings;  ///< settings as text; empty means no plans at all
  std::string machine;   ///< the named machine as JSON; empty if none was named
  std::string verdicts;  ///< decisions of earlier runs as text; empty if there are none
};

/// Decisions of earlier runs. If their file is unusable, one line says so, trials decide again, and
/// the file stays as it is: it may be something else.
std::string verdicts_of(const runtime::Settings& settings, bool& may_write) {
  if (settings.verdicts.empty()) return "";
  const auto read = runtime::read_verdicts(settings.verdicts);
  if (read) return read->empty() ? "" : read->to_text();
  write_message(fmt::format("espalier: ESPALIER_VERDICTS: {:.200}: {}; ignored, and not written\n",
                            read.error().where, read.error().what));
  may_write = false;
  return "";
}

/// Prints a line for each unknown name in ESPALIER_ALGORITHM; such names are ignored.
void complain_of_algorithms() {
  for (const auto& wrong :
       runtime::read_algorithms(environment("ESPALIER_ALGORITHM").value_or("")).wrong) {
    write_message(fmt::format("espalier: {}; ignored; hint: {}\n",
                              to_string({wrong.error.where, wrong.error.what, ""}),
                              wrong.error.hint));
  }
}

Expected<Announcement> announcement(int size, bool& may_write_verdicts) try {
  auto settings = runtime::read_settings(environment);
  if (!settings) return settings.error();
  if (settings->disabled) {
    if (!settings->explain.empty()) {
      runtime::write_explanation(settings->explain,
                                 "espalier: all calls are native: ESPALIER_DISABLE=1\n");
    }
    return Announcement{};
  }
  complain_of_algorithms();
  Announcement result{to_text(*settings), "", verdicts_of(*settings, may_write_verdicts)};
  if (settings->machine.empty()) return result;
  auto loaded = topology::load_machine(settings->machine);
  if (!loaded) {
    return Error{"ESPALIER_MACHINE", to_string({loaded.error().where, loaded.error().what, ""}),
                 loaded.error().hint};
  }
  if (loaded->machine.size() != static_cast<Rank>(size)) {
    return Error{
        fmt::format("machine \"{:.100}\" (--machine or ESPALIER_MACHINE)", settings->machine),
        fmt::format("it has {} processes but MPI_COMM_WORLD has {}", loaded->machine.size(), size),
        fmt::format("start {0} processes (mpiexec -n {0}), or describe a machine of {1}",
                    loaded->machine.size(), size)};
  }
  // As espalier plan does: what the description leaves out is not free.
  result.machine =
      topology::write_json(topology::with_usual_figures(std::move(loaded->machine)).machine);
  return result;
} catch (const std::exception& bug) {  // the others wait for our answer
  return Error{"start", bug.what(), "please report this"};
}

/// Whether no rank's environment contradicts the settings. The lowest rank whose does prints why.
bool nobody_contradicts(const World& world, MPI_Comm over) {
  auto wrong = runtime::contradiction(world.settings, environment);
  int first = wrong ? world.rank : world.size;
  PMPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, over);
  if (first == world.size) return true;
  if (first != world.rank) return false;
  wrong->where += fmt::format(" on rank {} ({})", world.rank, processor_name());
  complain(*wrong);
  return false;
}

/// Broadcasts from rank 0: first the lengths of the texts, then the texts one after the other.
void broadcast(Announcement& told, MPI_Comm over) {
  const int root = rank_of_first(over);
  std::array<std::uint64_t, 3> lengths{told.settings.size(), told.machine.size(),
                                       told.verdicts.size()};
  PMPI_Bcast(lengths.data(), 3, MPI_UINT64_T, root, over);
  std::string all = told.settings + told.machine + told.verdicts;
  all.resize(lengths[0] + lengths[1] + lengths[2]);
  constexpr std::uint64_t kPart = std::uint64_t{1} << 30U;
  for (std::uint64_t at = 0; at < all.size(); at += kPart) {
    PMPI_Bcast(all.data() + at, static_cast<int>(std::min(kPart, all.size() - at)), MPI_CHAR, root,
               over);
  }
  told.settings = all.substr(0, lengths[0]);
  told.machine = all.substr(lengths[0], lengths[1]);
  told.verdicts = all.substr(lengths[0] + lengths[1]);
}

/// Settings as text are UTF-8. Names of files need not be: rank 0, which writes them, takes its
/// own.
void take_names_as_given(runtime::Settings& settings) {
  auto own = runtime::read_settings(environment);
  if (!own) return;
  settings.explain = std::move(own->explain);
  settings.trace = std::move(own->trace);
  settings.verdicts = std::move(own->verdicts);
}

/// Makes the tracer, if one is asked for.
void begin_trace(World& world, MPI_Comm over) {
  if (world.settings.trace.empty()) return;
  if constexpr (kIsSimulated) {
    if (world.rank == 0) write_message("espalier: ESPALIER_TRACE does nothing under SMPI\n");
    return;
  }
  world.tracer = std::make_unique<Tracer>(world.settings, over, world.rank);
  if (world.tracer->is_there()) return;
  world.tracer.reset();
  if (world.rank == 0) {
    write_message("espalier: ESPALIER_TRACE: MPI has no communicator left; no trace\n");
  }
}

/// Whether these settings name no file. If all ranks have the same, no broadcast is needed.
bool is_complete(const Expected<runtime::Settings>& own) {
  return own && own->machine.empty() && own->verdicts.empty();
}

/// Whether the launcher of this MPI says that not all processes are on this node.
bool launcher_says_several_nodes(int size) {
  if (kIsSimulated) return false;
  const auto local = environment(
      kNativeMpi == select::NativeMpi::OpenMpi ? "OMPI_COMM_WORLD_LOCAL_SIZE" : "MPI_LOCALNRANKS");
  const int processes = local ? std::atoi(local->c_str()) : 0;
  if (processes > 0) return processes < size;
  const auto nodes = environment("SLURM_STEP_NUM_NODES");  // srun tells no more
  return nodes && std::atoi(nodes->c_str()) > 1;
}

/// The machine that rank 0 has told. Under SMPI it is read once for all ranks.
std::shared_ptr<const topology::Machine> machine_from(const std::string& text) {
  const auto read = [&text] {
    return std::make_shared<const topology::Machine>(
        *topology::read_json(text, "ESPALIER_MACHINE"));
  };
  if constexpr (kIsSimulated)
    return shared_by_ranks<const topology::Machine>("machine", text, read);
  return read();
}

/// Why nothing is planned, by what the processes told each other; absent if they fit together.
std::optional<Error> why_none(const RollCall& all) {
  if (all.any_absent()) {
    return Error{"MPI_Init", "some process finds no library of Espalier for its MPI",
                 "install the same on all hosts; ESPALIER_LOG=1 tells more"};
  }
  if (!all.all_fit() && is_fault_tolerant()) {
    return Error{"MPI_Init",
                 "fault tolerance is on (OMPI_MCA_mpi_ft_enable), and communicators that the "
                 "program does not know of would not be revoked with its own",
                 ""};
  }
  if (!all.all_fit()) {
    return Error{"MPI_Init", "the MPI of some process is not what its library says",
                 "ESPALIER_LOG=1 tells more; report this MPI and its version, unless fault "
                 "tolerance is on there (OMPI_MCA_mpi_ft_enable)"};
  }
  if (!all.same_version()) {
    return Error{"MPI_Init", "some process has another version of Espalier",
                 "install the same on all hosts"};
  }
  if (all.any_threaded() && !all.all_threaded()) {
    return Error{"MPI_Init_thread", "some processes have MPI_THREAD_MULTIPLE and some have not",
                 "ask for the same in all of them"};
  }
  return std::nullopt;
}

}  // namespace

int rank_of_first(MPI_Comm over) {
  MPI_Group world = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Comm_group(over, &group);
  const int first = 0;
  int rank = 0;
  PMPI_Group_translate_ranks(world, 1, &first, group, &rank);
  PMPI_Group_free(&world);
  PMPI_Group_free(&group);
  return rank;
}

double seconds_before_now() {
  if (kIsSimulated) return 0;
  // Field 22 of the line, 20 behind the name in parentheses: when the process began, since boot.
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  std::istringstream fields(line.substr(std::min(line.rfind(')') + 1, line.size())));
  std::string field;
  for (int i = 0; i < 20; ++i) fields >> field;
  timespec now{};
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  if (!fields || ticks <= 0 || ::clock_gettime(CLOCK_BOOTTIME, &now) != 0) return 0;
  const double begin = std::strtod(field.c_str(), nullptr) / ticks;
  const double so_far =
      static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec) - begin;
  return std::max(0.0, so_far);
}

std::unique_ptr<World> enter_world(bool is_unfit) {
  auto world = std::make_unique<World>();
  const double begin = seconds_now();
  PMPI_Comm_rank(MPI_COMM_WORLD, &world->rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &world->size);
  const auto own = runtime::read_settings(environment);
  if (own) {
    world->settings = *own;
  } else {
    world->settings.explain = where_to_explain();
  }
  world->names_no_file = is_complete(own);
  Presence presence;
  presence.settings = hash_of(own ? to_text(*own) : "malformed");
  presence.is_threaded = level_of_program() == MPI_THREAD_MULTIPLE;
  world->can_wait = !presence.is_threaded && world->names_no_file && !own->disabled &&
                    !own->force && !own->reproducible && own->algorithm.empty() &&
                    own->trace.empty();
  // Not by own settings, which may differ between processes: all must wait for the same calls.
  world->defers = launcher_says_several_nodes(world->size);
  presence.cannot_wait = !world->can_wait;
  presence.is_unfit = is_unfit;
  presence.defers = world->defers;
  presence.has_clusters = !environment("ESPALIER_CLUSTERS").value_or("").empty();
  world->roll_call.begin(presence);
  world->account.spend(seconds_now() - begin);
  return world;
}

std::string declined_text(const World& world) {
  if (world.why_declined.empty()) return "";
  return fmt::format("espalier: no call was planned: {}\n", world.why_declined);
}

void explain_declined(const World& world) {
  if (world.settings.explain.empty() || world.why_declined.empty()) return;
  runtime::write_explanation(world.settings.explain, declined_text(world));
}

WorldAgreement agree_on_world(World& world, MPI_Comm over, bool is_in_init) {
  world.roll_call.wait();
  const RollCall& all = world.roll_call;
  if (const auto why = why_none(all)) {
    decline(world, *why);
    return WorldAgreement::None;
  }
  if (is_in_init && !all.nobody_can_wait()) return WorldAgreement::Later;
  world.is_threaded = all.any_threaded();
  Announcement told;
  if (world.rank == 0) {
    auto made = announcement(world.size, world.may_write_verdicts);
    if (made) {
      told = std::move(*made);
    } else {
      decline(world, made.error());
    }
  }
  const bool is_known = all.same_settings() && world.names_no_file;
  if (is_known) {
    if (world.settings.disabled) return WorldAgreement::None;
    told.settings = to_text(world.settings);
  } else {
    broadcast(told, over);
    if (told.settings.empty()) return WorldAgreement::None;
  }
  world.settings_text = told.settings;
  world.settings = runtime::settings_from_text(told.settings);
  if (!is_known && !nobody_contradicts(world, over)) {
    if (world.rank == 0) world.why_declined = "another rank has other settings";
    return WorldAgreement::None;
  }
  if (world.rank == 0) take_names_as_given(world.settings);
  if (!told.verdicts.empty()) {
    world.verdicts = std::make_shared<const runtime::Verdicts>(
        *runtime::Verdicts::from_text(told.verdicts, "ESPALIER_VERDICTS"));
  }
  world.is_agreed = true;
  begin_trace(world, over);
  if (!told.machine.empty()) {
    world.learn(known_machine(world, machine_from(told.machine), told.machine));
    return WorldAgreement::Reached;
  }
  world.places = all.places(over);
  if (all.any_clusters()) {
    if (auto named = machine_of_named_clusters(world, over)) {
      world.learn(*std::move(named));
      return WorldAgreement::Reached;
    }
  }
  const bool is_one_node = std::all_of(world.places.leaders.begin(), world.places.leaders.end(),
                                       [](int l) { return l == 0; });
  if (is_one_node || !world.settings.discover) {
    world.learn(machine_of_nodes(world));
  } else if (world.settings.force || world.settings.reproducible) {
    // Both hold from the first call on any communicator.
    world.learn(discovered_machine(world, over));
  } else {
    world.learns_late = true;
  }
  return WorldAgreement::Reached;
}

}  // namespace espalier::mpi
