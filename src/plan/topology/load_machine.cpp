#include "topology/load_machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <optional>
#include <sstream>

#include "base/file.hpp"
#include "topology/machine_spec.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::topology {
namespace {

constexpr std::string_view kKinds =
    "a machine is a file (JSON, SimGrid or hwloc XML, Slurm's topology.conf; - is standard input), "
    "a line such as \"site:2(30ms) proc:16(5us)\", or random:SEED[:PROCESSES]";
/// One of them is at the beginning of each large file.
constexpr std::array<std::string_view, 5> kSigns{"espalier-machine-", "<platform", "<topology",
                                                 "SwitchName", "BlockName"};

Expected<LoadedMachine> without_notes(Expected<Machine> machine) {
  if (!machine) return machine.error();
  return LoadedMachine{*std::move(machine), {}};
}

bool looks_like_file(std::string_view argument) {
  return argument.find('/') != std::string_view::npos || argument.ends_with(".json") ||
         argument.ends_with(".xml") || argument.ends_with(".conf");
}

/// "random:7" or "random:7:48".
std::optional<Expected<LoadedMachine>> from_random(const std::string& argument) {
  constexpr std::string_view kPrefix = "random:";
  if (!argument.starts_with(kPrefix)) return std::nullopt;
  const char* at = argument.data() + kPrefix.size();
  const char* end = argument.data() + argument.size();
  std::uint64_t seed = 0;
  RandomMachineOptions options;
  auto [next, code] = std::from_chars(at, end, seed);
  bool good = code == std::errc();
  if (good && next != end && *next == ':') {
    const auto [last, second] = std::from_chars(next + 1, end, options.max_processes);
    good = second == std::errc() && options.max_processes >= 1 &&
           options.max_processes <= kMaxProcesses;
    options.min_processes = options.max_processes;
    next = last;
  }
  if (!good || next != end) {
    return Error{"machine", fmt::format("\"{}\" is not random:SEED[:PROCESSES]", argument),
                 "write two whole numbers, such as random:7:48"};
  }
  return LoadedMachine{random_machine(seed, options), {}};
}

/// By the root element: SimGrid's <platform> or hwloc's <topology>, whichever comes first.
Expected<LoadedMachine> read_xml(const std::string& text, const std::string& file) {
  const std::size_t platform = text.find("<platform");
  const std::size_t topology = text.find("<topology");
  if (platform == std::string::npos && topology == std::string::npos) {
    return Error{file, "XML with neither a <platform> (SimGrid) nor a <topology> (hwloc)",
                 std::string(kKinds)};
  }
  return platform < topology ? read_simgrid(text, file) : read_hwloc(text, file);
}

/// Whether a line begins with one of the keywords of topology.conf.
bool looks_like_slurm_topology(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(" \t");
    if (first == std::string::npos || line[first] == '#') continue;
    for (const char* keyword : {"switchname", "blockname", "blocksizes"}) {
      if (line.compare(first, std::string_view(keyword).size(), keyword) == 0) return true;
    }
  }
  return false;
}

}  // namespace

Expected<LoadedMachine> parse_machine(const std::string& text, const std::string& file) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return Error{file, "the file is empty", std::string(kKinds)};
  if (text[first] == '{' || text[first] == '[') return read_json_and_notes(text, file);
  if (text[first] == '<') return read_xml(text, file);
  if (looks_synthetic(text)) return without_notes(parse_synthetic(text));
  if (looks_like_slurm_topology(text)) return read_slurm_topology(text, file);
  // A line that begins like a machine is one with a mistake, of which its reader says more.
  const bool is_line = text.find('\n') >= text.find_last_not_of(" \t\r\n");
  if (is_line && begins_with_level(text)) return without_notes(parse_synthetic(text));
  return Error{file, "neither JSON nor XML nor topology.conf nor a synthetic line",
               fmt::format("{}; a hostfile is an inventory: espalier place --inventory {}", kKinds,
                           file == "standard input" ? "FILE" : file)};
}

Expected<LoadedMachine> load_machine(const std::string& argument) {
  if (auto random = from_random(argument)) return *std::move(random);
  std::error_code error;
  // A link that leads nowhere is a file that cannot be read, not a name without one.
  if (argument == "-" || std::filesystem::exists(argument, error) ||
      std::filesystem::is_symlink(argument, error)) {
    auto text = read_named_file(argument, {.takes_pipes = true, .signs = kSigns});
    if (!text) return Error{text.error().where, text.error().what, std::string(kKinds)};
    return parse_machine(*text, argument == "-" ? "standard input" : argument);
  }
  if (begins_with_level(argument)) return without_notes(parse_synthetic(argument));
  if (looks_like_file(argument)) {
    return Error{argument.substr(0, 200), "there is no such file", std::string(kKinds)};
  }
  return Error{"machine", fmt::format("\"{}\" is no file and no machine", argument.substr(0, 100)),
               std::string(kKinds)};
}

}  // namespace espalier::topology
