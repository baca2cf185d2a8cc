#pragma once

#include <vector>

#include "group/cluster_shape.hpp"
#include "group/construction.hpp"
#include "group/id_exchange.hpp"
#include "group/words.hpp"
#include "topology/machine.hpp"

namespace espalier::group {

/// A tree that follows the topology: the members of each site are connected, within it those of
/// each node, and so on (cluster_shape.hpp). The paper's planned direction; ours is Rank-and-Hash
/// with counts kept by cluster. They go up the parent's tree; its root arranges the clusters; what
/// concerns a cluster comes down to where its members are; ids are exchanged as there.
///
/// As many messages as Rank-and-Hash. A process holds a few words for each cluster with members
/// below it on the parent's tree, for ConstructionOptions::most_clusters of each child at most:
/// with more clusters paths are cut, from the inside, to as many names as leave few enough. So
/// outer clusters, whose links are the slow ones, stay connected however many nodes there are.
/// Within a cluster the tree has the least height, or one level more where other clusters hang
/// below it; ranks are depth-first, and each cluster's are consecutive. With empty paths: one
/// cluster.
class AlongTopology : public Construction {
 public:
  /// @param path this process's clusters, from the outermost inwards; named alike by all
  AlongTopology(Tag tag, const GroupView& parent, Words path, const ConstructionOptions& options);

  void enter(Colour colour, Endpoint& endpoint) override;
  void receive(const Message& message, Endpoint& endpoint) override;
  [[nodiscard]] bool done() const override { return ranked_ && exchange_.done(); }
  [[nodiscard]] GroupView view() const override { return exchange_.view(); }
  [[nodiscard]] std::size_t bytes() const override;

 private:
  void pass_up(Endpoint& endpoint);
  void pass_down(Words entries, std::uint32_t names, Rank total, Endpoint& endpoint);

  const GroupView& parent_;
  IdExchange exchange_;
  Tag tag_;
  Rank degree_;
  std::uint32_t missing_;
  Words path_;
  bool entered_ = false, member_ = false, ranked_ = false;
  std::uint32_t most_clusters_;
  std::uint32_t names_;        // how many names of a path count below here
  std::vector<Words> counts_;  // clusters and counts below each child, in their order
};

/// Where a process lies on a machine, as AlongTopology wants it: its clusters from the outermost
/// inwards.
[[nodiscard]] inline Words cluster_path(const topology::Machine& machine, Rank rank) {
  Words path;
  path.append(machine.clusters_of(rank));
  return path;
}

}  // namespace espalier::group
