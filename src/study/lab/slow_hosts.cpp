#include "lab/slow_hosts.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "base/units.hpp"
#include "lab/processes.hpp"

namespace espalier::lab {
namespace {

/// Cores' time, in thousandths of a core: no host has more cores than this computer.
std::int64_t cores_permille(std::int64_t share, const LabHost& host) {
  const long cores = std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN));
  return share * std::min<std::int64_t>(cores, static_cast<std::int64_t>(host.ranks.size()));
}

ino_t network_of(pid_t process) {
  struct stat found {};
  return ::stat(fmt::format("/proc/{}/ns/net", process).c_str(), &found) == 0 ? found.st_ino : 0;
}

/// Priorities of their own are not capped, and version 1 takes no process that has one.
void make_ordinary(pid_t process) {
  std::error_code bad;
  const sched_param none{};
  for (const auto& thread :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process), bad)) {
    (void)::sched_setscheduler(std::atoi(thread.path().filename().c_str()), SCHED_OTHER, &none);
  }
}

std::optional<Error> cap_running(const CpuGroups& groups, std::int64_t share, std::size_t h,
                                 const OpenLab& lab) {
  const LabHost& host = lab.plan.hosts[h];
  if (share >= kAllOfACore) return groups.uncap(host.name);
  if (auto e = groups.cap(host.name, cores_permille(share, host))) return e;
  const ino_t network = network_of(lab.holders[h]);
  for (const pid_t process : processes_of(lab.folder)) {
    if (network == 0 || network_of(process) != network) continue;
    make_ordinary(process);
    // One that ended meanwhile is no error.
    if (auto e = groups.join(host.name, process); e && network_of(process) == network) return e;
  }
  return std::nullopt;
}

}  // namespace

Expected<std::vector<std::size_t>> hosts_called(const topology::Machine& machine,
                                                const LabPlan& plan, const std::string& name) {
  std::vector<std::size_t> found;
  for (std::size_t h = 0; h < plan.hosts.size(); ++h) {
    const std::string place = path_name(machine, plan.hosts[h].place);
    if (plan.hosts[h].name == name || place == name || place.starts_with(name + ".") ||
        name == "machine") {
      found.push_back(h);
    }
  }
  if (!found.empty()) return found;
  return Error{"lab", fmt::format("there is no host \"{}\"", name),
               "give a host as espalier lab status names it, or a part of the machine"};
}

std::int64_t cpu_share(const RankBoard& ranks, const LabHost& host) {
  std::int64_t sum = 0;
  for (const Rank r : host.ranks) sum += ranks.read(r).cpu_permille;
  return host.ranks.empty() ? kAllOfACore : sum / static_cast<std::int64_t>(host.ranks.size());
}

std::optional<Error> cap_slow_hosts(const CpuGroups& groups, const RankBoard& ranks,
                                    const LabPlan& plan) {
  for (const LabHost& host : plan.hosts) {
    const std::int64_t share = cpu_share(ranks, host);
    if (share >= kAllOfACore) continue;
    if (auto e = groups.cap(host.name, cores_permille(share, host))) return e;
  }
  return std::nullopt;
}

std::optional<Error> apply(const HostChange& change, const std::vector<std::size_t>& hosts,
                           OpenLab& lab) {
  for (const std::size_t h : hosts) {
    for (const Rank r : lab.plan.hosts[h].ranks) {
      EspalierRankCell cell = lab.ranks.read(r);
      if (change.send) {
        const Bandwidth rate = change.send->rate;
        cell.send_ns = change.send->fixed.picoseconds / 1000;
        cell.send_bits_per_second =
            rate.unlimited() ? 0 : static_cast<std::int64_t>(rate.bits_per_second);
      }
      if (change.cpu_permille) cell.cpu_permille = *change.cpu_permille;
      lab.ranks.write(r, cell);
    }
    if (!change.cpu_permille || !lab.cpu) continue;
    if (auto e = cap_running(*lab.cpu, *change.cpu_permille, h, lab)) return e;
  }
  return std::nullopt;
}

Expected<topology::Cost> parse_cost(const std::string& text) {
  const std::size_t plus = text.find('+');
  auto fixed = parse_time(text.substr(0, plus));
  if (!fixed) return fixed.error();
  topology::Cost cost{*fixed, kUnlimited};
  if (plus == std::string::npos) return cost;
  auto rate = parse_bandwidth(text.substr(plus + 1));
  if (!rate) return rate.error();
  cost.rate = *rate;
  return cost;
}

Expected<std::int64_t> parse_share(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const bool percent = end != nullptr && std::string(end) == "%";
  const double permille = value * (percent ? 10 : 1000);
  if (text.empty() || end == text.c_str() || (*end != '\0' && !percent) || !(permille >= 1) ||
      permille > 1000) {
    return Error{"--cpu", fmt::format("\"{}\" is no share of a processor's time", text),
                 "47% or 0.47, say"};
  }
  return std::llround(permille);
}

}  // namespace espalier::lab
