#include <fmt/format.h>
#include <fmt/ranges.h>

#include <espalier/tree.hpp>

#include "api/call.hpp"
#include "base/contract.hpp"
#include "model/node_costs.hpp"
#include "tree/algorithm.hpp"
#include "tree/multiple_multicast.hpp"
#include "tree/tree_time.hpp"

namespace espalier {
namespace {

Tree shown_tree(const tree::CommTree& inside, std::string algorithm) {
  Tree result{std::move(algorithm), inside.root(), {}, {}};
  for (Rank r = 0; r < inside.size(); ++r) {
    const bool is_in = inside.contains(r);
    result.parent.push_back(is_in ? inside.parent(r) : kNoRank);
    result.children.push_back(is_in ? inside.children(r) : std::vector<Rank>{});
  }
  return result;
}

/// Refuses what is no tree of so many ranks, since a user may have made it.
tree::CommTree comm_tree_of(const Tree& outside, Rank size) {
  expects(outside.children.size() == size && outside.root < size,
          "Tree: not one of the model's machine");
  tree::CommTree result(size, outside.root);
  std::vector<Rank> reached{outside.root};
  for (std::size_t i = 0; i < reached.size(); ++i) {
    const Rank parent = reached[i];
    for (const Rank child : outside.children[parent]) {
      expects(child < size && !result.contains(child), "Tree: a child of two, or no rank");
      result.append_child(parent, child);
      reached.push_back(child);
    }
  }
  return result;
}

Expected<const tree::Algorithm*> algorithm_called(std::string_view name) {
  if (const tree::Algorithm* found = tree::find_algorithm(name)) return found;
  std::vector<std::string_view> known;
  for (const tree::Algorithm& a : tree::algorithms()) known.push_back(a.name);
  return Error{"algorithm", fmt::format("there is no algorithm \"{}\"", name),
               fmt::format("the algorithms are: {}", fmt::join(known, ", "))};
}

Expected<tree::Participants> participants(const Model& model, Rank root,
                                          const std::vector<Rank>& to) {
  const Rank size = model.machine().size();
  if (auto wrong = api::check_rank(root, size, "root")) return *wrong;
  if (auto wrong = api::check_ranks(to, size, "to")) return *wrong;
  return tree::multicast(size, root, to);
}

Expected<tree::CommTree> built(const Model& model, std::string_view name,
                               const tree::Participants& who, Bytes size, Rank arity) {
  auto algorithm = algorithm_called(name);
  if (!algorithm) return algorithm.error();
  if (arity < 2) return Error{"arity", fmt::format("{} is no arity", arity), "take 2 or more"};
  const std::vector<Time> costs = model::send_costs(*model.machine().inside(), size);
  const tree::TreeRequest asked{who, costs, model.inside(), size, arity};
  if ((*algorithm)->refusal != nullptr) {
    if (auto error = (*algorithm)->refusal(asked)) {
      error->where = "algorithm";
      return *error;
    }
  }
  return (*algorithm)->build(asked);
}

}  // namespace

std::vector<TreeAlgorithm> tree_algorithms() {
  std::vector<TreeAlgorithm> result;
  for (const tree::Algorithm& a : tree::algorithms()) {
    result.push_back({std::string(a.name), std::string(a.title), std::string(a.source)});
  }
  return result;
}

Expected<Tree> build_tree(const Model& model, std::string_view algorithm,
                          const TreeRequest& request) {
  auto who = participants(model, request.root, request.to);
  if (!who) return who.error();
  if (request.to.empty()) *who = tree::everybody(model.machine().size(), request.root);
  auto tree = built(model, algorithm, *who, request.size, request.arity);
  if (!tree) return tree.error();
  return shown_tree(*tree, std::string(algorithm));
}

std::vector<Time> broadcast_times(const Tree& tree, const Model& model, Bytes size) {
  return tree::broadcast_times(comm_tree_of(tree, model.machine().size()), model.inside(), size);
}

Time broadcast_time(const Tree& tree, const Model& model, Bytes size) {
  return tree::broadcast_time(comm_tree_of(tree, model.machine().size()), model.inside(), size);
}

Expected<MulticastTrees> multicast_trees(const Model& model, std::span<const Multicast> multicasts,
                                         Bytes size, std::string_view algorithm) {
  constexpr Rank kAnyArity = 2;
  std::vector<tree::Participants> who;
  std::vector<tree::CommTree> separate;
  for (const Multicast& one : multicasts) {
    auto named = participants(model, one.root, one.to);
    if (!named) return named.error();
    auto tree = built(model, algorithm, *named, size, kAnyArity);
    if (!tree) return tree.error();
    who.push_back(*std::move(named));
    separate.push_back(*std::move(tree));
  }
  if (who.empty()) return MulticastTrees{};
  const tree::MultipleMulticast best =
      tree::multiple_multicast(who, separate, model.inside(), size);
  MulticastTrees result{{}, best.plan.run.finish, best.joint, best.joint_time, best.separate_time};
  for (const tree::CommTree& tree : best.plan.trees) {
    result.trees.push_back(shown_tree(tree, best.joint ? "joint" : std::string(algorithm)));
  }
  return result;
}

}  // namespace espalier
