
#include "base/json.hpp"
#include "base/units.hpp"
#include "report/draw_tree.hpp"
#include "report/json_text.hpp"

namespace espalier::report {
namespace {

/// The position of each rank among the children of its parent.
std::vector<std::uint32_t> orders(const tree::CommTree& tree) {
  std::vector<std::uint32_t> order(tree.size(), 0);
  for (Rank r = 0; r < tree.size(); ++r) {
    std::uint32_t next = 0;
    for (Rank c = tree.first_child(r); c != kNoRank; c = tree.next_sibling(c)) order[c] = next++;
  }
  return order;
}

Json timed_rank_json(const TimedTree& timed, Rank rank, std::uint32_t order, const Transfer* own) {
  Json json{{"rank", rank},        {"parent", nullptr},
            {"order", nullptr},    {"level", nullptr},
            {"start_ps", nullptr}, {"arrival_ps", timed.done[rank].picoseconds}};
  if (own != nullptr) {
    json["parent"] = timed.parent(*own);
    json["order"] = order;
    json["level"] = own->level;
    json["start_ps"] = own->start.picoseconds;
  }
  return json;
}

}  // namespace

std::string tree_json(const TimedTree& timed, const topology::Machine& machine) {
  const tree::CommTree& tree = timed.tree;
  Json document{{"format", "espalier-tree-1"},
                {"algorithm", timed.algorithm},
                {"operation", name_of(timed.operation)},
                {"machine", Json{{"name", machine.name()}, {"processes", machine.size()}}},
                {"model", timed.model},
                {"root", tree.root()},
                {"size_bytes", timed.size.value},
                {"members", tree.member_count()},
                {"height", tree.height()},
                {"finish_ps", timed.finish.picoseconds},
                {"finish", rounded(timed.finish)},
                {"mean_arrival_ps", mean_done(timed).picoseconds},
                {"messages_per_level", messages_per_level(timed, machine)},
                {"critical_path", critical_path(timed)}};
  std::vector<const Transfer*> own(tree.size(), nullptr);
  for (const Transfer& t : timed.transfers) own[timed.child(t)] = &t;
  const std::vector<std::uint32_t> order = orders(tree);
  Json ranks = Json::array();
  for (Rank r = 0; r < tree.size(); ++r) {
    if (tree.contains(r)) ranks.push_back(timed_rank_json(timed, r, order[r], own[r]));
  }
  document["ranks"] = std::move(ranks);
  return json_text(document);
}

}  // namespace espalier::report
