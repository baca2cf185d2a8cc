#pragma once

#include "select/plan.hpp"

namespace espalier::select {

/// A plan and the time that the closed forms give it, or a simulation (replay.hpp).
struct Choice {
  Plan plan;
  Time predicted;
  friend bool operator==(const Choice&, const Choice&) = default;
};

/// But for the length of their segments.
[[nodiscard]] bool are_alike(Plan a, Plan b);

/// A choice is made for root 0 and serves all roots; a tree over ranks by number may fit the
/// machine from there and not from elsewhere. So what does not know the machine is also looked at
/// from this root, and the longer time counts. 0: nothing else to look at.
[[nodiscard]] inline Rank other_root(const Plan& plan, const schedule::Collective& call) {
  const bool by_number =
      std::holds_alternative<BlindTree>(plan) || std::holds_alternative<Classical>(plan);
  const bool rooted = call.operation == schedule::Operation::Broadcast ||
                      call.operation == schedule::Operation::Reduce ||
                      call.operation == schedule::Operation::Gather ||
                      call.operation == schedule::Operation::Scatter;
  return by_number && rooted && call.root == 0 ? call.size / 2 : 0;
}

}  // namespace espalier::select
