#include "report/draw_tree.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.hpp"
#include "report/outline.hpp"
#include "report/text_tree.hpp"

namespace espalier::report {
namespace {

using topology::Machine;

constexpr std::size_t kTreeLines = 64;
constexpr std::size_t kWidestTreeTime = 60;
constexpr std::size_t kNarrowestTreeTime = 12;

/// The members as a tree to draw; ranks are node ids.
std::vector<TreeNode> links_of(const tree::CommTree& tree) {
  std::vector<TreeNode> links(tree.size());
  for (Rank r = 0; r < tree.size(); ++r) links[r] = {tree.first_child(r), tree.next_sibling(r)};
  return links;
}

/// A row of characters, one for each slice of the time until the finish.
class TimeLine {
 public:
  TimeLine(Time finish, std::size_t width)
      : finish_(finish), cells_(width, Span{" ", Style::Plain}) {}

  /// At least one cell, since something that happens must be seen.
  void mark(Time from, Time to, std::string_view what, Style style) {
    const std::size_t first = std::min(cell(from), cells_.size() - 1);
    const std::size_t last = std::max(first + 1, std::min(cell(to), cells_.size()));
    for (std::size_t i = first; i < last; ++i) cells_[i] = {std::string(what), style};
  }
  /// Neighbours of one style as one span.
  [[nodiscard]] Spans spans() const {
    Spans joined;
    for (const Span& cell : cells_) {
      if (!joined.empty() && joined.back().style == cell.style) {
        joined.back().text += cell.text;
      } else {
        joined.push_back(cell);
      }
    }
    return joined;
  }

