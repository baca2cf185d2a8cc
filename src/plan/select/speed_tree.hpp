#pragma once

#include "base/contract.hpp"
#include "collective/multilevel.hpp"
#include "schedule/collective.hpp"
#include "select/plan.hpp"
#include "topology/machine.hpp"
#include "tree/comm_tree.hpp"
#include "tree/shapes.hpp"

namespace espalier::select {

/// One tree over all ranks by number, counted from the root. @pre shape is not Binary
[[nodiscard]] inline tree::CommTree blind_tree(collective::Shape shape, Rank size, Rank root) {
  const tree::Participants who = tree::everybody(size, root);
  switch (shape) {
    case collective::Shape::Flat:
      return tree::flat(who);
    case collective::Shape::Chain:
      return tree::chain(who);
    case collective::Shape::Quadnomial:
    case collective::Shape::Octonomial:
      return tree::knomial(who, collective::radix_of(shape));
    case collective::Shape::Binary:
      expects(false, "blind_tree: binary trees stand inside levels only");
      break;
    case collective::Shape::Binomial:
      break;
  }
  return tree::binomial(who);
}

/// The tree of a SpeedTree plan: everybody, by what a message of the call's length costs each rank
/// that sends it. Links are not looked at. @pre is_speed_tree(plan.name)
[[nodiscard]] tree::CommTree speed_tree(const SpeedTree& plan, const topology::Machine& machine,
                                        const schedule::Collective& call);

/// "fnf" and "spoc".
[[nodiscard]] bool is_speed_tree(const std::string& name);

/// Whether there are faster and slower senders; else these trees have nothing to go by.
[[nodiscard]] bool has_unequal_senders(const topology::Machine& machine);

}  // namespace espalier::select
