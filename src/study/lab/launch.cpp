#include "lab/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/mpi_names.hpp"

namespace espalier::lab {
namespace {

using Words = std::vector<std::string>;

std::string joined_preloads(const LaunchRequest& request) {
  Words libraries{request.shim};
  libraries.insert(libraries.end(), request.preloads.begin(), request.preloads.end());
  return fmt::format("{}", fmt::join(libraries, ":"));
}

Words rank_environment(const LaunchRequest& request) {
  Words variables = request.environment;
  variables.push_back("LD_PRELOAD=" + joined_preloads(request));
  // Who says whether ranks go first (many more ranks than cores had better not) is heard.
  const bool is_told = std::any_of(variables.begin(), variables.end(), [](const std::string& one) {
    return one.starts_with("ESPALIER_LAB_PRIORITY=");
  });
  if (request.poll) {
    variables.emplace_back("ESPALIER_LAB_SLEEP_US=0");
  } else if (!is_told) {
    variables.emplace_back("ESPALIER_LAB_PRIORITY=1");
  }
  if (!request.rank_cells.empty()) variables.push_back("ESPALIER_LAB_RANKS=" + request.rank_cells);
  return variables;
}

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// Between spaces; none of ours holds one.
Words split(std::string_view text) {
  Words words;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    words.emplace_back(word);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return words;
}

using HostOfRank = std::vector<std::size_t>;

/// The number of different hosts over which the ranks go round and round; 0 if they do not.
std::size_t hosts_in_turn(const HostOfRank& host_of) {
  std::set<std::size_t> seen;
  while (seen.size() < host_of.size() && seen.insert(host_of[seen.size()]).second) {
  }
  const std::size_t turn = seen.size();
  if (turn < 2 || turn == host_of.size()) return 0;
  for (std::size_t r = turn; r < host_of.size(); ++r) {
    if (host_of[r] != host_of[r - turn]) return 0;
  }
  return turn;
}

/// Consecutive ranks on one host share a line, host:count. Where hosts come up again in turn, each
/// has one line and -ppn 1 makes mpiexec go round: it takes a host on two lines for two computers.
std::optional<Error> place_for_mpich(const LabPlan& plan, const HostOfRank& host_of,
                                     Launch& launch) {
  const auto name = [&](std::size_t r) { return plan.hosts[host_of[r]].name; };
  if (const std::size_t turn = hosts_in_turn(host_of); turn > 0) {
    for (std::size_t r = 0; r < turn; ++r) launch.hostfile += name(r) + "\n";
    append(launch.command, {"-ppn", "1"});
    return std::nullopt;
  }
  std::set<std::size_t> seen;
  for (std::size_t r = 0; r < host_of.size();) {
    std::size_t end = r;
    while (end < host_of.size() && host_of[end] == host_of[r]) ++end;
    if (!seen.insert(host_of[r]).second) {
      return Error{
          "lab",
          fmt::format("MPICH's mpiexec cannot place rank {} on host {} again, after other hosts: "
                      "it has ranks in blocks, or in turn over hosts with equally many",
                      r, name(r)),
          "a machine with placement=block, or a program of Open MPI, which takes every placement"};
    }
    launch.hostfile += fmt::format("{}:{}\n", name(r), end - r);
    r = end;
  }
  return std::nullopt;
}

Words mpich_command(const LaunchRequest& request, const Words& environment) {
  Words command = split("mpiexec.mpich -launcher ssh -iface eth0 -bind-to none");
  append(command, {"-launcher-exec", request.remote_shell, "-f", request.hostfile});
  append(command, split("-genv UCX_TLS self,sm,tcp -genv UCX_NET_DEVICES eth0"));
  for (const std::string& variable : environment) {
    const std::size_t equals = variable.find('=');
    append(command, {"-genv", variable.substr(0, equals), variable.substr(equals + 1)});
  }
  return command;
}

/// One line a rank, which --map-by seq takes one after the other. Open MPI 5 counts the lines of a
/// host as its slots only if it may oversubscribe; without that it starts nothing and tells no
/// error.
void place_for_open_mpi(const LabPlan& plan, const HostOfRank& host_of, Launch& launch) {
  for (const std::size_t h : host_of) launch.hostfile += plan.hosts[h].name + "\n";
}

/// For Open MPI 4 and 5: 5 still takes vader for sm, and hands on to PRRTE what is PRRTE's now
/// (plm_rsh_agent, oob_tcp_if_include).
Words open_mpi_command(const LaunchRequest& request, const Words& environment) {
  Words command = split(
      "mpiexec.openmpi --allow-run-as-root --bind-to none --map-by "
      "seq:OVERSUBSCRIBE");
  append(command, {"--hostfile", request.hostfile, "--mca", "plm_rsh_agent", request.remote_shell});
  append(command, split("--mca pml ob1 --mca btl self,vader,tcp --mca btl_tcp_if_include eth0 "
                        "--mca oob_tcp_if_include eth0"));
  // An idle rank without connections then calls sched_yield, where the shim lets it sleep.
  if (!request.poll) append(command, split("--mca mpi_yield_when_idle 1"));
  for (const std::string& variable : environment) append(command, {"-x", variable});
  return command;
}

/// Words for mpiexec that would put ranks elsewhere than the machine says: the library would be
/// told a machine on which they are not.
std::optional<Error> why_placed_twice(const Words& words) {
  static const std::set<std::string_view> kHosts{
      "f",  "hosts",    "host",    "H",           "hostfile",
      "rf", "rankfile", "machine", "machinefile", "default-hostfile"};
  for (const std::string& word : words) {
    const std::size_t name = std::min(word.find_first_not_of('-'), word.size());
    const bool is_option = name > 0 && kHosts.contains(std::string_view(word).substr(name));
    if (!is_option && !word.starts_with("rankfile:")) continue;
    return Error{"--with",
                 fmt::format("\"{}\": the lab itself tells mpiexec where ranks run", word),
                 "to put them elsewhere: espalier lab up MACHINE --hosts FILE, a file of espalier "
                 "place --format openmpi-hostfile"};
  }
  return std::nullopt;
}

}  // namespace

Expected<Mpi> mpi_called(const std::string& name) {
  if (name == "mpich") return Mpi::Mpich;
  if (name == "openmpi") return Mpi::OpenMpi;
  return Error{"--mpi", fmt::format("\"{}\" is no MPI of the lab", name),
               mpi_meant(name) + "mpich or openmpi"};
}

Expected<Mpi> mpi_in(const std::string& libraries, const std::string& program) {
  const auto has = [&libraries](const char* name) {
    return libraries.find(name) != std::string::npos;
  };
  // MPICH calls its library libmpi.so.12 too, unless Debian renames it; so do Intel MPI and
  // MVAPICH. Open MPI had that number once (1.10), always beside libopen-pal.
  const bool is_old_open_mpi = has("libmpi.so.12") && has("libopen-pal.so");
  const bool mpich = has("libmpich.so") || (has("libmpi.so.12") && !is_old_open_mpi);
  const bool open_mpi = has("libopen-pal.so") || (has("libmpi.so") && !has("libmpi.so.12"));
  if (mpich != open_mpi) return mpich ? Mpi::Mpich : Mpi::OpenMpi;
  return Error{"lab run",
               fmt::format("{} is linked with {}", program,
                           mpich ? "both MPICH and Open MPI" : "neither MPICH nor Open MPI"),
               "say which one starts it: --mpi mpich or --mpi openmpi"};
}

Expected<Launch> launch(const LaunchRequest& request, const topology::Machine& machine,
                        const LabPlan& plan) {
  if (auto refused = why_placed_twice(request.mpiexec_arguments)) return *refused;
  HostOfRank host_of = host_of_rank(plan.hosts, machine.size());
  host_of.resize(request.ranks);
  const Words environment = rank_environment(request);
  Launch made;
  if (request.mpi == Mpi::Mpich) {
    made.command = mpich_command(request, environment);
    if (auto refused = place_for_mpich(plan, host_of, made)) return *refused;
  } else {
    made.command = open_mpi_command(request, environment);
    place_for_open_mpi(plan, host_of, made);
  }
  append(made.command, request.mpiexec_arguments);
  append(made.command, {"-n", fmt::format("{}", request.ranks)});
  append(made.command, request.program);
  return made;
}

}  // namespace espalier::lab
