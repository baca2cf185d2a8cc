#pragma once

#include "collective/multilevel.hpp"
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
    default:
      return tree::binomial(who);
  }
}

}  // namespace espalier::select
