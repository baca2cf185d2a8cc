#include "topology/simgrid/unique_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace espalier::topology::simgrid {
namespace {

/// "anl.m1": of a cluster, as Machine::describe names processes.
std::string path_of(const Machine& machine, ClusterId id) {
  if (id == 0) return {};
  const Cluster& cluster = machine.clusters()[id];
  const std::string above = path_of(machine, cluster.parent);
  const std::string own =
      cluster.name.empty() ? fmt::format("{}", cluster.index) : safe_name(cluster.name);
  return above.empty() ? own : above + "." + own;
}

/// Names that begin with a digit look like numbers or addresses.
std::string lettered(std::string name) {
  const bool number = !name.empty() && name[0] >= '0' && name[0] <= '9';
  return number ? "p" + name : name;
}

}  // namespace

std::string safe_name(std::string_view name) {
  std::string safe(name);
  std::replace_if(
      safe.begin(), safe.end(),
      [](char c) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        return !letter && !(c >= '0' && c <= '9') && c != '.' && c != '_' && c != '-';
      },
      '_');
  return safe;
}

std::string UniqueNames::take(std::initializer_list<std::string> wanted) {
  for (const std::string& name : wanted) {
    if (!name.empty() && taken_.try_emplace(name, 1).second) return name;
  }
  const std::string& base = *(wanted.end() - 1);
  for (;;) {
    std::string name = fmt::format("{}_{}", base, ++taken_[base]);
    if (taken_.try_emplace(name, 1).second) return name;
  }
}

PlatformNames platform_names(const Machine& machine) {
  PlatformNames names;
  UniqueNames unique;
  for (Leaf leaf = 0; leaf < machine.size(); ++leaf) {
    const std::string path = lettered(safe_name(machine.describe(machine.rank_at(leaf))));
    names.hosts.push_back(unique.take({safe_name(machine.leaf_name(leaf)), path}));
  }
  for (ClusterId id = 0; id < machine.clusters().size(); ++id) {
    const std::string& own = id == 0 ? machine.name() : machine.clusters()[id].name;
    const std::string path = id == 0 ? "machine" : lettered(path_of(machine, id));
    names.zones.push_back(unique.take({safe_name(own), path}));
  }
  return names;
}

}  // namespace espalier::topology::simgrid
