#pragma once

#include "group/process.hpp"
#include "group/root_accounts.hpp"

namespace espalier::group {

// For an operation's number: the user's calls are below, a split's last barrier above kSettling.
inline constexpr std::uint32_t kSettling = 0x80000000U;
inline constexpr std::uint32_t kFarewell = 0xfffffffeU;
inline constexpr std::uint32_t kPointToPoint = 0xffffffffU;

/// The name of the group that a construction makes for a colour.
inline Tag group_tag(Tag construction, Colour colour) {
  return (construction + colour) * 0xbf58476d1ce4e5b9ULL + 1;
}

/// A group that this process is in.
struct Process::State {
  State(Tag name, GroupView where) : tag(name), view(std::move(where)) {}

  Tag tag;
  GroupView view;
  std::uint32_t splits = 0, operations = 0;  // calls made so far
  bool leaving = false;                      // retired here, not yet by all members
  std::map<std::uint32_t, TreeOperation> running;
  std::map<std::uint32_t, std::vector<Message>> early;  // of operations not started here yet
  std::deque<std::pair<Rank, Id>> known;                // ids found, the oldest first
  std::map<Rank, std::vector<std::vector<std::byte>>> to_send;  // until the id is found
  std::deque<Parcel> arrived;
  RootAccounts accounts;                    // of calls with roots that are not the tree's
  std::vector<std::pair<Rank, Tag>> trees;  // for such roots: the groups of the same members
};

}  // namespace espalier::group