 private:
  [[nodiscard]] std::size_t cell(Time t) const {
    if (finish_ == Time{}) return 0;
    const auto scaled = static_cast<__int128>(t.picoseconds) * static_cast<__int128>(cells_.size());
    return static_cast<std::size_t>(scaled / finish_.picoseconds);
  }
  Time finish_;
  Spans cells_;
};

/// For each rank: the transfers in which it is the child, or one of the parents' many.
struct ByRank {
  std::vector<const Transfer*> own;                // message between each rank and its parent
  std::vector<std::vector<const Transfer*>> with;  // its children
};

ByRank by_rank(const TimedTree& timed) {
  ByRank found{std::vector<const Transfer*>(timed.tree.size(), nullptr), {}};
  found.with.resize(timed.tree.size());
  for (const Transfer& t : timed.transfers) {
    found.own[timed.child(t)] = &t;
    found.with[timed.parent(t)].push_back(&t);
  }
  return found;
}

Spans time_line(const TimedTree& timed, const ByRank& transfers, Rank rank, std::size_t width) {
  TimeLine line(timed.finish, width);
  const Transfer* own = transfers.own[rank];
  if (own != nullptr) line.mark(own->start, own->delivered, "─", level_style(own->level));
  for (const Transfer* t : transfers.with[rank]) {
    if (timed.upwards()) {
      if (t->receive_start < t->delivered) {
        line.mark(t->receive_start, t->delivered, "▒", level_style(t->level));
      }
    } else if (t->start < t->sender_free) {
      line.mark(t->start, t->sender_free, "█", level_style(t->level));
    }
  }
  if (own != nullptr && timed.upwards() && own->start < own->sender_free) {
    line.mark(own->start, own->sender_free, "█", level_style(own->level));
  }
  return line.spans();
}

std::string tree_headline(const TimedTree& timed, const Machine& machine, const Canvas& canvas) {
  const tree::CommTree& tree = timed.tree;
  std::string messages;
  const std::vector<std::uint64_t> count = messages_per_level(timed, machine);
  for (std::uint32_t l = 0; l < count.size(); ++l) {
    if (count[l] == 0) continue;
    messages += fmt::format("{}{} {}", messages.empty() ? "" : ", ", channel_name(machine, l),
                            grouped(count[l]));
  }
  const std::string first = fmt::format(
      "{} {} of {} {} rank {}: done after {}", timed.algorithm, name_of(timed.operation),
      to_string(timed.size), timed.upwards() ? "to" : "from", tree.root(), rounded(timed.finish));
  const std::string second =
      fmt::format("{} of {}, height {}, model {}; messages: {}", grouped(tree.member_count()),
                  counted(machine.size(), "process"), tree.height(), timed.model,
                  messages.empty() ? "none" : messages);
  return paint(first, Style::Bold, canvas) + "\n" + wrapped(second, canvas.width);
}

std::string legend(const TimedTree& timed, const Canvas& canvas) {
  const char* text = timed.upwards() ? "─ its message is under way   █ it sends   ▒ it receives"
                                     : "─ its message is under way   █ it sends";
  return paint(fmt::format("{}   * on the way to the last\n", text), Style::Dim, canvas);
}

/// The table without time lines: those take what room is left.
Table rank_lines(const TimedTree& timed, const Machine& machine, const ByRank& transfers,
                 const std::vector<TreeLine>& lines, const std::vector<Rank>& critical) {
  std::vector<bool> is_critical(timed.tree.size(), false);
  for (const Rank r : critical) is_critical[r] = true;
  Table table{{{"", "rank", Align::Left, 24},
               {"", "place", Align::Left, 8},
               {"", "over", Align::Left, 8},
               {"", timed.upwards() ? "ready" : "has it", Align::Right}},
              {}};
  for (const TreeLine& line : lines) {
    if (line.only_hidden) {
      const std::string more = fmt::format("{}… {} more", line.prefix, grouped(line.hidden));
      table.rows.push_back({{more, Style::Dim}, {}, {}, {}});
      continue;
    }
    const Rank rank = line.node;
    const Transfer* own = transfers.own[rank];
    const Style style = is_critical[rank] ? Style::Bold : Style::Plain;
    Spans label{{line.prefix, Style::Dim},
                {fmt::format("{}{}", rank, is_critical[rank] ? "*" : ""), style}};
    if (line.hidden > 0) {
      label.push_back({fmt::format(" … {} below", grouped(line.hidden)), Style::Dim});
    }
    Cell over;
    if (own != nullptr) over = {channel_name(machine, own->level), level_style(own->level)};
    table.rows.push_back(
        {{label}, {place_of(machine, rank), Style::Dim}, over, {timed.done[rank], style}});
  }
  return table;
}

void add_time_lines(Table& table, const TimedTree& timed, const ByRank& transfers,
                    const std::vector<TreeLine>& lines, std::size_t room) {
  const std::string end = rounded(timed.finish);
  const std::size_t between = room > end.size() + 1 ? room - end.size() - 1 : 1;
  table.columns.push_back({"", fmt::format("0{}{}", std::string(between, ' '), end)});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Cell cell;
    if (!lines[i].only_hidden) cell = {time_line(timed, transfers, lines[i].node, room)};
    table.rows[i].push_back(std::move(cell));
  }
}

}  // namespace

std::string draw_tree(const TimedTree& timed, const Machine& machine, const Canvas& canvas,
                      Detail detail) {
  const std::vector<Rank> critical = critical_path(timed);
  const TreeLimits limits{detail == Detail::Folded ? kTreeLines : kAllLines, canvas.width / 10};
  const std::vector<TreeLine> lines =
      tree_lines(links_of(timed.tree), timed.tree.root(), limits, critical);
  const ByRank transfers = by_rank(timed);
  Table table = rank_lines(timed, machine, transfers, lines, critical);
  const std::size_t room = std::min(free_width(table, canvas), kWidestTreeTime);
  const bool has_time_lines = room >= kNarrowestTreeTime && timed.finish > Time{};
  if (has_time_lines) add_time_lines(table, timed, transfers, lines, room);
  return tree_headline(timed, machine, canvas) + "\n" + to_text(table, canvas) +
         (has_time_lines ? "\n" + legend(timed, canvas) : "");
}

}  // namespace espalier::report
