#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "sim/network.hpp"

namespace espalier::sim {

/// What the flows of one resource could together take at most.
///
/// Each of them alone its ceiling; and all those that pass the same narrower resource elsewhere no
/// more than that has. So of a node's hundreds of flows out into the world only as much counts as
/// the world's door lets through, and the node's own door is known to be wide enough.
class LinkDemand {
 public:
  using Sum = unsigned __int128;
  using Slot = std::uint8_t;

  /// One more flow. `door` is the resource that limits it with others, `kNoResource` if that is
  /// this one. Returns what remove() wants.
  Slot add(ResourceId door, std::uint64_t door_capacity, std::uint64_t ceiling) {
    ++flows_;
    plain_ += ceiling;
    const Slot slot = slot_for(door);
    if (slot == kNoSlot) {
      bounded_ += ceiling;
      return slot;
    }
    DoorGroup& group = groups_[slot];
    if (group.flows == 0) group = {door, 0, door_capacity, 0};
    bounded_ -= group.most();
    ++group.flows;
    group.sum += ceiling;
    bounded_ += group.most();
    return slot;
  }
  void remove(Slot slot, std::uint64_t ceiling) {
    --flows_;
    plain_ -= ceiling;
    if (slot == kNoSlot) {
      bounded_ -= ceiling;
      return;
    }
    DoorGroup& group = groups_[slot];
    bounded_ -= group.most();
    --group.flows;
    group.sum -= ceiling;
    bounded_ += group.most();
  }

  /// Whether filling may find the resource full. Shares are rounded down, so a resource that is
  /// just wide enough could come to the same share as a flow's own door, and before it, and hold
  /// back flows that have not reached theirs. A bit a second for each flow to spare rules that
  /// out: its share is then above that of some door of its flows for as long as one has no rate.
  [[nodiscard]] bool exceeds(std::uint64_t capacity) const {
    return plain_ > capacity && bounded_ + flows_ > capacity;
  }

 private:
  static constexpr Slot kNoSlot = 255;
  struct DoorGroup {
    ResourceId door = kNoResource;
    std::uint32_t flows = 0;  ///< 0 means that the slot is free
    std::uint64_t capacity = 0;
    Sum sum = 0;

    /// No flow has less than a bit a second, so a door may be overbooked by that much.
    [[nodiscard]] Sum most() const {
      return std::min<Sum>(sum, std::max<std::uint64_t>(capacity, flows));
    }
  };

  /// The group of this door, or a free one; a flow that finds none counts by itself.
  [[nodiscard]] Slot slot_for(ResourceId door) const {
    if (door == kNoResource) return kNoSlot;
    Slot free = kNoSlot;
    for (Slot i = 0; i < static_cast<Slot>(groups_.size()); ++i) {
      if (groups_[i].flows == 0) {
        free = std::min(free, i);
      } else if (groups_[i].door == door) {
        return i;
      }
    }
    return free;
  }

  Sum plain_ = 0;
  Sum bounded_ = 0;
  std::uint64_t flows_ = 0;
  std::array<DoorGroup, 6> groups_;
};

}  // namespace espalier::sim
