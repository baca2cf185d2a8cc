#include "cli/lab_actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "base/units.hpp"
#include "cli/output.hpp"
#include "cli/rank_list.hpp"
#include "cli/request.hpp"
#include "doctor/checks.hpp"
#include "lab/ending.hpp"
#include "lab/hosts.hpp"
#include "lab/lab.hpp"
#include "lab/run.hpp"
#include "lab/settings.hpp"
#include "lab/slow_hosts.hpp"
#include "lab/state.hpp"
#include "launch/ask.hpp"
#include "launch/command_line.hpp"
#include "launch/mpi_kind.hpp"
#include "launch/program.hpp"

namespace espalier::cli {
namespace {

Expected<lab::StateFolder> folder_of(const LabOptions& options) {
  return lab::state_folder(options.state.empty() ? lab::kDefaultState : options.state);
}

Error named(const char* where, Error error) {
  error.where = where;
  return error;
}

/// This tool, for hosts to call.
std::string self() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

std::vector<std::string> words_of(const std::vector<std::string>& lines) {
  std::vector<std::string> words;
  for (const std::string& line : lines) {
    std::istringstream in(line);
    for (std::string word; in >> word;) words.push_back(word);
  }
  return words;
}

/// A file that rank 0 writes on its host, as all hosts call it.
Expected<std::string> file_for_ranks(const char* option, const std::string& name) {
  std::error_code failed;
  std::string file = std::filesystem::absolute(name, failed).lexically_normal().string();
  if (failed) return Error{option, "the working folder is gone", "change to another one"};
  if (!file.starts_with("/tmp/") && !file.starts_with("/dev/shm/")) return file;
  return Error{option,
               fmt::format("{} would be lost: hosts of a lab have a /tmp of their own", file),
               "name a file in another folder"};
}

/// Our libraries for the ranks, and what they are told: the recorder first, which sees what the
/// program calls.
std::optional<Error> add_espalier(const LabOptions& options, lab::LaunchRequest& request) {
  std::vector<std::string_view> names;
  if (!options.profile.empty()) {
    names.push_back(launch::kRecorder);
    auto file = file_for_ranks("--profile", options.profile);
    if (!file) return file.error();
    request.environment.push_back("ESPALIER_PROFILE=" + *file);
  }
  const bool is_watched = !options.explain.empty() || !options.trace.empty();
  if (options.espalier || is_watched) names.push_back(launch::kLibrary);
  if (!options.trace.empty()) {
    auto file = file_for_ranks("--trace", options.trace);
    if (!file) return file.error();
    request.environment.push_back("ESPALIER_TRACE=" + *file);
  }
  if (!options.explain.empty()) {
    auto file = options.explain == "1" ? Expected<std::string>(options.explain)
                                       : file_for_ranks("--explain", options.explain);
    if (!file) return file.error();
    request.environment.push_back("ESPALIER_EXPLAIN=" + *file);
  }
  for (const std::string_view name : names) {
    auto library = lab::find_library(self(), std::string(name));
    if (!library) return library.error();
    request.preloads.push_back(*library);
  }
  return std::nullopt;
}

std::optional<Error> check_assignments(const LabOptions& options) {
  for (const std::string& line : options.environment) {
    const std::size_t equals = line.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return Error{"--env", fmt::format("\"{}\" is not NAME=VALUE", line),
                   "--env OMP_NUM_THREADS=1"};
    }
    if (line.starts_with("LD_PRELOAD=")) {
      return Error{"--env", "LD_PRELOAD is set by the lab itself",
                   fmt::format("--preload {} adds to it", line.substr(equals + 1))};
    }
  }
  return std::nullopt;
}

/// What the ranks are told by variables, theirs or --env: what they would write is not lost, and
/// what nobody reads is noted.
std::optional<Error> check_variables(const LabOptions& options) {
  doctor::Environment all = doctor::own_environment();
  for (const std::string& line : options.environment) {
    all[line.substr(0, line.find('='))] = line.substr(std::min(line.size(), line.find('=') + 1));
  }
  for (const char* name : {"ESPALIER_EXPLAIN", "ESPALIER_PROFILE", "ESPALIER_TRACE",
                           "ESPALIER_VERDICTS", "ESPALIER_LAB_TIMES"}) {
    const auto set = all.find(name);
    if (set == all.end() || set->second.empty() || set->second == "1") continue;
    if (auto file = file_for_ranks(name, set->second); !file) return file.error();
  }
  for (const auto& unknown : doctor::unknown_settings(all)) {
    write_message(
        fmt::format("lab run: note: {}: {}; {}\n", unknown.subject, unknown.what, unknown.cure));
  }
  return std::nullopt;
}

/// What the options of `up` and `set` say of links.
Expected<lab::Change> change_of_links(const LabOptions& options) {
  lab::Change change;
  const auto take_time = [](const char* name, const std::string& text, std::optional<Time>& to) {
    if (text.empty()) return std::optional<Error>{};
    auto time = parse_time(text);
    if (!time) return std::optional(named(name, time.error()));
    to = *time;
    return std::optional<Error>{};
  };
  const auto take_rate = [](const char* name, const std::string& text,
                            std::optional<Bandwidth>& to) {
    if (text.empty()) return std::optional<Error>{};
    auto rate = parse_bandwidth(text);
    if (!rate) return std::optional(named(name, rate.error()));
    to = *rate;
    return std::optional<Error>{};
  };
  const auto take_share = [](const char* name, const std::string& text,
                             std::optional<std::uint64_t>& to) {
    if (text.empty()) return std::optional<Error>{};
    auto share = lab::parse_millionths(name, text);
    if (!share) return std::optional(share.error());
    to = *share;
    return std::optional<Error>{};
  };
  if (auto bad = take_time("--latency", options.latency, change.latency)) return *bad;
  if (auto bad = take_time("--jitter", options.jitter, change.jitter)) return *bad;
  if (auto bad = take_rate("--bandwidth", options.bandwidth, change.bandwidth)) return *bad;
  if (auto bad = take_share("--loss", options.loss, change.loss_ppm)) return *bad;
  if (auto bad = take_share("--reorder", options.reorder, change.reorder_ppm)) return *bad;
  if (options.cross == "none") {
    change.cross = Bandwidth{0};
  } else if (auto bad = take_rate("--cross", options.cross, change.cross)) {
    return *bad;
  }
  if (change.cross && change.cross->unlimited()) {
    return Error{"--cross", "traffic of others has a rate", "20Mbit/s, or none"};
  }
  // Each burst of it is drawn by itself.
  constexpr Bandwidth kMostCross{100'000'000'000};
  if (change.cross && change.cross->bits_per_second > kMostCross.bits_per_second) {
    return Error{"--cross", "more than 100 Gbit/s of others cannot be emulated",
                 "20Mbit/s, or none"};
  }
  if (options.cut || options.mend) change.cut = options.cut;
  return change;
}

/// The names of what a program would load. Its file is looked at, and not run.
Expected<std::string> libraries_of(const std::string& program) {
  const std::string file = launch::find_program(program, ".", launch::environment("PATH"));
  if (file.empty()) return lab::no_program(program);
  auto looked_at = launch::look_at_program(file);
  if (!looked_at) return looked_at.error();
  std::string names;
  for (const launch::Library& library : looked_at->libraries) names += library.name + "\n";
  return names;
}

Expected<lab::LaunchRequest> launch_request(const LabOptions& options, const lab::OpenLab& lab) {
  lab::LaunchRequest request;
  request.ranks = lab.machine.size();
  if (!options.ranks.empty()) {
    auto last = parse_rank(options.ranks, lab.machine.size() + 1);
    if (!last || *last == 0) {
      return Error{
          "-n", fmt::format("the machine has {} ranks, not {}", lab.machine.size(), options.ranks),
          ""};
    }
    request.ranks = *last;
  }
  const std::string& program = options.command.front();
  if (options.mpi.empty()) {
    auto libraries = libraries_of(program);
    if (!libraries) return libraries.error();
    auto mpi = lab::mpi_in(*libraries, program);
    if (!mpi) return mpi.error();
    request.mpi = *mpi;
  } else {
    auto mpi = lab::mpi_called(options.mpi);
    if (!mpi) return mpi.error();
    request.mpi = *mpi;
  }
  request.poll = options.poll;
  request.preloads = options.preloads;
  request.environment = options.environment;
  request.mpiexec_arguments = words_of(options.with);
  if (auto lost = check_variables(options)) return *lost;
  if (auto missing = add_espalier(options, request)) return *missing;
  request.program = options.command;
  return lab::completed(std::move(request), lab, self());
}

/// Where the kernel does not cap slow hosts, that holds for ranks only.
void note_slow_hosts(const lab::OpenLab& lab) {
  if (lab.cpu) return;
  for (const lab::LabHost& host : lab.plan.hosts) {
    if (lab::cpu_share(lab.ranks, host) >= lab::kAllOfACore) continue;
    write_message(
        "lab: note: slow hosts are not capped by the kernel (cgroups) here; the library in the "
        "ranks of lab run slows them, other programs run at full speed\n");
    return;
  }
}

Outcome set_hosts(const LabOptions& options, lab::OpenLab& lab) {
  lab::HostChange change;
  if (!options.send.empty()) {
    auto send = lab::parse_cost(options.send);
    if (!send) return Failure{named("--send", send.error())};
    change.send = *send;
  }
  if (!options.cpu.empty()) {
    auto share = lab::parse_share(options.cpu);
    if (!share) return Failure{share.error()};
    change.cpu_permille = *share;
  }
  auto hosts = lab::hosts_called(lab.machine, lab.plan, options.link);
  if (!hosts) return Failure{hosts.error()};
  if (auto bad = lab::apply(change, *hosts, lab)) return Failure{*bad};
  if (change.cpu_permille) note_slow_hosts(lab);
  return std::nullopt;
}

/// What a run that ended badly may have ended by: memory, or a lab that broke.
std::string what_happened_meanwhile(const LabOptions& options, std::uint64_t oom_kills_before) {
  std::string text;
  if (const std::uint64_t kills = lab::oom_kills() - oom_kills_before; kills > 0) {
    text = fmt::format(
        "; the kernel's out-of-memory killer ended {} processes of this computer meanwhile", kills);
  }
  const auto now = lab_of(options);
  if (now && !now->is_whole()) text += "; the lab is broken: " + lab::why_broken(*now);
  return text;
}

}  // namespace

Expected<lab::OpenLab> lab_of(const LabOptions& options) {
  auto folder = folder_of(options);
  if (!folder) return folder.error();
  return lab::open_lab(*folder);
}

Outcome lab_up(const LabOptions& options) {
  auto folder = folder_of(options);
  if (!folder) return Failure{folder.error()};
  auto change = change_of_links(options);
  if (!change) return Failure{change.error()};
  lab::UpSettings settings;
  if (!options.queue.empty()) {
    auto queue = parse_time(options.queue);
    if (!queue) return Failure{named("--queue", queue.error())};
    settings.longest_queue = *queue;
  }
  if (!options.slow_by.empty()) settings.slow_by_library = options.slow_by == "library";
  if (!options.slow_by.empty() && options.slow_by != "library" && options.slow_by != "kernel") {
    return Failure{
        {"--slow-by", fmt::format("\"{}\" slows nothing", options.slow_by), "kernel or library"}};
  }
  auto machine = machine_from(options.machine, "MACHINE");
  if (!machine) return Failure{machine.error()};
  if (!options.hosts.empty()) {
    auto text = lab::read_text(options.hosts);
    if (!text) return Failure{text.error()};
    machine = lab::placed_machine(*machine, *text, options.hosts);
    if (!machine) return Failure{machine.error()};
  }
  const auto result = lab::up(*folder, *machine, settings, self());
  if (!result) return Failure{result.error()};
  auto lab = lab::open_lab(*folder);
  if (!lab) return Failure{lab.error()};
  if (!change->is_empty()) {
    auto chosen = lab::links_called(lab->machine, lab->plan, "level0");
    if (!chosen) return Failure{chosen.error()};
    lab::apply(*change, *chosen, lab->board.cells());
  }
  const char* what = "up";
  switch (*result) {
    case lab::UpResult::Started:
      break;
    case lab::UpResult::WasUp:
      what = "was up already";
      break;
    case lab::UpResult::RouterRestarted:
      what = "repaired: its router is running again";
      break;
    case lab::UpResult::Rebuilt:
      what = "repaired: it was built again";
      break;
  }
  note_slow_hosts(*lab);
  std::vector<std::string> names;
  for (const lab::LabHost& h : lab->plan.hosts) names.push_back(h.name);
  return write_output("-", fmt::format("lab {}: {} hosts, {} ranks: {}\n", what, names.size(),
                                       lab->machine.size(), fmt::join(names, " ")));
}

Outcome lab_down(const LabOptions& options) {
  auto folder = folder_of(options);
  if (!folder) return Failure{folder.error()};
  const auto result = lab::down(*folder);
  if (!result) return Failure{result.error()};
  if (!result->left.empty()) {
    write_message(fmt::format("lab: note: {} stays, for it holds what is not the lab's: {}\n",
                              folder->path, fmt::join(result->left, ", ")));
  }
  return write_output("-", result->was_there ? "lab down\n" : "no lab was up\n");
}

Outcome lab_exec(const LabOptions& options) {
  auto lab = lab_of(options);
  if (!lab) return Failure{lab.error()};
  auto host = lab::host_called(lab->plan, options.host);
  if (!host) return Failure{host.error()};
  restore_signals();
  return Failure{lab::exec_on_host(*lab, *host, options.command)};
}

Outcome lab_run(const LabOptions& options) {
  if (auto wrong = check_assignments(options)) return Failure{*wrong};
  auto lab = lab_of(options);
  if (!lab) return Failure{lab.error()};
  if (!lab->is_whole()) {
    return Failure{{"lab run", "the lab is broken: " + lab::why_broken(*lab),
                    "repair it: espalier lab up MACHINE"}};
  }
  auto request = launch_request(options, *lab);
  if (!request) return Failure{request.error()};
  const auto launch = lab::launch(*request, lab->machine, lab->plan);
  if (!launch) return Failure{launch.error()};
  if (options.print) {
    return write_output("-", launch::to_text(launch->command) + "\n");
  }
  const std::uint64_t kills_before = lab::oom_kills();
  const auto code = lab::run_launch(*lab, *request, *launch);
  if (!code) return Failure{code.error()};
  if (*code == 0) return std::nullopt;
  return Failure{{"lab run",
                  fmt::format("it ended with exit code {}{}", *code,
                              what_happened_meanwhile(options, kills_before)),
                  ""},
                 *code};
}

Outcome lab_set(const LabOptions& options) {
  auto lab = lab_of(options);
  if (!lab) return Failure{lab.error()};
  auto asked = change_of_links(options);
  if (!asked) return Failure{asked.error()};
  const lab::Change& change = *asked;
  const bool of_links = !change.is_empty();
  const bool of_hosts = !options.send.empty() || !options.cpu.empty();
  if (!of_links && !of_hosts) {
    return Failure{{"lab set", "nothing is to be changed",
                    "give --latency, --bandwidth, --loss, --jitter, --reorder, --cross, --cut or "
                    "--mend of links, --send or --cpu of hosts"}};
  }
  if (of_hosts) {
    if (auto bad = set_hosts(options, *lab)) return bad;
  }
  if (!of_links) return std::nullopt;
  auto chosen = lab::links_called(lab->machine, lab->plan, options.link);
  if (!chosen) return Failure{chosen.error()};
  lab::apply(change, *chosen, lab->board.cells());
  return std::nullopt;
}

}  // namespace espalier::cli
