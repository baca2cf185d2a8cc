#include "topology/computers.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace espalier::topology {
namespace {

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  std::string low(word);
  std::transform(low.begin(), low.end(), low.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(words.begin(), words.end(), low) != words.end();
}

}  // namespace

bool names_a_process(std::string_view word) {
  static constexpr std::array<std::string_view, 12> kWords{"",      "process", "processes", "proc",
                                                           "procs", "rank",    "core",      "pu",
                                                           "cpu",   "thread",  "task",      "slot"};
  return is_one_of(word, kWords);
}

bool names_a_part_of_a_computer(std::string_view word) {
  static constexpr std::array<std::string_view, 12> kWords{
      "socket", "package", "numa", "numanode", "numa node", "die",
      "l3",     "l2",      "l1",   "cache",    "core",      "group"};
  return is_one_of(word, kWords);
}

std::string members_name(const Machine& machine, const Cluster& cluster) {
  return cluster.depth < machine.levels().size() ? machine.levels()[cluster.depth].members : "";
}

bool holds_only_processes(const Machine& machine, const Cluster& cluster) {
  const std::string called = members_name(machine, cluster);
  const auto members = machine.members(cluster);
  return std::all_of(members.begin(), members.end(), [&](const Member& m) {
    const bool is_part = names_a_part_of_a_computer(called);
    if (m.is_leaf) return is_part || names_a_process(called);  // a computer without such parts
    return is_part && holds_only_processes(machine, machine.clusters()[m.id]);
  });
}

}  // namespace espalier::topology
