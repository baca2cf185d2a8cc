// A rank's part of a neighbourhood collective. Between two ranks messages come in this order: what
// is collected for other clusters, straight blocks, what crosses, what is handed out.
#include <algorithm>
#include <map>
#include <utility>

#include "collective/neighbourhood.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::Collective;
using schedule::IndexSet;
using schedule::Operation;
using schedule::Program;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

namespace {

using Indices = std::vector<std::uint32_t>;
using Item = std::pair<Rank, std::uint32_t>;  // owner, which of its blocks

Item item_of(const NeighbourEdge& edge) { return {edge.from, edge.block}; }

/// What this rank has to do with a bundle.
struct OwnBundle {
  const NeighbourBundle* bundle = nullptr;
  std::vector<Item> items;      ///< what crosses, each block once, in order
  std::uint64_t collected = 0;  ///< sender: where in Scratch; unused if all blocks are its own
  std::uint64_t arrived = 0;    ///< receiver: where in Scratch; unused if all are for itself
  bool is_collected = false;    ///< some block is another rank's than the sender's
  bool is_handed_out = false;   ///< some block is for another rank than the receiver

  explicit OwnBundle(const NeighbourBundle& of) : bundle(&of) {
    for (const NeighbourEdge& edge : of.edges) {
      items.push_back(item_of(edge));
      is_collected = is_collected || edge.from != of.sender;
      is_handed_out = is_handed_out || edge.to != of.receiver;
    }
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
  }
  [[nodiscard]] std::uint32_t position(const NeighbourEdge& edge) const {
    const auto at = std::lower_bound(items.begin(), items.end(), item_of(edge));
    return static_cast<std::uint32_t>(at - items.begin());
  }
  /// Blocks of one rank: [first, last) of `items`.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> items_of(Rank rank) const {
    const auto first = std::lower_bound(items.begin(), items.end(), Item{rank, 0});
    const auto last = std::lower_bound(items.begin(), items.end(), Item{rank + 1, 0});
    return {static_cast<std::uint32_t>(first - items.begin()),
            static_cast<std::uint32_t>(last - items.begin())};
  }
};

class NeighbourProgram {
 public:
  NeighbourProgram(const Collective& call, const NeighbourRoutes& routes, Rank rank)
      : call_(call), routes_(routes), rank_(rank), program_(rank) {
    routes.for_each_bundle(rank, [&](const NeighbourBundle& one) { bundles_.emplace_back(one); });
  }

  Program build() && {
    for (OwnBundle& one : bundles_) collect(one);
    go_straight();
    for (OwnBundle& one : bundles_) cross(one);
    for (const OwnBundle& one : bundles_) hand_out(one);
    copy_repeated();
    return std::move(program_).build();
  }

 private:
  [[nodiscard]] Region units(Buffer buffer, std::uint64_t base, const Indices& indices) {
    Region region = slice(buffer, base, 1);
    region.outer = {program_.set(IndexSet(indices)), 1};
    return region;
  }
  /// The user's blocks that are some items of this rank's own.
  [[nodiscard]] Region own_input(const OwnBundle& one, std::uint32_t first, std::uint32_t last) {
    Indices blocks;
    for (std::uint32_t i = first; i < last; ++i) blocks.push_back(one.items[i].second);
    return units(Buffer::In, 0, blocks);
  }

  /// To the sender of the bundle, which keeps blocks in their order.
  void collect(OwnBundle& one) {
    const Rank sender = one.bundle->sender;
    const auto [first, last] = one.items_of(rank_);
    if (rank_ != sender) {
      if (first != last) program_.send(sender, own_input(one, first, last));
      return;
    }
    if (!one.is_collected) return;
    one.collected = program_.scratch(one.items.size());
    for (std::uint32_t at = 0; at < one.items.size();) {
      const Rank owner = one.items[at].first;
      const std::uint32_t end = one.items_of(owner).second;
      const Region row = slice(Buffer::Scratch, one.collected + at, end - at);
      if (owner == rank_) {
        program_.copy(own_input(one, at, end), row);
      } else {
        program_.recv(owner, row);
      }
      at = end;
    }
  }

