#pragma once

#include "group/process.hpp"
#include "group/root_accounts.hpp"

namespace espalier::group {

// For an operation's number: the user's calls are below, a split's last barrier above kSettling.
inline constexpr std::uint32_t kSettling = 0x80000000U;
inline constexpr std::uint32_t kFarewell = 0xfffffffeU;
inline constexpr std::uint32_t kPointToPoint = 0xffffffffU;

/// Of one message between two members; its header has 32 bits for them.
inline constexpr std::size_t kMostBytes = 0xffffffffU;

/// The name of the group that a construction makes for a colour.
inline Tag group_tag(Tag construction, Colour colour) {
  return (construction + colour) * 0xbf58476d1ce4e5b9ULL + 1;
}

/// A group that this process is in.
struct Process::State {
  State(Tag name, GroupView where) : tag(name), view(std::move(where)) {}

  Tag tag;
  GroupView view;
  std::uint32_t splits = 0, operations = 0;  // numbers of calls made so far
  bool leaving = false;                      // retired by this process, not yet by all members
  std::map<std::uint32_t, TreeOperation> running;
  // Messages of operations that were not started here yet.
  std::map<std::uint32_t, std::vector<Message>> early;
  std::deque<std::pair<Rank, Id>> known;  // ids that were found, the oldest first
  // Messages that wait until the id of the rank is found.
  std::map<Rank, std::vector<std::vector<std::byte>>> to_send;
  std::deque<Parcel> arrived;
  RootAccounts accounts;  // calls whose root is not the tree's
  // Roots with a tree of their own, and the group of each tree.
  std::vector<std::pair<Rank, Tag>> trees;
};

}  // namespace espalier::group
