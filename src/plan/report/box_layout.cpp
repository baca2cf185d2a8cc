#include "report/box_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/figures.hpp"
#include "report/svg.hpp"
#include "report/text.hpp"

namespace espalier::report {
namespace {

using topology::Machine;

constexpr std::size_t kMostMembers = 12;  // most members shown of a folded cluster
constexpr std::size_t kMostTiles = 16;    // most processes shown of a folded run
constexpr double kBestProportion = 1.7;   // width over height that looks best

Box empty(Box::Kind kind, std::uint32_t node) {
  Box box;
  box.kind = kind;
  box.node = node;
  return box;
}

class Layout {
 public:
  Layout(const Machine& machine, const Outline& outline, bool folded)
      : machine_(machine), outline_(outline), folded_(folded) {}

  [[nodiscard]] Box box_of(std::uint32_t id) const {
    return outline_.nodes[id].is_leaf ? processes(id) : cluster(id);
  }

 private:
  [[nodiscard]] Box processes(std::uint32_t id) const {
    const OutlineNode& node = outline_.nodes[id];
    Box box = empty(Box::Kind::Processes, id);
    const std::size_t shown =
        folded_ && node.count > kMostTiles ? kMostTiles - 2 : std::size_t{node.count};
    for (std::uint32_t i = 0; i < shown; ++i) {
      box.tiles.push_back(fmt::format("{}", machine_.rank_at(node.id + i)));
    }
    if (shown < node.count) {
      box.tiles.emplace_back("…");
      box.tiles.push_back(fmt::format("{}", machine_.rank_at(node.id + node.count - 1)));
      box.captions.push_back(counted(node.count, "process"));
    }
    const std::string uplink = in_words(machine_.leaf_uplink(node.id));
    if (!uplink.empty()) box.captions.push_back("uplink " + uplink);
    if (const std::string costs = in_words(machine_.leaf_costs(node.id)); !costs.empty()) {
      box.captions.push_back(costs);
    }
    const auto count = static_cast<double>(box.tiles.size());
    box.tile_columns = static_cast<std::uint32_t>(std::ceil(std::sqrt(count)));
    const double columns = box.tile_columns;
    box.width = columns * tile_width(box) + (columns - 1) * kTileGap;
    const double lines = std::ceil(count / columns);
    box.height = lines * kTileHeight + (lines - 1) * kTileGap;
    for (const std::string& caption : box.captions) {
      box.width = std::max(box.width, text_width(caption, kSmallSize));
      box.height += kCaptionLine;
    }
    return box;
  }

  [[nodiscard]] Box cluster(std::uint32_t id) const {
    const OutlineNode& node = outline_.nodes[id];
    const topology::Cluster& cluster = machine_.clusters()[node.id];
    Box box = empty(Box::Kind::Cluster, id);
    box.captions = {title(machine_, node),
                    fmt::format("{} {}", node.leaf_count == 1 ? "rank" : "ranks",
                                ranks_in_words(machine_, node))};
    const std::string figures = in_words(cluster.channel);
    const std::string pairs = pairs_in_words(machine_, cluster);
    box.channel = channel_name(machine_, cluster.depth);
    if (machine_.levels()[cluster.depth].channel.empty()) box.channel = "between " + box.channel;
    if (!figures.empty()) box.channel += ": " + figures;
    if (!pairs.empty()) box.channel += ", " + pairs;
    if (node.id != 0) box.uplink = in_words(cluster.uplink);
    std::vector<Box> members = members_of(id);
    const double widest = std::max(
        text_width(box.captions[0], kCaptionSize) * 1.1,  // bold
        std::max(text_width(box.captions[1], kSmallSize), text_width(box.channel, kSmallSize)));
    arrange(box, std::move(members), widest);
    return box;
  }

  [[nodiscard]] std::vector<Box> members_of(std::uint32_t id) const {
    std::vector<Box> members;
    std::uint32_t hidden = 0;
    for (std::uint32_t c = outline_.links[id].first_child; c != kNoNode;
         c = outline_.links[c].next_sibling) {
      if (folded_ && members.size() == kMostMembers) {
        hidden += outline_.nodes[c].count;
      } else {
        members.push_back(box_of(c));
      }
    }
    if (hidden > 0) {
      Box more = empty(Box::Kind::More, id);
      more.captions.push_back(fmt::format("… {} more", grouped(hidden)));
      more.width = text_width(more.captions[0], kCaptionSize);
      more.height = kCaptionLine;
      members.push_back(std::move(more));
    }
    return members;
  }

