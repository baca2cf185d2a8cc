#include "lab/hosts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "base/contract.hpp"
#include "topology/computers.hpp"

namespace espalier::lab {
namespace {

using topology::Cluster;
using topology::holds_only_processes;
using topology::Machine;
using topology::Member;
using topology::members_name;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

std::vector<Rank> ranks_below(const Machine& machine, Member place) {
  std::vector<Rank> ranks;
  if (place.is_leaf) {
    ranks.push_back(machine.rank_at(place.id));
  } else {
    const Cluster& c = machine.clusters()[place.id];
    for (topology::Leaf leaf = c.first_leaf; leaf < c.first_leaf + c.leaf_count; ++leaf) {
      ranks.push_back(machine.rank_at(leaf));
    }
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

void collect(const Machine& machine, const Cluster& cluster, std::vector<Member>& places) {
  for (const Member& m : machine.members(cluster)) {
    if (m.is_leaf || holds_only_processes(machine, machine.clusters()[m.id])) {
      places.push_back(m);
    } else {
      collect(machine, machine.clusters()[m.id], places);
    }
  }
}

/// What a resolver and both MPIs take: "anl-m1". Long or foreign names become short ones.
std::string hostname_of(const std::string& path, std::size_t index, std::set<std::string>& taken) {
  constexpr std::size_t kLongest = 40;
  std::string name;
  for (const char c : lower(path)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  const bool usable = !name.empty() && name.size() <= kLongest && name.front() >= 'a';
  if (!usable || name == "localhost" || !taken.insert(name).second) {
    name = fmt::format("h{}", index);
    while (!taken.insert(name).second) name += "x";
  }
  return name;
}

std::string own_name(const Machine& machine, Member part, const Cluster& parent) {
  const std::string& given =
      part.is_leaf ? machine.leaf_name(part.id) : machine.clusters()[part.id].name;
  if (!given.empty()) return given;
  const std::string called = members_name(machine, parent);
  const std::uint32_t index =
      part.is_leaf ? machine.index_in_cluster(part.id) : machine.clusters()[part.id].index;
  return fmt::format("{}{}", called.empty() ? "part" : called, index);
}

}  // namespace

std::string path_name(const Machine& machine, Member part) {
  std::string path;
  while (part.is_leaf || part.id != 0) {
    const topology::ClusterId up =
        part.is_leaf ? machine.cluster_of(part.id) : machine.clusters()[part.id].parent;
    const std::string name = own_name(machine, part, machine.clusters()[up]);
    path = path.empty() ? name : fmt::format("{}.{}", name, path);
    part = {.is_leaf = false, .id = up};
  }
  return path.empty() ? "machine" : path;
}

Expected<std::vector<LabHost>> hosts_of(const Machine& machine) {
  std::vector<Member> places;
  collect(machine, machine.clusters()[0], places);
  if (places.size() > kMostHosts) {
    return Error{
        "lab", fmt::format("the machine has {} computers, more than {}", places.size(), kMostHosts),
        "take a smaller machine"};
  }
  std::vector<LabHost> hosts;
  std::set<std::string> taken;
  for (const Member& place : places) {
    const std::size_t i = hosts.size();
    constexpr std::uint32_t kFirst = (10U << 24U) + (1U << 16U) + 1U;
    hosts.push_back({.name = hostname_of(path_name(machine, place), i, taken),
                     .place = place,
                     .ranks = ranks_below(machine, place),
                     .address = kFirst + static_cast<std::uint32_t>(i)});
  }
  return hosts;
}

std::vector<std::size_t> host_of_rank(const std::vector<LabHost>& hosts, Rank ranks) {
  std::vector<std::size_t> host(ranks);
  for (std::size_t h = 0; h < hosts.size(); ++h) {
    for (const Rank r : hosts[h].ranks) {
      expects(r < ranks, "host_of_rank: a host has a rank beyond the last");
      host[r] = h;
    }
  }
  return host;
}

std::string address_text(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24U, (address >> 16U) & 255U, (address >> 8U) & 255U,
                     address & 255U);
}

}  // namespace espalier::lab
