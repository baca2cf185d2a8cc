#include "place/write_hosts.hpp"

#include <fmt/format.h>

#include <array>

namespace espalier::place {
namespace {

constexpr std::array<std::string_view, 4> kNames{"openmpi-rankfile", "openmpi-hostfile",
                                                 "mpich-machinefile", "slurm-hostfile"};

const std::string& host_of(const map::Problem& problem, std::uint32_t slot) {
  return problem.inventory->hosts[problem.slots[slot].host].name;
}

/// Whether the cores of a host are not all alike: it matters which one a process has.
bool has_parts(const map::Problem& problem, const map::Host& host) {
  return problem.machine().cluster_of(host.first_leaf) !=
         problem.machine().cluster_of(host.first_leaf + host.slots - 1);
}

/// Slots of a rankfile are cores of the host, counted from 0.
std::string rankfile(const map::Problem& problem, const map::Placement& placement) {
  std::string text;
  std::vector<std::uint32_t> used(problem.inventory->hosts.size());
  for (Rank p = 0; p < problem.size(); ++p) {
    const map::Slot& slot = problem.slots[placement[p]];
    const map::Host& host = problem.inventory->hosts[slot.host];
    const std::uint32_t core =
        has_parts(problem, host) ? slot.leaf - host.first_leaf : used[slot.host]++;
    text += fmt::format("rank {}={} slot={}\n", p, host.name, core);
  }
  return text;
}

std::string one_a_line(const map::Problem& problem, const map::Placement& placement) {
  std::string text;
  for (Rank p = 0; p < problem.size(); ++p) text += host_of(problem, placement[p]) + "\n";
  return text;
}

/// Hydra joins equal neighbours itself; counts make the file shorter.
std::string machinefile(const map::Problem& problem, const map::Placement& placement) {
  std::string text;
  for (Rank p = 0; p < problem.size();) {
    Rank end = p + 1;
    while (end < problem.size() &&
           problem.slots[placement[end]].host == problem.slots[placement[p]].host) {
      ++end;
    }
    text += fmt::format("{}:{}\n", host_of(problem, placement[p]), end - p);
    p = end;
  }
  return text;
}

/// "n1:2,n2:1", in the order in which ranks come to them. Open MPI 5 has no other hosts than these:
/// those of a rankfile alone it refuses.
std::string hosts_and_counts(const map::Problem& problem, const map::Placement& placement) {
  std::vector<std::uint32_t> order, count(problem.inventory->hosts.size());
  for (Rank p = 0; p < problem.size(); ++p) {
    const std::uint32_t host = problem.slots[placement[p]].host;
    if (count[host]++ == 0) order.push_back(host);
  }
  std::string text;
  for (const std::uint32_t host : order) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", problem.inventory->hosts[host].name,
                        count[host]);
  }
  return text;
}

/// As one word of a shell's line.
std::string quoted(const std::string& name) {
  if (!name.empty() &&
      name.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./@%") ==
          std::string::npos) {
    return name;
  }
  std::string text = "'";
  for (const char c : name) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string_view name_of(HostsForm form) { return kNames[static_cast<std::size_t>(form)]; }

std::optional<HostsForm> hosts_form_named(std::string_view name) {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<HostsForm>(i);
  }
  return {};
}

std::string write_hosts(const map::Problem& problem, const map::Placement& placement,
                        HostsForm form) {
  switch (form) {
    case HostsForm::OpenMpiRankfile:
      return rankfile(problem, placement);
    case HostsForm::MpichMachinefile:
      return machinefile(problem, placement);
    case HostsForm::OpenMpiHostfile:
    case HostsForm::SlurmHostfile:
      return one_a_line(problem, placement);
  }
  return "";
}

std::string note_on_hosts(const map::Problem& problem, const map::Placement& placement,
                          HostsForm form) {
  if (form != HostsForm::MpichMachinefile) return "";
  std::vector<bool> was_there(problem.inventory->hosts.size());
  for (Rank p = 0; p < problem.size(); ++p) {
    const std::uint32_t host = problem.slots[placement[p]].host;
    const bool is_new_line = p == 0 || problem.slots[placement[p - 1]].host != host;
    if (is_new_line && was_there[host]) {
      return fmt::format(
          "{} comes again in the machinefile at rank {}, and MPICH's launcher takes it for another "
          "host then; ranks of a host would have to be neighbours",
          problem.inventory->hosts[host].name, p);
    }
    was_there[host] = true;
  }
  return "";
}

std::string launch_line(const map::Problem& problem, const map::Placement& placement,
                        HostsForm form, const std::string& name) {
  const std::string file = quoted(name);
  switch (form) {
    case HostsForm::OpenMpiRankfile:
      // Open MPI 5 takes --rankfile too, and would rather have --map-by rankfile:file=FILE.
      return fmt::format("mpiexec -n {} --host {} --rankfile {} PROGRAM", problem.size(),
                         quoted(hosts_and_counts(problem, placement)), file);
    case HostsForm::OpenMpiHostfile:
      return fmt::format("mpiexec -n {} --hostfile {} --map-by seq:OVERSUBSCRIBE PROGRAM",
                         problem.size(), file);
    case HostsForm::MpichMachinefile:
      return fmt::format("mpiexec -n {} -f {} PROGRAM", problem.size(), file);
    case HostsForm::SlurmHostfile:
      return fmt::format("SLURM_HOSTFILE={} srun -n {} --distribution=arbitrary PROGRAM", file,
                         problem.size());
  }
  return "";
}

}  // namespace espalier::place
