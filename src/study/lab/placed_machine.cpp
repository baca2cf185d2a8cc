
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "lab/hosts.hpp"

namespace espalier::lab {
namespace {

using topology::Leaf;

struct HostLine {
  std::string host;
  std::uint32_t count = 1;
};

/// Nothing: no host stands there.
Expected<std::optional<HostLine>> read_line(std::string_view line, const std::string& where) {
  line = line.substr(0, line.find('#'));
  const std::size_t first = line.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return std::optional<HostLine>{};
  line = line.substr(first, line.find_last_not_of(" \t\r") + 1 - first);
  if (line.starts_with("rank ") && line.find('=') != std::string_view::npos) {
    return Error{where, "it is a rankfile of Open MPI; the lab takes a file of hosts",
                 "make that: espalier place --format openmpi-hostfile"};
  }
  const std::size_t colon = line.find(':');
  HostLine read{.host = std::string(line.substr(0, colon))};
  if (colon != std::string_view::npos) {
    const std::string_view number = line.substr(colon + 1);
    const auto end = number.data() + number.size();
    const auto [stop, bad] = std::from_chars(number.data(), end, read.count);
    if (bad != std::errc{} || stop != end || read.count == 0) {
      return Error{where, fmt::format("\"{:.60}\" is no number of ranks", number), "HOST:COUNT"};
    }
  }
  if (read.host.find_first_of(" \t=") != std::string::npos) {
    return Error{where, fmt::format("\"{:.60}\" is no host", read.host),
                 "a host a line, as espalier place --format openmpi-hostfile writes them"};
  }
  return std::optional<HostLine>{read};
}

Expected<std::size_t> find_host(const std::vector<LabHost>& hosts, const std::string& name,
                                const std::string& where) {
  std::vector<std::size_t> found;
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    if (hosts[h].name == name) return h;
    if (hosts[h].name.ends_with("-" + name)) found.push_back(h);
  }
  if (found.size() == 1) return found[0];
  std::vector<std::string> names;
  for (const LabHost& h : hosts) names.push_back(h.name);
  return Error{
      where,
      fmt::format("{} \"{:.60}\"",
                  found.empty() ? "the machine has no host" : "several hosts of the machine end in",
                  name),
      fmt::format("hosts: {}", fmt::join(names, " "))};
}

/// Those of a host, along the tree.
std::vector<Leaf> leaves_of(const topology::Machine& machine, const LabHost& host) {
  std::vector<Leaf> leaves;
  for (const Rank rank : host.ranks) leaves.push_back(machine.leaf_of(rank));
  std::sort(leaves.begin(), leaves.end());
  return leaves;
}

}  // namespace

Expected<topology::Machine> placed_machine(const topology::Machine& machine, std::string_view text,
                                           const std::string& file) {
  const auto hosts = hosts_of(machine);
  if (!hosts) return hosts.error();
  std::vector<std::vector<Leaf>> free;
  for (const LabHost& host : *hosts) free.push_back(leaves_of(machine, host));
  std::vector<Leaf> placement;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string where = fmt::format("{}:{}", file, number);
    const std::size_t end = text.find('\n');
    const auto line = read_line(text.substr(0, end), where);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line) return line.error();
    if (!*line) continue;
    const auto host = find_host(*hosts, (*line)->host, where);
    if (!host) return host.error();
    std::vector<Leaf>& leaves = free[*host];
    if ((*line)->count > leaves.size()) {
      return Error{where, fmt::format("more ranks on {} than it has processes", (*line)->host),
                   "place them again for this machine"};
    }
    const auto taken = leaves.begin() + static_cast<std::ptrdiff_t>((*line)->count);
    placement.insert(placement.end(), leaves.begin(), taken);
    leaves.erase(leaves.begin(), taken);
  }
  if (placement.empty()) return Error{file, "no host", "name one for each rank, a line each"};
  for (const auto& leaves : free) placement.insert(placement.end(), leaves.begin(), leaves.end());
  return topology::with_placement(machine, placement);
}

}  // namespace espalier::lab
