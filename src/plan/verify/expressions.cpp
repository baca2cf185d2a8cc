#include "verify/expressions.hpp"

#include <fmt/format.h>

#include "base/contract.hpp"

namespace espalier::verify {

Expressions::Expressions(Rank size) : size_(size), nodes_(std::size_t{2} + size) {
  for (Rank rank = 0; rank < size; ++rank) {
    Node& node = nodes_[input(rank)];
    node.ranks = RankSets::single(rank);
    node.hash = mix(1, rank);
  }
}

ExprId Expressions::combine(ExprId left, ExprId right) {
  expects(left > kWrong && right > kWrong, "Expressions: cannot combine what is not known");
  const std::uint64_t key = std::uint64_t{left} << 32 | right;
  const auto [it, is_new] = known_.try_emplace(key, static_cast<ExprId>(nodes_.size()));
  if (!is_new) return it->second;
  const RankSet ranks = sets_.join(nodes_[left].ranks, nodes_[right].ranks);
  nodes_.push_back({left, right, ranks, mix(mix(2, nodes_[left].hash), nodes_[right].hash)});
  return it->second;
}

std::string Expressions::to_text(ExprId expr, int depth) const {
  if (expr == kUndefined) return "nothing";
  if (expr == kWrong) return "a wrong value";
  if (is_input(expr)) return fmt::format("{}", rank_of(expr));
  if (depth == 0) return "...";
  const Node& node = nodes_[expr];
  return fmt::format("({}.{})", to_text(node.left, depth - 1), to_text(node.right, depth - 1));
}

}  // namespace espalier::verify
