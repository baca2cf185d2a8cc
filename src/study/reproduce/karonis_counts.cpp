#include "reproduce/karonis_counts.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

#include "collective/multilevel.hpp"
#include "collective/tree_links.hpp"
#include "reproduce/findings.hpp"
#include "topology/readers.hpp"
#include "topology/views.hpp"
#include "tree/shapes.hpp"

namespace espalier::reproduce {
namespace {

using collective::Hierarchy;
using collective::LevelChoice;
using collective::Shape;
using collective::TreeLinks;
using report::Align;
using report::Decimal;
using topology::Machine;

/// The links of a rank in a curve's tree.
using Links = std::function<TreeLinks(Rank root, Rank rank)>;

Links binomial_links(Rank size) {
  return [size](Rank root, Rank rank) {
    return collective::links_of(binomial(tree::everybody(size, root)), rank, 0);
  };
}

Links level_links(const Hierarchy& view) {
  return [&view](Rank root, Rank rank) {
    const std::vector<LevelChoice> choices(view.machine().levels().size(), {Shape::Binomial, 0});
    return multilevel_links(view, choices, root, rank);
  };
}

/// Parent of each rank; the root is its own.
std::vector<Rank> parents_of(const Links& links, Rank root, Rank size) {
  std::vector<Rank> parents(size);
  for (Rank rank = 0; rank < size; ++rank) {
    parents[rank] = rank == root ? root : links(root, rank).parent.peer;
  }
  return parents;
}

struct Count {
  double all = 0;      ///< messages at this level, mean over all roots
  double on_path = 0;  ///< messages at this level on one way from rank 0 as root, at most
};

Count count_of(const Machine& machine, const Links& links, std::uint32_t level) {
  Count count;
  for (Rank root = 0; root < machine.size(); ++root) {
    const std::vector<Rank> parents = parents_of(links, root, machine.size());
    for (Rank rank = 0; rank < machine.size(); ++rank) {
      const auto is_here = [&](Rank one) { return machine.path(parents[one], one).level == level; };
      if (rank != root && is_here(rank)) count.all += 1;
      if (root != 0) continue;
      double way = 0;
      for (Rank one = rank; one != root; one = parents[one]) way += is_here(one) ? 1 : 0;
      count.on_path = std::max(count.on_path, way);
    }
  }
  count.all /= machine.size();
  return count;
}

void add_link_rows(Exhibit& exhibit, const std::string& figure, const std::string& tree,
                   const Machine& machine, const Links& links) {
  constexpr std::array kNetworks{"WAN", "LAN", "within a machine"};
  const std::size_t outermost = kNetworks.size() - machine.levels().size();
  for (std::uint32_t level = 0; level < machine.levels().size(); ++level) {
    const Count count = count_of(machine, links, level);
    exhibit.table.rows.push_back({figure, tree, std::string(kNetworks[outermost + level]),
                                  Decimal{count.all, 2}, Decimal{count.on_path, 0}});
  }
}

}  // namespace

Exhibit karonis_counts() {
  Exhibit exhibit;
  exhibit.key = "counts";
  exhibit.title = "Section 4: messages of a broadcast over each network";
  exhibit.table.columns = {{"figure", "figure"},
                           {"tree", "tree"},
                           {"network", "network"},
                           {"messages", "messages, mean over roots", Align::Right},
                           {"on_path", "on the longest way from 0", Align::Right}};
  const Machine all =
      topology::parse_synthetic("site:2(30ms) machine:1|2(500us) proc:16(5us)").value();
  const Machine machines = topology::two_level_view(all, 2),
                sites = topology::two_level_view(all, 1);
  const Hierarchy levels(all), by_machine(machines), by_site(sites);
  add_link_rows(exhibit, "9", "MPICH binomial", all, binomial_links(all.size()));
  add_link_rows(exhibit, "9", "two-level, machine", all, level_links(by_machine));
  add_link_rows(exhibit, "9", "two-level, site", all, level_links(by_site));
  add_link_rows(exhibit, "9", "multilevel", all, level_links(levels));
  const Machine lan = topology::parse_synthetic("machine:2(500us) proc:16(5us)").value();
  const Hierarchy of_lan(lan);
  add_link_rows(exhibit, "8", "MPICH binomial", lan, binomial_links(lan.size()));
  add_link_rows(exhibit, "8", "multilevel", lan, level_links(of_lan));

  const auto wide = count_of(all, level_links(levels), 0),
             local = count_of(all, level_links(levels), 1);
  exhibit.stated = {{"Figure 9, multilevel: messages over the wide area", wide.all, 1},
                    {"Figure 9, multilevel: messages over the local area", local.all, 1}};
  for (const auto& [tree, links] : {std::pair{"binomial", binomial_links(lan.size())},
                                    std::pair{"multilevel", level_links(of_lan)}}) {
    const std::string where = std::string("Figure 8, ") + tree + ": on the longest way, ";
    exhibit.stated.push_back({where + "between clusters", count_of(lan, links, 0).on_path, 1});
    exhibit.stated.push_back({where + "within one", count_of(lan, links, 1).on_path, 4});
  }
  exhibit.notes = {
      "The paper: the broadcast of its experiments is optimised \"by sending one message across "
      "the "
      "wide-area, then one message across the local-area\". With P processes on C clusters a "
      "binomial tree sends log2 C messages between clusters and log2 (P/C) within one along its "
      "longest path, the multilevel tree 1 and log2 (P/C); Figure 8 has P = 32 and C = 2."};
  add_notes(exhibit, karonis_count_findings(exhibit.table));
  return exhibit;
}

}  // namespace espalier::reproduce
