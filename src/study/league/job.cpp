#include "league/job.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <sstream>
#include <utility>

#include "base/file.hpp"
#include "topology/writers.hpp"

namespace espalier::league {
namespace {

// SMPI's own factors would rescale the platform; computing takes no simulated time, and so nothing
// varies. As tests/smpi/launch.py has them.
constexpr std::array kExact{"network/model:SMPI",
                            "smpi/lat-factor:0:1",
                            "smpi/bw-factor:0:1",
                            "network/crosstraffic:0",
                            "network/weight-S:0",
                            "network/TCP-gamma:1e15",
                            "smpi/simulate-computation:no",
                            "smpi/host-speed:1Gf",
                            "smpi/wtime:0",
                            "smpi/async-small-thresh:65536",
                            "contexts/stack-size:256",
                            "contexts/guard-size:0"};

// Jobs are limited in processor time, so that a busy computer does not decide who takes too long.
// The clock only ends what hangs: after so many times that limit.
constexpr int kPatience = 20;

/// Up to so many ranks the platform has a route for each pair of hosts: slower to read, faster to
/// simulate.
constexpr Rank kFewRanks = 128;

/// Reads a line "operation,bytes,microseconds,right,planned,plan".
bool read_result_line(const std::string& line, Result& result) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; parts.size() < 5 && std::getline(in, part, ',');) parts.push_back(part);
  std::string plan;
  std::getline(in, plan);
  if (parts.size() < 5 || parts[0] != name_of(result.event.operation) ||
      parts[1] != std::to_string(result.event.bytes)) {
    return false;
  }
  const char* end = parts[2].data() + parts[2].size();
  if (std::from_chars(parts[2].data(), end, result.microseconds).ptr != end) return false;
  result.state = parts[3] == "1" ? ResultState::Right : ResultState::Wrong;
  result.plan = parts[4].starts_with("0 of") ? "" : plan;
  return true;
}

/// Makes the folder if it is not there. Refuses a link, and a folder that others may write to.
std::optional<Error> make_own_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder.parent_path(), failed);
  const std::string path = folder.string();
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return Error{path, fmt::format("cannot be made: {}", std::strerror(errno)),
                 "name a folder that you may write to with TMPDIR"};
  }
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0 && S_ISDIR(there.st_mode) && there.st_uid == ::geteuid() &&
      (there.st_mode & (S_IWGRP | S_IWOTH)) == 0) {
    return std::nullopt;
  }
  return Error{path, "it is no folder of ours alone", "remove it"};
}

}  // namespace

Expected<std::string> write_machine_files(const PlacedMachine& placed,
                                          const std::filesystem::path& folder) {
  if (auto bad = make_own_folder(folder)) return *bad;
  const std::string json = topology::write_json(placed.machine);
  std::string hosts;
  for (const std::string& host : topology::simgrid_hosts(placed.machine)) hosts += host + "\n";
  const std::string platform = placed.machine.size() <= kFewRanks
                                   ? topology::write_simgrid_pairs(placed.machine)
                                   : topology::write_simgrid(placed.machine);
  using File = std::pair<const char*, const std::string*>;
  for (const auto& [name, text] :
       {File{"platform.xml", &platform}, File{"machine.json", &json}, File{"hosts", &hosts}}) {
    if (auto bad = replace_own_file((folder / name).string(), *text, 0600)) return *bad;
  }
  return json;
}

std::vector<std::string> smpirun_line(const std::filesystem::path& folder, Rank ranks,
                                      const std::vector<std::string>& environment) {
  std::vector<std::string> line{"env"};
  line.insert(line.end(), environment.begin(), environment.end());
  for (const std::string& word :
       {std::string("smpirun"), std::string("-platform"), (folder / "platform.xml").string(),
        std::string("-hostfile"), (folder / "hosts").string(), std::string("-np"),
        std::to_string(ranks), std::string("--log=root.thres:critical")}) {
    line.push_back(word);
  }
  for (const char* option : kExact) line.push_back(fmt::format("--cfg={}", option));
  return line;
}

std::vector<std::string> command_of(const Job& job, const Contender& contender,
                                    const PlacedMachine& placed, const RunSettings& settings,
                                    const std::filesystem::path& folder) {
  // SimGrid's messages about algorithms that abort are thrown away.
  std::vector<std::string> line{"sh", "-c", "exec \"$@\" 2>/dev/null", "sh",
                                // If the league is ended, even by SIGKILL, its runs get SIGTERM,
                                // which timeout(1) hands on to all processes of a run.
                                "setpriv", "--pdeathsig", "TERM", "prlimit",
                                // Soft limit below hard limit: SIGXCPU instead of SIGKILL.
                                fmt::format("--cpu={}:{}", settings.seconds, settings.seconds + 5),
                                "timeout", "-k", "5", std::to_string(kPatience * settings.seconds)};
  std::vector<std::string> environment{"ESPALIER_MACHINE=" + (folder / "machine.json").string()};
  for (const std::string& variable : contender.environment()) environment.push_back(variable);
  for (std::string& word : smpirun_line(folder, placed.machine.size(), environment)) {
    line.push_back(std::move(word));
  }
  for (const std::string& option : contender.options()) line.push_back("--cfg=" + option);
  line.push_back(settings.program.string());
  line.push_back("--roots");
  line.push_back(std::to_string(settings.roots));
  for (const std::uint64_t size : job.sizes) {
    line.push_back(fmt::format("{}:{}", name_of(job.operation), size));
  }
  return line;
}

RunEnding ending_of(int exit_code, double seconds, const RunSettings& settings) {
  constexpr int kTimedOut = 124;  // exit code of timeout(1)
  constexpr int kBySignal = 128;
  if (exit_code == kTimedOut) return RunEnding::TooLong;
  switch (exit_code - kBySignal) {
    case SIGXCPU:
      return RunEnding::TooLong;
    case SIGKILL:  // timeout(1) sends it too, if SIGTERM had no effect
      return seconds >= kPatience * settings.seconds ? RunEnding::TooLong : RunEnding::Killed;
    case SIGHUP:
    case SIGINT:
    case SIGQUIT:
    case SIGTERM:
      return RunEnding::Interrupted;
    default:
      return RunEnding::ByItself;
  }
}

std::vector<Result> results_of(const Job& job, const Contender& contender,
                               const PlacedMachine& placed, const std::string& output,
                               bool too_long) {
  std::vector<Result> results;
  for (const std::uint64_t size : job.sizes) {
    results.push_back({{placed.name, placed.placement, job.operation, size},
                       contender.name,
                       too_long ? ResultState::TooLong : ResultState::Failed,
                       0,
                       "",
                       ""});
  }
  std::size_t next = 0;
  std::istringstream in(output);
  for (std::string line; next < results.size() && std::getline(in, line);) {
    if (read_result_line(line, results[next])) ++next;
  }
  return results;
}

}  // namespace espalier::league
