#include "topology/machine.hpp"

#include <algorithm>
#include <espalier/machine.hpp>

#include "api/call.hpp"
#include "base/contract.hpp"
#include "topology/load_machine.hpp"
#include "topology/usual_figures.hpp"
#include "topology/views.hpp"
#include "topology/writers.hpp"

namespace espalier {
namespace {

/// With the figures that the tool and the library assume too: what a description leaves out is not
/// free.
Expected<Machine> wrapped(Expected<topology::LoadedMachine> loaded) {
  if (!loaded) return loaded.error();
  topology::AssumedMachine assumed = topology::with_usual_figures(std::move(loaded->machine));
  if (!assumed.note.empty()) loaded->notes.push_back(std::move(assumed.note));
  return Machine(std::make_shared<const topology::Machine>(std::move(assumed.machine)),
                 std::move(loaded->notes));
}

Cluster shown_cluster(const topology::Cluster& cluster, const topology::Machine& machine) {
  Cluster result{.name = cluster.name,
                 .level = cluster.depth,
                 .parent = cluster.parent,
                 .latency = cluster.channel.latency,
                 .backbone = cluster.channel.backbone,
                 .uplink_out = cluster.uplink.out,
                 .uplink_in = cluster.uplink.in,
                 .ranks = {}};
  for (topology::Leaf l = 0; l < cluster.leaf_count; ++l) {
    result.ranks.push_back(machine.rank_at(cluster.first_leaf + l));
  }
  std::sort(result.ranks.begin(), result.ranks.end());
  return result;
}

void expects_rank(const topology::Machine& machine, Rank rank) {
  expects(rank < machine.size(), "Machine: there is no such rank");
}

}  // namespace

const std::string& Machine::name() const { return inside_->name(); }

Rank Machine::size() const { return inside_->size(); }

std::vector<Level> Machine::levels() const {
  std::vector<Level> result;
  for (const topology::LevelName& level : inside_->levels()) {
    result.push_back({level.channel, level.members});
  }
  return result;
}

std::vector<Cluster> Machine::clusters() const {
  std::vector<Cluster> result;
  for (const topology::Cluster& cluster : inside_->clusters()) {
    result.push_back(shown_cluster(cluster, *inside_));
  }
  return result;
}

std::uint32_t Machine::depth(Rank rank) const {
  expects_rank(*inside_, rank);
  return inside_->depth(rank);
}

std::vector<std::uint32_t> Machine::colours(Rank rank) const {
  expects_rank(*inside_, rank);
  // A colour is the cluster whose channel it is: at level 0 the whole machine. The last of the ids
  // is the process itself.
  std::vector<std::uint32_t> result = inside_->cluster_ids(rank);
  std::rotate(result.begin(), result.end() - 1, result.end());
  result.front() = 0;
  return result;
}

std::string Machine::describe(Rank rank) const {
  expects_rank(*inside_, rank);
  return inside_->describe(rank);
}

Path Machine::path(Rank from, Rank to) const {
  expects_rank(*inside_, from);
  expects_rank(*inside_, to);
  const topology::Path path = inside_->path(from, to);
  return {path.level, path.latency, path.bandwidth};
}

ProcessCosts Machine::costs(Rank rank) const {
  expects_rank(*inside_, rank);
  const topology::NodeCosts& costs = inside_->costs(rank);
  return {costs.send.fixed, costs.recv.fixed, costs.send.rate, costs.recv.rate, costs.reduce};
}

Expected<Machine> Machine::part(std::span<const Rank> ranks) const {
  if (ranks.empty()) return Error{"ranks", "no rank is named", "name at least one"};
  if (auto wrong = api::check_ranks(ranks, size(), "ranks")) return *wrong;
  return Machine(std::make_shared<const topology::Machine>(topology::submachine(*inside_, ranks)));
}

std::string Machine::to_json() const { return topology::write_json(*inside_); }

bool Machine::equals(const Machine& other) const {
  return inside_ == other.inside_ || *inside_ == *other.inside_;
}

Expected<Machine> load_machine(const std::string& file_or_line) {
  return wrapped(topology::load_machine(file_or_line));
}

Expected<Machine> parse_machine(const std::string& text, const std::string& file) {
  return wrapped(topology::parse_machine(text, file));
}

}  // namespace espalier
