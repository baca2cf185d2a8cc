#pragma once

#include <cstdint>
#include <string_view>

#include "base/types.hpp"
#include "group/words.hpp"

namespace espalier::group {

/// The name under which an endpoint reaches a process: its rank in the world.
using Id = Rank;
inline constexpr Id kNobody = kNoRank;

/// Says which construction, or which group, a message belongs to.
using Tag = std::uint64_t;

/// What a message is about; counts are kept by kind.
enum class Kind : std::uint8_t {
  Begin,      ///< the broadcast on the old tree that starts a measured construction
  Up,         ///< from a child to its parent on the old tree
  Down,       ///< from a parent to its child
  DownEmpty,  ///< the same, into a sub-tree without members
  List,       ///< Centralized: all members, to the root of the new group
  Announce,   ///< Rank-and-Hash: one's id, to an intermediary
  Relay,      ///< any of these on its way through a process of the parent group
  Parent,     ///< Rank-and-Hash: the parent's id, from an intermediary
  Children,   ///< Rank-and-Hash: the children's ids, from an intermediary
  Fill,       ///< Shrink-and-Balance: take the place of one that is no member
  Graft,      ///< Shrink-and-Balance: a vertex asks its child for a sub-tree
  Grafted,    ///< the answer
  Ask,        ///< Shrink-and-Balance: a supplier asks a consumer where its vertices shall go
  Answer,     ///< the answer
  Adopt,      ///< Shrink-and-Balance: a vertex that moves offers itself as a child
  Forward,    ///< the same, passed on to a child with room
  Placed,     ///< to a vertex that has moved: its new place
  Gather,     ///< baselines: a step of an allgather
  Scan,       ///< baselines: a step of a scan along a chain
  Sort,       ///< baselines: a step of a sort
  Table,      ///< baselines: a look into a distributed table
  Finish,     ///< the reduction on the new tree that ends a measured construction
  Data,       ///< of a collective on a group
  Find,       ///< asks for the id of a rank
  Found,      ///< the answer
  Traffic,    ///< of somebody else
  Count_
};
inline constexpr std::size_t kKinds = static_cast<std::size_t>(Kind::Count_);

[[nodiscard]] std::string_view name(Kind kind);

/// A small active message: whom it is from, what it is about, and a few words.
struct Message {
  Tag tag = 0;
  Id from = kNobody;
  Kind kind = Kind::Up;
  std::uint8_t ids = 0;  ///< for reports: how many of the words are ids; 255 stands for "many"
  Words words;
};
inline constexpr std::uint8_t kManyIds = 255;

/// On the wire: tag, kind and length in 16 bytes, then the words.
[[nodiscard]] inline Bytes wire_size(const Message& message) {
  return Bytes{16 + 4 * std::uint64_t{message.words.size()}};
}

}  // namespace espalier::group
