#pragma once

#include <span>
#include <vector>

#include "base/types.hpp"

namespace espalier::tree {

/// Who takes part in a broadcast or multicast.
///
/// `others` are the destinations in the order in which shape-only algorithms (flat, binomial, ...)
/// number them: position p of the shape is others[p - 1], position 0 the root.
/// @pre of every builder: root and others are distinct ranks below `machine_size`
struct Participants {
  Rank machine_size = 0;
  Rank root = 0;
  std::vector<Rank> others;

  [[nodiscard]] Rank count() const { return static_cast<Rank>(others.size()) + 1; }
  [[nodiscard]] Rank at(Rank position) const { return position == 0 ? root : others[position - 1]; }
};

/// Everybody, numbered from the root upwards and around, as MPI's own trees are: root, root + 1,
/// ...
[[nodiscard]] Participants everybody(Rank machine_size, Rank root);
/// The root and `to`, in the order of `to`; the root itself may be listed and is passed over.
/// @pre no rank stands twice in `to`
[[nodiscard]] Participants multicast(Rank machine_size, Rank root, std::span<const Rank> to);

/// @throws ContractViolation unless root and others are distinct ranks of the machine
void expects_valid(const Participants& who);

}  // namespace espalier::tree