  void go_straight() {
    std::map<Rank, std::pair<Indices, Indices>> sent, received;  // peer -> blocks, places
    routes_.for_each_straight(rank_, [&](const NeighbourEdge& edge) {
      auto& [blocks, places] = edge.from == rank_ ? sent[edge.to] : received[edge.from];
      blocks.push_back(edge.block);
      places.push_back(edge.place);
    });
    for (const auto& [peer, lists] : received) {
      program_.recv(peer, units(Buffer::Out, 0, lists.second));
    }
    for (const auto& [peer, lists] : sent) {
      const Region blocks = units(Buffer::In, 0, lists.first);
      if (peer == rank_) {
        program_.copy(blocks, units(Buffer::Out, 0, lists.second));
      } else {
        program_.send(peer, blocks);
      }
    }
  }

  void cross(OwnBundle& one) {
    const auto items = static_cast<std::uint32_t>(one.items.size());
    if (rank_ == one.bundle->sender) {
      program_.send(one.bundle->receiver, one.is_collected
                                              ? slice(Buffer::Scratch, one.collected, items)
                                              : own_input(one, 0, items));
    }
    if (rank_ != one.bundle->receiver) return;
    if (one.is_handed_out) {
      one.arrived = program_.scratch(items);
      program_.recv(one.bundle->sender, slice(Buffer::Scratch, one.arrived, items));
    } else {  // edges are in the order of items, one for each
      program_.recv(one.bundle->sender, places_of(one, rank_));
    }
  }

  /// Where the blocks of a bundle go in a rank's Out, in the order of items.
  [[nodiscard]] Region places_of(const OwnBundle& one, Rank rank) {
    Indices places;
    for (const NeighbourEdge& edge : one.bundle->edges) {
      if (edge.to == rank) places.push_back(edge.place);
    }
    return units(Buffer::Out, 0, places);
  }

  void hand_out(const OwnBundle& one) {
    if (rank_ != one.bundle->receiver) {
      const auto& edges = one.bundle->edges;
      const bool gets = std::any_of(edges.begin(), edges.end(),
                                    [&](const NeighbourEdge& edge) { return edge.to == rank_; });
      if (gets) program_.recv(one.bundle->receiver, places_of(one, rank_));
      return;
    }
    if (!one.is_handed_out) return;
    std::map<Rank, Indices> by_receiver;
    for (const NeighbourEdge& edge : one.bundle->edges) {
      by_receiver[edge.to].push_back(one.position(edge));
    }
    for (const auto& [to, positions] : by_receiver) {
      const Region blocks = units(Buffer::Scratch, one.arrived, positions);
      if (to == rank_) {
        program_.copy(blocks, places_of(one, rank_));
      } else {
        program_.send(to, blocks);
      }
    }
  }

  /// An allgather brings the block of a source once.
  void copy_repeated() {
    if (call_.operation != Operation::NeighbourAllgather) return;
    std::map<Rank, std::uint32_t> first;
    const auto sources = call_.graph->sources.of(rank_);
    for (std::uint32_t place = 0; place < sources.size(); ++place) {
      if (sources[place] == kNoRank) continue;
      const auto [known, is_new] = first.try_emplace(sources[place], place);
      if (is_new) continue;
      program_.copy(slice(Buffer::Out, known->second, 1), slice(Buffer::Out, place, 1));
    }
  }

  const Collective& call_;
  const NeighbourRoutes& routes_;
  Rank rank_;
  ProgramBuilder program_;
  std::vector<OwnBundle> bundles_;
};

}  // namespace

Program neighbour_program(const Collective& call, const NeighbourRoutes& routes, Rank rank) {
  return NeighbourProgram(call, routes, rank).build();
}

}  // namespace espalier::collective
