#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "group/endpoint.hpp"
#include "group/group_view.hpp"

namespace espalier::group {

/// Which of the new groups a process enters; kNoColour: none.
using Colour = std::uint32_t;
inline constexpr Colour kNoColour = static_cast<Colour>(-1);

/// One process's part in splitting one group: a state machine.
///
/// Every process of the parent group enters once, at its own time; messages may come before that,
/// and in any order. It never waits: receive() does what the message allows and returns. Once
/// done() it will neither send nor receive again, so it can be taken away; what a member keeps is
/// its GroupView.
class Construction {
 public:
  virtual ~Construction() = default;
  virtual void enter(Colour colour, Endpoint& endpoint) = 0;
  virtual void receive(const Message& message, Endpoint& endpoint) = 0;
  [[nodiscard]] virtual bool done() const = 0;
  /// @pre done(). rank == kNoRank if the process is no member.
  [[nodiscard]] virtual GroupView view() const = 0;
  /// What it holds now: the object and all that it owns.
  [[nodiscard]] virtual std::size_t bytes() const = 0;
};

enum class Scheme : std::uint8_t {
  Centralized,
  ShrinkAndBalance,  ///< holes are filled with leaves
  ShrinkByChildren,  ///< holes are filled with immediate children
  RankAndHash,
  RankAndHashColours,
  AlongTopology,  ///< the tree follows ConstructionOptions::path
  AllgatherSort,  ///< what MPI_Comm_split does
  Chains,         ///< baseline of Moody, Ahn, de Supinski
  ParallelSort,   ///< baseline of Sack, Gropp
};
[[nodiscard]] const std::vector<Scheme>& all_schemes();
/// "rank-and-hash"
[[nodiscard]] std::string_view name(Scheme scheme);
Expected<Scheme> parse_scheme(std::string_view text);
/// Whether it takes any colours, or only members and others.
[[nodiscard]] bool takes_colours(Scheme scheme);

struct ConstructionOptions {
  Rank degree = 2;        ///< most children of a vertex of the new tree
  bool routable = false;  ///< Rank-and-Hash: also make links by which any rank can be reached
  Words path = {};        ///< AlongTopology: this process's clusters, from the outermost inwards
  /// AlongTopology: how many clusters a process keeps apart at most, which bounds its memory. With
  /// more of them the tree does not follow the innermost ones.
  std::uint32_t most_clusters = 256;
};

/// @param parent must outlive the construction
/// @pre the baselines (from AllgatherSort on): the parent is the world
[[nodiscard]] std::unique_ptr<Construction> make_construction(Scheme scheme, Tag tag,
                                                              const GroupView& parent,
                                                              const ConstructionOptions& options);

}  // namespace espalier::group
