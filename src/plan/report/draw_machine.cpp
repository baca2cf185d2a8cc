#include "report/draw_machine.hpp"

#include <fmt/format.h>

#include "base/units.hpp"
#include "report/figures.hpp"
#include "report/outline.hpp"

namespace espalier::report {
namespace {

using topology::Cluster;
using topology::Machine;

constexpr std::size_t kMachineLines = 48;

/// "node n3, 16 processes" and "4 x node, 16 processes each": processes need no line of their own.
std::string label(const Machine& machine, const Outline& all, std::uint32_t id) {
  const OutlineNode& node = all.nodes[id];
  std::string text = title(machine, node);
  if (const OutlineNode* inside = only_processes(all, id)) {
    const std::uint32_t level = machine.clusters()[node.id].depth;
    text += fmt::format(", {}{}", counted(inside->count, noun(machine, level, true)),
                        node.count > 1 ? " each" : "");
  }
  return text;
}

std::string joined(const std::string& a, const std::string& b, std::string_view between) {
  return a.empty() || b.empty() ? a + b : fmt::format("{}{}{}", a, between, b);
}

std::string channel_words(const Machine& machine, const OutlineNode& node) {
  if (node.is_leaf) return "";
  const Cluster& cluster = machine.clusters()[node.id];
  return joined(in_words(cluster.channel), pairs_in_words(machine, cluster), "; ");
}

std::string uplink_words(const Machine& machine, const OutlineNode& node) {
  if (node.is_leaf) return in_words(machine.leaf_uplink(node.id));
  return node.id == 0 ? "" : in_words(machine.clusters()[node.id].uplink);
}

std::string process_words(const Machine& machine, const Outline& all, std::uint32_t id) {
  const OutlineNode& node = all.nodes[id];
  if (node.is_leaf) return in_words(machine.leaf_costs(node.id));
  const OutlineNode* inside = only_processes(all, id);
  if (inside == nullptr) return "";
  const std::string uplink = in_words(machine.leaf_uplink(inside->id));
  return joined(in_words(machine.leaf_costs(inside->id)), uplink.empty() ? "" : "uplink " + uplink,
                ", ");
}

Spans branch(const TreeLine& line, std::string text, Style style) {
  return {{line.prefix, Style::Dim}, {std::move(text), style}};
}

}  // namespace

std::string machine_headline(const Machine& machine) {
  std::string names;
  for (std::uint32_t l = 0; l < machine.levels().size(); ++l) {
    names += (l > 0 ? ", " : "") + channel_name(machine, l);
  }
  return fmt::format("{}: {}, {} ({})", machine.name().empty() ? "machine" : machine.name(),
                     counted(machine.size(), "process"), counted(machine.levels().size(), "level"),
                     names);
}

std::string draw_machine(const Machine& machine, const Canvas& canvas, Detail detail) {
  const bool folded = detail == Detail::Folded;
  const Outline all = outline(machine, folded ? Fold::EqualNeighbours : Fold::Nothing);
  std::vector<TreeNode> links = all.links;
  for (std::uint32_t id = 0; id < all.nodes.size(); ++id) {
    if (only_processes(all, id) != nullptr) links[id].first_child = kNoNode;
  }
  Table table{{{"", "part", Align::Left, 30},
               {"", "ranks", Align::Left, 8},
               {"", "channel inside", Align::Left, 8},
               {"", "uplink", Align::Left, 8},
               {"", "each process", Align::Left, 8}},
              {}};
  const TreeLimits limits{folded ? kMachineLines : kAllLines, canvas.width / 10};
  for (const TreeLine& line : tree_lines(links, 0, limits)) {
    if (line.only_hidden) {
      const std::string more = fmt::format("… {} more", grouped(line.hidden));
      table.rows.push_back({{branch(line, more, Style::Dim)}, {}, {}, {}, {}});
      continue;
    }
    const OutlineNode& node = all.nodes[line.node];
    const Style style = line.node == 0 ? Style::Bold : Style::Plain;
    std::string text = label(machine, all, line.node);
    if (line.hidden > 0) text += ", " + counted(node.leaf_count, "process");
    table.rows.push_back({{branch(line, std::move(text), style)},
                          {ranks_in_words(machine, node)},
                          {channel_words(machine, node)},
                          {uplink_words(machine, node)},
                          {process_words(machine, all, line.node)}});
  }
  return to_text(table, canvas);
}

}  // namespace espalier::report
