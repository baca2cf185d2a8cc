#include "report/box_layout.hpp"
#include "report/draw_machine.hpp"
#include "report/palette.hpp"
#include "report/svg.hpp"

namespace espalier::report {
namespace {

using topology::Machine;

constexpr std::size_t kFoldFromProcesses = 256;
constexpr std::size_t kFoldFromClusters = 64;
constexpr double kMargin = 14;

class Drawing {
 public:
  Drawing(const Machine& machine, const Outline& outline, Svg& svg)
      : machine_(machine), outline_(outline), svg_(svg) {}

  /// @param x, y of the box that `box` is in
  void draw(const Box& box, double x, double y) {
    if (box.kind == Box::Kind::Processes) return processes(box, x + box.x, y + box.y);
    if (box.kind == Box::Kind::Cluster) return cluster(box, x + box.x, y + box.y);
    svg_.text(x + box.x, y + box.y + kCaptionLine, box.captions[0],
              {.size = kCaptionSize, .colour = kFaintInk});
  }

 private:
  void processes(const Box& box, double x, double y) {
    const double width = tile_width(box);
    for (std::size_t i = 0; i < box.tiles.size(); ++i) {
      const double column = static_cast<double>(i % box.tile_columns);
      const std::size_t row = i / box.tile_columns;
      const double left = x + column * (width + kTileGap);
      const double top = y + static_cast<double>(row) * (kTileHeight + kTileGap);
      if (box.tiles[i] != "…") {
        svg_.rect(left, top, width, kTileHeight,
                  {.colour = "#ffffff", .edge = "#8a8a8a", .edge_width = 0.8, .radius = 3});
      }
      svg_.text(left + width / 2, top + kTileHeight / 2 + 4, box.tiles[i],
                {.size = kSmallSize, .anchor = Anchor::Middle});
    }
    double baseline = y + box.height - kCaptionLine * static_cast<double>(box.captions.size()) + 13;
    for (const std::string& caption : box.captions) {
      svg_.text(x, baseline, caption, {.size = kSmallSize, .colour = kFaintInk});
      baseline += kCaptionLine;
    }
  }

  void cluster(const Box& box, double x, double y) {
    const OutlineNode& node = outline_.nodes[box.node];
    const topology::Cluster& cluster = machine_.clusters()[node.id];
    const Fill fill = fill_of(cluster);
    for (int behind = node.count > 1 ? 2 : 0; behind >= 0; --behind) {
      const double off = behind * kStackStep;
      if (behind > 0 || cluster.depth > 1) {
        svg_.rect(x + off, y + off, box.width, box.height,
                  {.colour = "#ffffff", .edge = fill.edge, .radius = fill.radius});
      }
      if (behind == 0) svg_.rect(x, y, box.width, box.height, fill);
    }
    svg_.text(x + kBoxPadding, y + kBoxPadding + 11, box.captions[0],
              {.size = kCaptionSize, .bold = true});
    svg_.text(x + kBoxPadding, y + kBoxPadding + 11 + kCaptionLine, box.captions[1],
              {.size = kSmallSize, .colour = kFaintInk});
    channel(box, cluster.depth, x, y);
    for (const auto& row : box.rows) {
      for (const Box& member : row) draw(member, x, y);
    }
  }

  [[nodiscard]] static Fill fill_of(const topology::Cluster& cluster) {
    if (cluster.depth == 0) return {.colour = "#fafafa", .edge = "#999999", .radius = 10};
    if (cluster.depth == 1) {
      return {.colour = site_colour(cluster.index), .edge = "#999999", .radius = 8};
    }
    return {.colour = "#ffffff", .edge = "#aaaaaa", .radius = 6, .opacity = 0.75};
  }

  /// One bar above each row of members, joined at the left; from it the members hang.
  void channel(const Box& box, std::uint32_t level, double x, double y) {
    const std::string_view colour = level_colour(level);
    const Stroke bar{.colour = colour, .width = 3};
    const double first_bar = y + kBoxPadding + 2 * kCaptionLine + kBusHeight - 2;
    svg_.text(x + kBoxPadding, first_bar - 6, box.channel, {.size = kSmallSize, .colour = colour});
    double bar_y = first_bar;
    for (std::size_t r = 0; r < box.rows.size(); ++r) {
      const std::vector<Box>& row = box.rows[r];
      if (r > 0 && only_tiles(row)) continue;
      if (r > 0) {
        const double next_y = y + row.front().y - kStemHeight - 2;
        svg_.line(x + kBoxPadding, bar_y, x + kBoxPadding, next_y, bar);
        bar_y = next_y;
      }
      svg_.line(x + kBoxPadding - 1.5, bar_y, x + box.width - kBoxPadding, bar_y, bar);
      for (const Box& member : row) stem(member, x, y, bar_y, colour);
    }
  }

  void stem(const Box& member, double x, double y, double bar_y, std::string_view colour) {
    if (member.kind != Box::Kind::Cluster) return;
    const double middle = x + member.x + member.width / 2;
    svg_.line(middle, bar_y, middle, y + member.y, {.colour = colour, .width = 2});
    svg_.text(middle + 6, y + member.y - 6, member.uplink,
              {.size = kSmallSize, .colour = kFaintInk});
  }

  const Machine& machine_;
  const Outline& outline_;
  Svg& svg_;
};

}  // namespace

std::string machine_svg(const Machine& machine, Detail detail) {
  const bool small =
      machine.size() <= kFoldFromProcesses && machine.clusters().size() <= kFoldFromClusters;
  const bool folded = detail == Detail::Folded && !small;
  const Outline parts = outline(machine, folded ? Fold::EqualNeighbours : Fold::EqualProcesses);
  const Box box = lay_out(machine, parts, folded);
  Svg svg(box.width + 2 * kMargin, box.height + 2 * kMargin);
  Drawing(machine, parts, svg).draw(box, kMargin, kMargin);
  return std::move(svg).finish();
}

}  // namespace espalier::report
