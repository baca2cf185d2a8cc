#include <fmt/format.h>

#include "base/units.hpp"
#include "report/draw_tree.hpp"
#include "report/outline.hpp"
#include "report/palette.hpp"

namespace espalier::report {
namespace {

std::string dot_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? "\\n" : std::string(1, c);
  }
  return out + "\"";
}

}  // namespace

std::string tree_dot(const TimedTree& timed, const topology::Machine& machine) {
  const tree::CommTree& tree = timed.tree;
  std::string dot = fmt::format(
      "digraph {} {{\n  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n"
      "  edge [fontname=\"sans-serif\", fontsize=10];\n  label={};\n",
      dot_quoted(timed.algorithm),
      dot_quoted(fmt::format("{} {} of {}: {}", timed.algorithm, name_of(timed.operation),
                             to_string(timed.size), rounded(timed.finish))));
  for (const Rank r : tree.preorder()) {
    dot += fmt::format("  {} [label={}, fillcolor=\"{}\", tooltip={}];\n", r,
                       dot_quoted(fmt::format("{}\n{}", r, rounded(timed.done[r]))),
                       site_colour(site_of(machine, r)), dot_quoted(machine.describe(r)));
  }
  std::vector<std::uint32_t> sent(tree.size(), 0);
  for (const Transfer& t : timed.transfers) {
    dot += fmt::format("  {} -> {} [label=\"{}\", color=\"{}\"];\n", t.from, t.to,
                       ++sent[timed.parent(t)], level_colour(t.level));
  }
  return dot + "}\n";
}

}  // namespace espalier::report
