#include "lab/lab.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "lab/daemon.hpp"
#include "lab/ending.hpp"
#include "lab/interface.hpp"
#include "lab/processes.hpp"
#include "lab/slow_hosts.hpp"
#include "lab/state.hpp"
#include "topology/writers.hpp"

namespace espalier::lab {
namespace {

std::string hosts_file(const LabPlan& plan) {
  std::string text = "127.0.0.1 localhost\n";
  for (const LabHost& h : plan.hosts)
    text += fmt::format("{} {}\n", address_text(h.address), h.name);
  return text;
}

/// As one word of a shell.
std::string in_quotes(const std::string& word) {
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// What both MPIs call instead of ssh: [options] HOST COMMAND...
std::string remote_shell(const StateFolder& folder, const std::string& self) {
  return fmt::format(
      "#!/bin/sh\n"
      "while :; do case $1 in -[lop]) shift 2;; -*) shift;; *) break;; esac; done\n"
      "host=$1; shift\n"
      "exec {} lab exec --state {} \"$host\" -- /bin/sh -c \"$*\"\n",
      in_quotes(self), in_quotes(folder.path));
}

/// What is slow about ranks and hosts, as the machine says. Where the kernel does not let us cap
/// hosts, the library in the ranks has to do it.
std::optional<Error> slow_down(const StateFolder& folder, const topology::Machine& machine,
                               const LabPlan& plan, const UpSettings& settings) {
  std::vector<EspalierRankCell> cells = rank_cells(machine);
  std::optional<CpuGroups> groups;
  if (!settings.slow_by_library.value_or(false)) {
    auto made = CpuGroups::make(folder);
    const bool is_asked_for = settings.slow_by_library.has_value();
    if (!made && is_asked_for) {
      return Error{"--slow-by", made.error().what, "--slow-by library"};
    }
    if (made) groups = *made;
  }
  for (EspalierRankCell& cell : cells) cell.cpu_by_library = groups ? 0 : 1;
  auto ranks = RankBoard::create(folder.ranks(), cells);
  if (!ranks) return ranks.error();
  return groups ? cap_slow_hosts(*groups, *ranks, plan) : std::nullopt;
}

std::optional<Error> write_files(const StateFolder& folder, const topology::Machine& machine,
                                 const LabPlan& plan, const UpSettings& settings,
                                 const std::string& self) {
  if (::mkdir(folder.own().c_str(), 0755) != 0 && errno != EEXIST) {
    return Error{folder.own(), fmt::format("cannot be made: {}", std::strerror(errno)), ""};
  }
  if (auto e = write_text(folder.hosts(), hosts_file(plan), 0644)) return e;
  if (auto e = write_text(folder.shell(), remote_shell(folder, self), 0755)) return e;
  if (auto board = LinkBoard::create(folder.links(), plan.links,
                                     settings.longest_queue.value_or(kLongestQueue));
      !board) {
    return board.error();
  }
  if (auto e = slow_down(folder, machine, plan, settings)) return e;
  // Last: where a machine is written, all else is.
  return write_text(folder.machine(), topology::write_json(machine), 0644);
}

std::string lines(const std::vector<pid_t>& pids) {
  return fmt::format("{}\n", fmt::join(pids, "\n"));
}

std::optional<Error> start_hosts(const StateFolder& folder, const LabPlan& plan) {
  std::vector<Starting> starting;
  for (const LabHost& h : plan.hosts) {
    auto host = start_host(folder, h);
    if (!host) return host.error();
    starting.push_back(*std::move(host));
  }
  std::vector<pid_t> holders;
  for (Starting& s : starting) {
    auto pid = wait_until_ready(std::move(s));
    if (!pid) return pid.error();
    holders.push_back(*pid);
  }
  return write_text(folder.holders(), lines(holders) + oom_line(), 0644);
}

std::optional<Error> start_new_router(const StateFolder& folder, const LabPlan& plan) {
  const std::vector<pid_t> holders = saved_pids(folder.holders());
  auto starting = start_router(folder, plan, holders);
  if (!starting) return starting.error();
  auto pid = wait_until_ready(*std::move(starting));
  if (!pid) return pid.error();
  return write_text(folder.router(), lines({*pid}), 0644);
}

/// With the lock held; the folder stays, and what else somebody put there.
/// @return that
Expected<std::vector<std::string>> clear(const StateFolder& folder) {
  if (auto e = why_not_a_labs(folder)) return *std::move(e);
  if (auto e = end_processes(folder)) return *std::move(e);
  if (auto e = remove_cpu_groups(folder)) return *std::move(e);
  return remove_lab_files(folder);
}

std::optional<Error> build(const StateFolder& folder, const topology::Machine& machine,
                           const LabPlan& plan, const UpSettings& settings,
                           const std::string& self) {
  if (auto e = put_sign(folder)) return e;
  if (auto e = write_files(folder, machine, plan, settings, self)) return e;
  if (auto e = start_hosts(folder, plan)) return e;
  return start_new_router(folder, plan);
}

/// An empty folder may be anybody's: labs put their sign there before anything else.
bool is_empty_or_missing(const std::string& folder) {
  std::error_code bad;
  return std::filesystem::directory_iterator(folder, bad) ==
             std::filesystem::directory_iterator() &&
         (!bad || bad == std::errc::no_such_file_or_directory);
}

/// Why a lab that is up cannot be taken as it is: the queue and who slows hosts are what it was
/// brought up with.
std::optional<Error> why_not_as_it_is(const UpSettings& settings, OpenLab& lab) {
  const std::string hint = "espalier lab down first, or leave it out";
  const std::int64_t queue_ns = lab.board.router().longest_queue_ns;
  if (settings.longest_queue && settings.longest_queue->picoseconds / 1000 != queue_ns) {
    return Error{"--queue", fmt::format("the lab is up with another: {} us", queue_ns / 1000),
                 hint};
  }
  if (settings.slow_by_library.value_or(false) && lab.cpu) {
    return Error{"--slow-by", "the lab is up, and the kernel slows its hosts", hint};
  }
  if (!settings.slow_by_library.value_or(true) && !lab.cpu) {
    return Error{"--slow-by", "the lab is up, and the library slows its hosts", hint};
  }
  return std::nullopt;
}

/// Whether a host or the router is still there, so that programs may run in it.
bool lives(const OpenLab& lab) {
  return lab.router != 0 || std::any_of(lab.holders.begin(), lab.holders.end(),
                                        [](pid_t holder) { return holder != 0; });
}

/// If it is empty.
void remove_state_folder(const StateFolder& folder) { (void)::rmdir(folder.path.c_str()); }

}  // namespace

bool OpenLab::is_whole() const {
  return router != 0 && std::find(holders.begin(), holders.end(), 0) == holders.end();
}

Expected<OpenLab> open_lab(const StateFolder& folder) {
  if (auto e = why_not_trusted(folder)) return *std::move(e);
  auto machine = saved_machine(folder);
  if (!machine) return machine.error();
  auto plan = plan_lab(*machine);
  if (!plan) return plan.error();
  auto board = LinkBoard::open(folder.links(), plan->links.size());
  if (!board) return board.error();
  auto ranks = RankBoard::open(folder.ranks(), machine->size());
  if (!ranks) return ranks.error();
  OpenLab lab{folder, *std::move(machine), *std::move(plan),  saved_pids(folder.holders()),
              0,      *std::move(board),   *std::move(ranks), CpuGroups::of(folder)};
  lab.holders.resize(lab.plan.hosts.size(), 0);
  for (pid_t& pid : lab.holders) {
    if (pid != 0 && !belongs_to(folder, pid)) pid = 0;
  }
  for (const pid_t pid : saved_pids(folder.router())) {
    if (belongs_to(folder, pid)) lab.router = pid;
  }
  return lab;
}

Expected<UpResult> up(const StateFolder& folder, const topology::Machine& machine,
                      const UpSettings& settings, const std::string& self) {
  if (auto why = why_no_lab()) return *why;
  auto plan = plan_lab(machine);
  if (!plan) return plan.error();
  auto lock = StateLock::take(folder);
  if (!lock) return lock.error();

  UpResult result = UpResult::Started;
  if (auto there = open_lab(folder)) {
    const bool same = there->machine == machine;
    if (there->is_whole() && same) {
      if (auto e = why_not_as_it_is(settings, *there)) return *e;
      return UpResult::WasUp;
    }
    if (!same && lives(*there)) {
      return Error{"lab", fmt::format("another lab is up in {}", folder.path),
                   "espalier lab down first, or give this one another --state"};
    }
    const bool all_hosts =
        std::find(there->holders.begin(), there->holders.end(), 0) == there->holders.end();
    if (same && all_hosts) {
      if (auto e = why_not_as_it_is(settings, *there)) return *e;
      if (auto e = start_new_router(folder, *plan)) return *e;
      return UpResult::RouterRestarted;
    }
    if (same) result = UpResult::Rebuilt;
  }
  if (auto cleared = clear(folder); !cleared) return cleared.error();
  if (auto e = build(folder, machine, *plan, settings, self)) {
    if (clear(folder)) remove_state_folder(folder);
    return *e;
  }
  return result;
}

Expected<DownResult> down(const StateFolder& folder) {
  if (auto e = why_not_trusted(folder)) return *std::move(e);
  if (is_empty_or_missing(folder.path) && processes_of(folder).empty()) return DownResult{};
  auto lock = StateLock::take(folder);
  if (!lock) return lock.error();
  auto left = clear(folder);
  if (!left) return left.error();
  remove_state_folder(folder);
  return DownResult{true, *std::move(left)};
}

Expected<std::size_t> host_called(const LabPlan& plan, const std::string& name) {
  std::vector<std::string> names;
  for (const LabHost& h : plan.hosts) names.push_back(h.name);
  const auto it = std::find(names.begin(), names.end(), name);
  if (it != names.end()) return static_cast<std::size_t>(it - names.begin());
  return Error{"lab", fmt::format("there is no host \"{}\"", name),
               fmt::format("hosts: {}", fmt::join(names, " "))};
}

}  // namespace espalier::lab
