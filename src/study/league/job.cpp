#include "league/job.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <csignal>
#include <fstream>
#include <sstream>

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

// Of processor time, so that a busy computer does not decide who takes too long; by the clock only
// what hangs.
constexpr int kPatience = 20;

/// A route for each pair of hosts simulates faster, but has to be read.
constexpr Rank kFewRanks = 128;

/// operation,bytes,microseconds,right,planned,plan
bool read_result_line(const std::string& line, Cell& cell) {
  std::vector<std::string> parts;
  std::istringstream in(line);
  for (std::string part; parts.size() < 5 && std::getline(in, part, ',');) parts.push_back(part);
  std::string plan;
  std::getline(in, plan);
  if (parts.size() < 5 || parts[0] != name_of(cell.event.operation) ||
      parts[1] != std::to_string(cell.event.bytes)) {
    return false;
  }
  const char* end = parts[2].data() + parts[2].size();
  if (std::from_chars(parts[2].data(), end, cell.microseconds).ptr != end) return false;
  cell.state = parts[3] == "1" ? State::Right : State::Wrong;
  cell.plan = parts[4].starts_with("0 of") ? "" : plan;
  return true;
}

}  // namespace

Expected<std::string> write_machine_files(const PlacedMachine& placed_machine,
                                          const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  std::ofstream platform(folder / "platform.xml");
  std::ofstream machine(folder / "machine.json");
  std::ofstream hosts(folder / "hosts");
  const std::string json = topology::write_json(placed_machine.placed);
  platform << (placed_machine.placed.size() <= kFewRanks
                   ? topology::write_simgrid_pairs(placed_machine.placed)
                   : topology::write_simgrid(placed_machine.placed))
           << std::flush;
  machine << json << std::flush;
  for (const std::string& host : topology::simgrid_hosts(placed_machine.placed))
    hosts << host << '\n';
  hosts.flush();
  if (!platform || !machine || !hosts) {
    return Error{folder.string(), "the platform cannot be written there", "is the disk full?"};
  }
  return json;
}

std::vector<std::string> command_of(const Job& job, const Contender& contender,
                                    const PlacedMachine& placed_machine, const Field& field,
                                    const std::filesystem::path& folder) {
  // What SimGrid says of algorithms that abort is of no use here.
  std::vector<std::string> line{"sh", "-c", "exec \"$@\" 2>/dev/null", "sh",
                                // Whoever ends the league ends its runs, SIGKILL or not: timeout(1)
                                // hands SIGTERM on to all of a run.
                                "setpriv", "--pdeathsig", "TERM", "prlimit",
                                // SIGXCPU; where both limits are one it would be SIGKILL.
                                fmt::format("--cpu={}:{}", field.seconds, field.seconds + 5),
                                "timeout", "-k", "5", std::to_string(kPatience * field.seconds),
                                "env", "ESPALIER_MACHINE=" + (folder / "machine.json").string()};
  for (const std::string& variable : contender.environment()) line.push_back(variable);
  for (const std::string& word :
       {std::string("smpirun"), std::string("-platform"), (folder / "platform.xml").string(),
        std::string("-hostfile"), (folder / "hosts").string(), std::string("-np"),
        std::to_string(placed_machine.placed.size()), std::string("--log=root.thres:critical")}) {
    line.push_back(word);
  }
  for (const char* option : kExact) line.push_back(fmt::format("--cfg={}", option));
  for (const std::string& option : contender.options()) line.push_back("--cfg=" + option);
  line.push_back(field.program.string());
  line.push_back("--roots");
  line.push_back(std::to_string(field.roots));
  for (const std::uint64_t size : job.sizes) {
    line.push_back(fmt::format("{}:{}", name_of(job.operation), size));
  }
  return line;
}

Ending ending_of(int exit_code, double seconds, const Field& field) {
  constexpr int kTimedOut = 124;  // of timeout(1)
  constexpr int kBySignal = 128;
  if (exit_code == kTimedOut) return Ending::TooLong;
  switch (exit_code - kBySignal) {
    case SIGXCPU:
      return Ending::TooLong;
    case SIGKILL:  // also what timeout(1) does to who does not listen
      return seconds >= kPatience * field.seconds ? Ending::TooLong : Ending::Killed;
    case SIGHUP:
    case SIGINT:
    case SIGQUIT:
    case SIGTERM:
      return Ending::Interrupted;
    default:
      return Ending::ByItself;
  }
}

std::vector<Cell> cells_of(const Job& job, const Contender& contender,
                           const PlacedMachine& placed_machine, const std::string& output,
                           bool too_long) {
  std::vector<Cell> cells;
  for (const std::uint64_t size : job.sizes) {
    cells.push_back({{placed_machine.machine, placed_machine.placement, job.operation, size},
                     contender.name,
                     too_long ? State::TooLong : State::Failed,
                     0,
                     "",
                     ""});
  }
  std::size_t next = 0;
  std::istringstream in(output);
  for (std::string line; next < cells.size() && std::getline(in, line);) {
    if (read_result_line(line, cells[next])) ++next;
  }
  return cells;
}

}  // namespace espalier::league
