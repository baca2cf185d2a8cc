// Shrink-and-Balance: whole sub-trees for children that are missing or tiny. Not in the paper; why
// is in ADR 9.
#include <algorithm>
#include <utility>

#include "group/shrink_and_balance.hpp"

namespace espalier::group {

/// Asks for a sub-tree where many vertices would have to come one by one. @return whether it did
bool ShrinkAndBalance::graft_first(const BalancePlan& plan, Endpoint& endpoint) {
  const Rank few = few_vertices(view_.degree);
  if (grafts_ >= 2 * view_.degree) return false;
  std::size_t donor = branches_.size();
  for (std::size_t c = 0; c < branches_.size(); ++c) {
    if (branches_[c].dissolved) continue;
    if (donor == branches_.size() || branches_[c].size > branches_[donor].size) donor = c;
  }
  if (donor == branches_.size() || branches_[donor].size <= few) return false;
  bool wanted = std::any_of(plan.slots.begin(), plan.slots.end(),
                            [&](Rank vertices) { return vertices > few; });
  // A small branch that would have to grow much stands in the way of a large one.
  for (std::size_t c = 0; c < branches_.size() && !wanted; ++c) {
    if (c == donor || plan.children[c].takes <= 4 * branches_[c].size + few) continue;
    branches_[c].dissolved = wanted = true;
  }
  if (!wanted) return false;
  ++grafts_;
  Branch& from = branches_[donor];
  Words words{from.position, std::exchange(from.taken, std::uint16_t{0})};
  endpoint.send(from.root, {tag_, 0, Kind::Graft, 0, std::move(words)});
  return true;
}

/// Gives the largest branch away, whole.
bool ShrinkAndBalance::give_graft(const Message& message, Endpoint& endpoint) {
  if (!shrunk_ || message.words[0] != position_) return false;
  apply_taken(message.words[1]);
  const auto it =
      std::max_element(branches_.begin(), branches_.end(),
                       [](const Branch& a, const Branch& b) { return a.size < b.size; });
  Words words;
  if (it != branches_.end()) {
    words = {it->root, it->size, it->taken, it->position};
    branches_.erase(it);
  }
  endpoint.send(message.from, {tag_, 0, Kind::Grafted, 1, std::move(words)});
  return true;
}

void ShrinkAndBalance::take_graft(const Message& message, Endpoint& endpoint) {
  const Words& words = message.words;
  if (words.empty()) {
    grafts_ = 255;
  } else {
    for (Branch& branch : branches_) {
      if (branch.root == message.from) branch.size -= words[1];
    }
    Branch grafted;
    grafted.root = words[0];
    grafted.size = words[1];
    grafted.taken = static_cast<std::uint16_t>(words[2]);
    grafted.position = static_cast<std::uint16_t>(words[3]);
    branches_.push_back(grafted);
  }
  plan(endpoint);
}

}  // namespace espalier::group
