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
  Up,         ///< report of a child to its parent on the old tree
  Down,       ///< order of a parent to its child on the old tree
  DownEmpty,  ///< goes down into a sub-tree without members
  List,       ///< Centralized: list of all members, for the root of the new group
  Announce,   ///< Rank-and-Hash: own id, for an intermediary
  Relay,      ///< any other message while a process of the parent group passes it on
  Parent,     ///< Rank-and-Hash: id of the parent, sent by an intermediary
  Children,   ///< Rank-and-Hash: ids of the children, sent by an intermediary
  Fill,       ///< Shrink-and-Balance: take the place of one that is no member
  Graft,      ///< Shrink-and-Balance: a vertex asks its child for a sub-tree
  Grafted,    ///< Shrink-and-Balance: answer to Graft
  Ask,        ///< Shrink-and-Balance: a supplier asks a consumer where its vertices shall go
  Answer,     ///< Shrink-and-Balance: answer to Ask
  Adopt,      ///< Shrink-and-Balance: a vertex that moves offers itself as a child
  Forward,    ///< Shrink-and-Balance: an Adopt passed on to a child with room
  Placed,     ///< Shrink-and-Balance: tells a vertex that moved its new place
  Gather,     ///< baselines: a step of an allgather
  Scan,       ///< baselines: a step of a scan along a chain
  Sort,       ///< baselines: a step of a sort
  Table,      ///< baselines: a look into a distributed table
  Finish,     ///< the reduction on the new tree that ends a measured construction
  Data,       ///< data of a collective on a group
  Find,       ///< question for the id of a rank
  Found,      ///< answer to Find
  Traffic,    ///< message of another application
  Count
};
inline constexpr std::size_t kKinds = static_cast<std::size_t>(Kind::Count);

[[nodiscard]] std::string_view name(Kind kind);

/// A small active message: whom it is from, what it is about, and a few words.
struct Message {
  Tag tag = 0;
  Id from = kNobody;
  Kind kind = Kind::Up;
  std::uint8_t ids = 0;  ///< number of words that are ids, for reports; 255 stands for "many"
  Words words;
};
inline constexpr std::uint8_t kManyIds = 255;

/// On the wire: tag, kind and length in 16 bytes, then the words.
[[nodiscard]] inline Bytes wire_size(const Message& message) {
  return Bytes{16 + 4 * std::uint64_t{message.words.size()}};
}

}  // namespace espalier::group
