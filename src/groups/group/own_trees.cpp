// A. Langer, R. Venkataraman, L. Kale: "Scalable algorithms for constructing balanced spanning
// trees on system-ranked process groups", EuroMPI 2012, section 2: several trees, each with a root
// of its own. Such a tree is a group of the same members that nobody sees; it is made by the first
// call that goes over it, which waits for it without keeping its caller.
#include "base/contract.hpp"
#include "group/group.hpp"
#include "group/process_state.hpp"

namespace espalier::group {

/// The tree's group, of which there may be no more yet than its name.
Tag Process::own_tree(State& group, Rank root) {
  for (const auto& [other, tree] : group.trees) {
    if (other == root) return tree;
  }
  // Nobody may leave the call that makes it before all have what they need for it.
  const SplitOptions options{.degree = group.view.degree, .routable = false, .settled = true};
  const Tag construction = Group(*this, group.tag).rooted_at(root, options).tag();
  const Tag tree = group_tag(construction, 0);
  trees_to_be_[tree].construction = construction;
  group.trees.emplace_back(root, tree);
  return tree;
}

Ticket Process::start_on_own_tree(Tag tag, TreeOperation::Call call) {
  State& group = *state(tag);
  expects(!group.leaving, "a collective on a group that was given up");
  expects(call.root < group.view.size, "a collective: no such root in the group");
  const Tag tree = own_tree(group, call.root);
  call.root = 0;
  call.way = RootWay::AnyVertex;
  const auto it = trees_to_be_.find(tree);
  if (it == trees_to_be_.end()) return start(tree, std::move(call));
  const Ticket ticket(*this, tree, static_cast<std::uint32_t>(it->second.calls.size()));
  it->second.calls.push_back(std::move(call));
  start_on_trees_made();
  return ticket;
}

std::size_t Process::trees_for_roots() const {
  std::size_t count = 0;
  for (const auto& [tag, group] : groups_) count += group->trees.size();
  return count;
}

/// Calls that have waited for their tree begin in the order in which they were made.
void Process::start_on_trees_made() {
  for (auto it = trees_to_be_.begin(); it != trees_to_be_.end();) {
    Splitting making(*this, it->second.construction);
    if (!making.test()) {
      ++it;
      continue;
    }
    const Tag tree = making.group().tag();
    std::vector<TreeOperation::Call> calls = std::move(it->second.calls);
    it = trees_to_be_.erase(it);
    for (TreeOperation::Call& call : calls) (void)start(tree, std::move(call));
  }
}

}  // namespace espalier::group
