#include "cli/run_placed.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "base/units.hpp"
#include "cli/example_machines.hpp"
#include "cli/forecast_links.hpp"
#include "cli/output.hpp"
#include "cli/rank_list.hpp"
#include "launch/launcher_options.hpp"
#include "place/load_inventory.hpp"
#include "place/portfolio.hpp"
#include "place/write_hosts.hpp"
#include "profile/load.hpp"
#include "report/text.hpp"

namespace espalier::cli {
namespace {

/// A file without a name that lives as long as the launcher: what it opens as its own descriptor.
Expected<std::string> unnamed_file(const std::string& text) {
  const int file = ::memfd_create("espalier-hosts", 0);
  if (file < 0 || ::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    return Error{"--place", fmt::format("no file for the launcher: {}", std::strerror(errno)),
                 "name one: --hosts FILE"};
  }
  return fmt::format("/proc/self/fd/{}", file);
}

Expected<std::string> hosts_file(const PlacedRun& placed, const std::string& text) {
  if (placed.hosts.empty()) return unnamed_file(text);
  if (Outcome bad = write_output(placed.hosts, text)) return bad->error;
  return placed.hosts;
}

/// Open MPI 4 knows the host it is started on by its name alone when hosts are taken in sequence.
std::string with_own_name(const std::string& hosts) {
  char own[256] = "localhost";
  if (::gethostname(own, sizeof own - 1) != 0) return hosts;
  std::istringstream lines(hosts);
  std::string named;
  for (std::string line; std::getline(lines, line);) {
    named += (line == "localhost" ? std::string(own) : line) + "\n";
  }
  return named;
}

/// "C, A and 2 more"
std::string clusters_of(const map::Problem& problem, const map::Placement& placement) {
  std::vector<std::string> names;
  for (const std::uint32_t slot : placement) {
    const map::Host& host = problem.inventory->hosts[problem.slots[slot].host];
    const std::string& name = host.cluster.empty() ? host.name : host.cluster;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  constexpr std::size_t kShown = 8;
  const std::size_t more = names.size() > kShown ? names.size() - kShown : 0;
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

/// Options that say where processes go, which is what the file for the launcher says too.
std::optional<Error> told_already(const launch::CommandLine& line) {
  constexpr std::array<std::string_view, 24> kPlaces{
      "f",       "hosts",    "host",        "hostfile",    "machinefile", "default-hostfile",
      "H",       "ppn",      "order-nodes", "rankmap",     "rf",          "rankfile",
      "ppr",     "bynode",   "byslot",      "npernode",    "pernode",     "npersocket",
      "machine", "machines", "hostlist",    "machinelist", "N",           "map-by"};
  // Of MPICH the last is the order of cores within a host.
  const std::size_t count = kPlaces.size() - (line.kind == launch::Launcher::Hydra ? 1 : 0);
  const auto told = launch::option_among(line, std::span(kPlaces).first(count));
  if (!told) return std::nullopt;
  return Error{"--place", fmt::format("the launcher is told already where processes go: {}", *told),
               "leave that out, or --place"};
}

}  // namespace

Expected<Rank> processes_asked(const launch::CommandLine& line) {
  const launch::CommandLine::Part& part = line.parts.front();
  for (std::size_t i = line.launcher + 1; i + 1 < part.program; ++i) {
    const std::string& word = line.words[i];
    if (word != "-n" && word != "-np" && word != "--n" && word != "--np" && word != "-c") continue;
    auto count = parse_rank(line.words[i + 1], 1U << 20);
    if (count && *count > 0) return *count;
    return Error{word, fmt::format("\"{}\" is no number from 1 on", line.words[i + 1]), "-n 16"};
  }
  return Error{"--place", "the launcher is not told how many processes to start",
               "write it: mpiexec -n 16 ./program"};
}

Expected<std::vector<std::string>> placed_command(const PlacedRun& placed,
                                                  const launch::Chosen& chosen,
                                                  const std::vector<std::string>& words) {
  if (!chosen.line || launch::is_slurm(chosen.line->kind)) {
    return Error{"--place", "only mpiexec can be told where each process goes",
                 "espalier place --format slurm-hostfile writes a file for srun"};
  }
  if (chosen.line->parts.size() != 1) {
    return Error{"--place", "several programs are not placed", "run one program, or place by hand"};
  }
  if (auto wrong = told_already(*chosen.line)) return *wrong;
  if (placed.profile.empty()) {
    return Error{"--place", "nothing says how the program communicates",
                 "--by PROFILE: record one (espalier run --profile FILE), or name a workload"};
  }
  auto count = processes_asked(*chosen.line);
  if (!count) return count.error();
  const auto profile = profile::load_profile(placed.profile, *count);
  if (!profile) return profile.error();
  if (profile->size() != *count) {
    return Error{
        "--by",
        fmt::format("the profile is of {} processes, and {} are started", profile->size(), *count),
        "profile a run of as many"};
  }
  const auto forecast = forecast_links_from(placed.weather);
  if (!forecast) return forecast.error();
  const auto inventory = place::load_inventory(file_of_machine(placed.inventory), *forecast);
  if (!inventory) return inventory.error();
  for (const std::string& note : inventory->notes) {
    write_message(
        fmt::format("espalier run: {}: note: {}\n", placed.inventory, report::printable(note)));
  }
  const auto constraints = constraints_from(placed.constraints);
  if (!constraints) return constraints.error();
  if (auto wrong = map::why_too_much(*profile)) return *wrong;
  const auto problem = make_problem(*inventory, *profile, *constraints);
  if (!problem) return problem.error();
  const place::Answer answer = place::place_processes(*problem);
  const place::Candidate& best = answer.candidates[answer.chosen];
  const Time listed = answer.candidates[0].predicted;
  write_message(
      fmt::format("espalier run: {} processes on {}; predicted {}, {} with the hosts as listed\n",
                  *count, clusters_of(*problem, best.placement), rounded(best.predicted),
                  listed == best.predicted ? "as" : rounded(listed)));
  const bool is_mpich = chosen.mpi == launch::Mpi::Mpich;
  const auto form =
      is_mpich ? place::HostsForm::MpichMachinefile : place::HostsForm::OpenMpiHostfile;
  const std::string hosts = write_hosts(*problem, best.placement, form);
  const std::string again = note_on_hosts(*problem, best.placement, form);
  if (!again.empty()) write_message(fmt::format("espalier run: note: {}\n", again));
  const auto file = hosts_file(placed, is_mpich ? hosts : with_own_name(hosts));
  if (!file) return file.error();
  std::vector<std::string> added =
      is_mpich ? std::vector<std::string>{"-f", *file}
               : std::vector<std::string>{"--hostfile", *file, "--map-by", "seq:OVERSUBSCRIBE"};
  std::vector<std::string> command = words;
  command.insert(command.begin() + static_cast<std::ptrdiff_t>(chosen.line->launcher) + 1,
                 added.begin(), added.end());
  return command;
}

}  // namespace espalier::cli
