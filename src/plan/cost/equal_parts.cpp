#include "cost/equal_parts.hpp"

#include <map>

namespace espalier::cost {
namespace {

using topology::ClusterId;
using topology::Machine;
using Figures = std::vector<std::uint64_t>;

void add(Figures& figures, Time time) {
  figures.push_back(static_cast<std::uint64_t>(time.picoseconds));
}
void add(Figures& figures, Bandwidth bandwidth) { figures.push_back(bandwidth.bits_per_second); }
void add(Figures& figures, const topology::Cost& cost) {
  add(figures, cost.fixed);
  add(figures, cost.rate);
}
void add(Figures& figures, const topology::Uplink& uplink) {
  add(figures, uplink.latency);
  add(figures, uplink.out);
  add(figures, uplink.in);
  figures.push_back(uplink.half_duplex ? 1 : 0);
}

/// @param classes of the clusters that are known already
Figures figures_of(const Machine& machine, const topology::Member& member,
                   const std::vector<std::uint32_t>& classes) {
  Figures figures{member.is_leaf ? 1U : 0U};
  if (!member.is_leaf) {
    add(figures, machine.clusters()[member.id].uplink);
    figures.push_back(classes[member.id]);
    return figures;
  }
  const topology::NodeCosts& costs = machine.costs(machine.rank_at(member.id));
  add(figures, machine.leaf_uplink(member.id));
  add(figures, costs.send);
  add(figures, costs.recv);
  add(figures, costs.reduce);
  return figures;
}

/// Whether both are processes with the same figures.
bool are_like_leaves(const Machine& machine, const topology::Member& a, const topology::Member& b) {
  return a.is_leaf && b.is_leaf && machine.leaf_uplink(a.id) == machine.leaf_uplink(b.id) &&
         machine.leaf_costs(a.id) == machine.leaf_costs(b.id);
}

}  // namespace

std::vector<std::uint32_t> classes_of_clusters(const Machine& machine,
                                               std::span<const std::uint32_t> marks) {
  const auto clusters = machine.clusters();
  std::vector<std::uint32_t> classes(clusters.size(), 0);
  std::map<Figures, std::uint32_t> known;
  for (auto c = static_cast<ClusterId>(clusters.size()); c-- > 0;) {  // inner ones first
    Figures figures{clusters[c].depth};
    if (clusters[c].pair_count != 0) figures.push_back(c);
    if (!marks.empty()) figures.push_back(marks[c]);
    add(figures, clusters[c].channel.latency);
    add(figures, clusters[c].channel.backbone);
    add(figures, clusters[c].channel.flow_cap);
    Figures last;
    std::uint64_t alike = 0;
    const auto add_last = [&] {
      figures.push_back(alike);
      figures.insert(figures.end(), last.begin(), last.end());
    };
    const topology::Member* before = nullptr;
    for (const topology::Member& member : machine.members(clusters[c])) {
      if (before != nullptr && are_like_leaves(machine, *before, member)) {
        ++alike;
        continue;
      }
      before = &member;
      Figures here = figures_of(machine, member, classes);
      if (here != last) {
        add_last();
        last = std::move(here);
        alike = 0;
      }
      ++alike;
    }
    add_last();
    classes[c] =
        known.emplace(std::move(figures), static_cast<std::uint32_t>(known.size())).first->second;
  }
  return classes;
}

std::vector<std::uint32_t> classes_of_processes(const Machine& machine) {
  std::vector<std::uint32_t> classes(machine.size(), 0);
  std::map<Figures, std::uint32_t> known;
  for (Rank rank = 0; rank < machine.size(); ++rank) {
    const topology::Member here{true, machine.leaf_of(rank)};
    if (rank > 0 && are_like_leaves(machine, {true, machine.leaf_of(rank - 1)}, here)) {
      classes[rank] = classes[rank - 1];
      continue;
    }
    classes[rank] =
        known.emplace(figures_of(machine, here, {}), static_cast<std::uint32_t>(known.size()))
            .first->second;
  }
  return classes;
}

}  // namespace espalier::cost