  [[nodiscard]] bool is_stack(const Box& member) const {
    return member.kind == Box::Kind::Cluster && outline_.nodes[member.node].count > 1;
  }

  /// Members need room for what is written beside their uplink, and for the stack behind them.
  [[nodiscard]] double room_of(const Box& member) const {
    const double stack = is_stack(member) ? 2 * kStackStep : 0;
    const double label = 2 * (text_width(member.uplink, kSmallSize) + 8);  // right of the middle
    return std::max(member.width + stack, member.uplink.empty() ? 0 : label);
  }

  struct Extent {
    double width = 0;
    double height = 0;
  };

  [[nodiscard]] Extent extent(const std::vector<Box>& members, std::size_t columns) const {
    const double above = only_tiles(members) ? 10 : kBusHeight + kStemHeight + 2 * kStackStep;
    Extent total;
    for (std::size_t at = 0; at < members.size(); at += columns) {
      Extent row;
      for (std::size_t i = at; i < std::min(at + columns, members.size()); ++i) {
        row.width += room_of(members[i]) + (i > at ? kBoxGap : 0);
        row.height = std::max(row.height, members[i].height);
      }
      total.width = std::max(total.width, row.width);
      total.height += row.height + above;
    }
    return total;
  }

  [[nodiscard]] std::size_t best_columns(const std::vector<Box>& members) const {
    std::size_t best = 1;
    double least = HUGE_VAL;
    for (std::size_t columns = 1; columns <= members.size(); ++columns) {
      const Extent e = extent(members, columns);
      const double off = std::abs(std::log(e.width / e.height / kBestProportion));
      const std::size_t rows = (members.size() + columns - 1) / columns;
      const double missing = static_cast<double>(rows * columns - members.size());
      // Part of the last row that is empty.
      const double ragged = missing / static_cast<double>(columns);
      if (off + ragged >= least) continue;
      least = off + ragged;
      best = columns;
    }
    return best;
  }

  void arrange(Box& box, std::vector<Box> members, double widest_text) const {
    const bool tiles = only_tiles(members);
    const std::size_t columns = best_columns(members);
    const bool several_rows = members.size() > columns && !tiles;
    const double left = kBoxPadding + (several_rows ? 10 : 0);  // room for the trunk
    double y = kBoxPadding + 2 * kCaptionLine + kBusHeight;
    double widest = widest_text;
    for (std::size_t at = 0; at < members.size(); at += columns) {
      double x = left;
      double tallest = 0;
      std::vector<Box> row;
      if (at > 0) y += tiles ? 0 : kBoxGap;
      y += tiles ? 10 : kStemHeight;
      for (std::size_t i = at; i < std::min(at + columns, members.size()); ++i) {
        Box& member = members[i];
        member.x = x + (room_of(member) - member.width) / 2;
        member.y = y;
        x += room_of(member) + kBoxGap;
        tallest = std::max(tallest, member.height + (is_stack(member) ? 2 * kStackStep : 0));
        row.push_back(std::move(member));
      }
      widest = std::max(widest, x - kBoxGap - left);
      y += tallest;
      box.rows.push_back(std::move(row));
    }
    box.width = left + widest + kBoxPadding;
    box.height = y + kBoxPadding;
  }

  const Machine& machine_;
  const Outline& outline_;
  bool folded_;
};

}  // namespace

bool only_tiles(const std::vector<Box>& row) {
  return std::all_of(row.begin(), row.end(),
                     [](const Box& member) { return member.kind == Box::Kind::Processes; });
}

double tile_width(const Box& processes) {
  double widest = 20;
  for (const std::string& rank : processes.tiles) {
    widest = std::max(widest, text_width(rank, kSmallSize) + 8);
  }
  return widest;
}

Box lay_out(const Machine& machine, const Outline& outline, bool folded) {
  return Layout(machine, outline, folded).box_of(0);
}

}  // namespace espalier::report
