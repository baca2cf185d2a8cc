#pragma once

#include "group/process.hpp"

namespace espalier::group {

/// A group that this process is in.
struct Process::State {
  State(Tag name, Place where) : tag(name), place(std::move(where)) {}

  Tag tag;
  Place place;
  std::uint32_t splits = 0, operations = 0;  // calls made so far
  bool leaving = false;                      // retired here, not yet by all members
  std::map<std::uint32_t, TreeOperation> running;
  std::map<std::uint32_t, std::vector<Message>> early;  // of operations not started here yet
  std::deque<std::pair<Rank, Id>> known;                // ids found, the oldest first
  std::map<Rank, std::vector<std::vector<std::byte>>> to_send;  // until the id is found
  std::deque<Parcel> arrived;
};

}  // namespace espalier::group
