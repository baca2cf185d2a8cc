#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "base/units.hpp"
#include "cli/place_report.hpp"
#include "report/figures.hpp"
#include "report/palette.hpp"
#include "report/svg.hpp"
#include "report/text.hpp"

namespace espalier::cli {
namespace {

constexpr double kDot = 28;             ///< diameter of a process or host
constexpr double kDotRow = 34;          ///< height of a row of them
constexpr double kHostWidth = 84;       ///< least width of a column of hosts
constexpr double kMostHostWidth = 176;  ///< columns are wider for long names, up to this
constexpr double kHead = 84;            ///< title and legend
constexpr double kClusterHead = 24;
constexpr double kHostHead = 22;
constexpr double kRow = 12 * kHostWidth;  ///< most width of a row of hosts
constexpr double kNameSize = 10, kClusterNameSize = 13, kTitleSize = 16;
constexpr Rank kMostProcessDots =
    128;  ///< most processes that are drawn; hosts are if there are more
constexpr std::string_view kBetweenClusters = "#d55e00";
constexpr std::string_view kBetweenHosts = "#9a9a9a";

/// A name that is no wider than that. Ends tell hosts apart, so a long one lacks its middle.
std::string fitting(const std::string& name, double size, double width) {
  if (report::text_width(name, size) <= width) return name;
  const double letter = report::text_width("0", size);
  const auto letters = static_cast<std::size_t>(std::max(4.0, std::floor(width / letter)));
  std::size_t tail = name.size();
  for (std::size_t left = letters - letters / 3; left > 0 && tail > 0; --left) {
    do --tail;
    while (tail > 0 && (static_cast<unsigned char>(name[tail]) & 0xc0U) == 0x80U);
  }
  return report::shortened(name, letters / 3) + name.substr(tail);
}

/// ".cluster.example.com" if all names end so: it tells nothing.
std::string common_domain(const ByCluster& clusters) {
  std::optional<std::string> domain;
  for (const auto& [cluster, hosts] : clusters) {
    for (const auto& [host, processes] : hosts) {
      const std::string own = host.substr(std::min(host.find('.'), host.size()));
      if (domain && *domain != own) return "";
      domain = own;
    }
  }
  const bool is_address = domain && domain->find_first_not_of(".0123456789") == std::string::npos;
  return is_address ? "" : domain.value_or("");
}

struct Dot {
  double x = 0, y = 0;
  std::string label;
  bool is_idle = false;
};

/// A line between two dots, and what it carries.
struct Line {
  double weight = 0;
  std::uint64_t bytes = 0;
  bool leaves_cluster = false;
};

class PlacementDrawing {
 public:
  explicit PlacementDrawing(const ShownPlacement& shown)
      : shown_(shown),
        clusters_(by_cluster(shown)),
        by_process_(shown.problem.size() <= kMostProcessDots) {
    place_dots();
    join_dots();
  }

  std::string draw() {
    report::Svg svg(width_, bottom_ + 14);
    const std::string& machine = shown_.problem.inventory->name;
    svg.text(
        20, 30,
        fitting(fmt::format("{} processes of {}{}", shown_.problem.size(),
                            shown_.problem.profile->name, machine.empty() ? "" : " on " + machine),
                kTitleSize, width_ - 40),
        {.size = kTitleSize, .bold = true});
    legend(svg);
    boxes(svg);
    lines(svg);
    names(svg);
    dots(svg);
    return std::move(svg).finish();
  }

 private:
  struct Box {
    double top = 0, bottom = 0;
    std::string name;
  };
  struct Name {
    double x = 0, y = 0;
    std::string text;
    std::size_t cluster = 0;
  };

  void place_dots() {
    std::size_t widest = 1;
    for (const auto& [name, hosts] : clusters_) widest = std::max(widest, hosts.size());
    find_host_width();
    const std::size_t columns = std::min(widest, static_cast<std::size_t>(kRow / host_width_));
    width_ = std::max(560.0, 40 + static_cast<double>(columns) * host_width_);
    unit_of_.assign(shown_.problem.size(), 0);
    cluster_of_.clear();
    bottom_ = kHead;
    for (std::size_t c = 0; c < clusters_.size(); ++c) {
      Box box{bottom_, 0,
              clusters_[c].first.empty()
                  ? "hosts"
                  : fitting(clusters_[c].first, kClusterNameSize, width_ - 60)};
      const auto& hosts = clusters_[c].second;
      double y = box.top + kClusterHead;
      for (std::size_t first = 0; first < hosts.size(); first += columns) {
        const std::size_t end = std::min(hosts.size(), first + columns);
        std::size_t rows = 1;
        for (std::size_t h = first; h < end; ++h) {
          const double x = 20 + (static_cast<double>(h - first) + 0.5) * host_width_;
          const std::string name = short_name(clusters_[c].first, hosts[h].first);
          names_.push_back({x, y + 14, fitting(name, kNameSize, host_width_ - kNameGap), c});
          rows = std::max(rows, add_host(hosts[h].second, x, y + kHostHead, c));
        }
        y += kHostHead + static_cast<double>(rows) * kDotRow;
      }
      box.bottom = y + 6;
      bottom_ = box.bottom + 12;
      boxes_.push_back(std::move(box));
    }
  }

  /// @return the rows that it takes
  std::size_t add_host(const std::vector<Rank>& processes, double x, double y,
                       std::size_t cluster) {
    const auto add = [&](double at, std::string label) {
      dots_.push_back({x, at + kDotRow / 2, std::move(label), processes.empty()});
      cluster_of_.push_back(cluster);
    };
    if (processes.empty() || !by_process_) {
      for (const Rank p : processes) unit_of_[p] = dots_.size();
      add(y, processes.empty() ? "" : fmt::format("{}", processes.size()));
      return 1;
    }
    for (std::size_t i = 0; i < processes.size(); ++i) {
      unit_of_[processes[i]] = dots_.size();
      add(y + static_cast<double>(i) * kDotRow, fmt::format("{}", processes[i]));
    }
    return processes.size();
  }

  /// As wide as the longest name, within bounds.
  void find_host_width() {
    domain_ = common_domain(clusters_);
    for (const auto& [cluster, hosts] : clusters_) {
      for (const auto& [host, processes] : hosts) {
        const double name = report::text_width(short_name(cluster, host), kNameSize);
        host_width_ = std::max(host_width_, std::min(name + kNameGap, kMostHostWidth));
      }
    }
  }

  /// "node3" of "site0-node3.example.com" in the box of site0, if all hosts are of that domain.
  [[nodiscard]] std::string short_name(const std::string& cluster, const std::string& host) const {
    const std::string name = host.substr(0, host.size() - domain_.size());
    const bool repeats = !cluster.empty() && name.size() > cluster.size() + 1 &&
                         name.starts_with(cluster) && name[cluster.size()] == '-';
    return repeats ? name.substr(cluster.size() + 1) : name;
  }

  /// Messages within a host are not drawn: they cross nothing.
  void join_dots() {
    const map::Placement& placement = shown_.answer.candidates[shown_.chosen].placement;
    for (Rank p = 0; p < shown_.problem.size(); ++p) {
      for (const map::Edge& e : shown_.problem.edges_of(p)) {
        const bool is_inside = shown_.problem.slots[placement[p]].host ==
                               shown_.problem.slots[placement[e.other]].host;
        if (e.other < p || is_inside) continue;
        const auto ends = std::minmax(unit_of_[p], unit_of_[e.other]);
        Line& line = lines_[{ends.first, ends.second}];
        line.weight += static_cast<double>(e.bytes + e.messages);
        line.bytes += e.bytes;
        line.leaves_cluster = cluster_of_[ends.first] != cluster_of_[ends.second];
      }
    }
  }

  void legend(report::Svg& svg) const {
    double x = 20;
    const auto entry = [&](std::string_view colour, std::string_view text) {
      svg.line(x, 52, x + 24, 52, {.colour = colour, .width = 3});
      svg.text(x + 30, 56, text, {.size = 12, .colour = report::kFaintInk});
      x += 30 + report::text_width(text, 12) + 16;
    };
    entry(kBetweenHosts, clusters_.size() > 1 ? "between hosts of a cluster" : "between hosts");
    if (clusters_.size() > 1) entry(kBetweenClusters, "between clusters");
    std::uint64_t most = 0;
    for (const auto& [ends, line] : lines_) most = std::max(most, line.bytes);
    svg.text(20, 74,
             fmt::format("{}the widest line carries {}{}",
                         by_process_ ? "" : "a circle is a host, with its number of processes; ",
                         report::rounded(std::array{Bytes{most}}).front(),
                         by_process_ ? "; messages within a host are not drawn" : ""),
             {.size = 12, .colour = report::kFaintInk});
  }

  void boxes(report::Svg& svg) const {
    for (std::size_t c = 0; c < boxes_.size(); ++c) {
      svg.rect(12, boxes_[c].top, width_ - 24, boxes_[c].bottom - boxes_[c].top,
               {.colour = report::site_colour(static_cast<std::uint32_t>(c)), .radius = 6});
    }
  }

  /// Near ones first, so that those between clusters lie on top; of many thin ones.
  void lines(report::Svg& svg) const {
    double heaviest = 1;
    for (const auto& [ends, line] : lines_) heaviest = std::max(heaviest, line.weight);
    const double scale = std::clamp(120.0 / static_cast<double>(lines_.size() + 1), 0.25, 1.0);
    for (const bool leaves : {false, true}) {
      for (const auto& [ends, line] : lines_) {
        if (line.leaves_cluster != leaves) continue;
        const Dot& a = dots_[ends.first];
        const Dot& b = dots_[ends.second];
        svg.path(curve(a, b), {.colour = leaves ? kBetweenClusters : kBetweenHosts,
                               .width = 0.4 + 3.6 * scale * std::sqrt(line.weight / heaviest)});
      }
    }
  }

  /// Straight, but bent around the dots between two of one column or row.
  [[nodiscard]] std::string curve(const Dot& a, const Dot& b) const {
    const double wide = std::abs(a.x - b.x);
    const double high = std::abs(a.y - b.y);
    const double bend_x = wide < 1 && high > 1.5 * kDotRow ? host_width_ / 2 : 0;
    const double bend_y = high < 1 && wide > 1.5 * host_width_ ? kDotRow : 0;
    return fmt::format("M{} {}Q{} {} {} {}", report::coordinate(a.x), report::coordinate(a.y),
                       report::coordinate((a.x + b.x) / 2 + bend_x),
                       report::coordinate((a.y + b.y) / 2 + bend_y), report::coordinate(b.x),
                       report::coordinate(b.y));
  }

  /// Over the lines, each on paper of its own, or they could not be read.
  void names(report::Svg& svg) const {
    const auto on_paper = [&](double left, double y, const std::string& text, double size,
                              std::size_t cluster) {
      svg.rect(left - 3, y - size, report::text_width(text, size) + 6, size + 4,
               {.colour = report::site_colour(static_cast<std::uint32_t>(cluster)), .radius = 2});
    };
    for (std::size_t c = 0; c < boxes_.size(); ++c) {
      on_paper(22, boxes_[c].top + 17, boxes_[c].name, kClusterNameSize, c);
      svg.text(22, boxes_[c].top + 17, boxes_[c].name, {.size = kClusterNameSize, .bold = true});
    }
    for (const Name& name : names_) {
      on_paper(name.x - report::text_width(name.text, kNameSize) / 2, name.y, name.text, kNameSize,
               name.cluster);
      svg.text(name.x, name.y, name.text,
               {.size = kNameSize, .colour = report::kFaintInk, .anchor = report::Anchor::Middle});
    }
  }

  void dots(report::Svg& svg) const {
    for (const Dot& dot : dots_) {
      svg.circle(dot.x, dot.y, kDot / 2,
                 {.colour = "#ffffff", .edge = dot.is_idle ? report::kFaintInk : report::kInk});
      svg.text(dot.x, dot.y + 4, dot.is_idle ? "idle" : dot.label,
               {.size = dot.is_idle ? 9.0 : 12.0,
                .colour = dot.is_idle ? report::kFaintInk : report::kInk,
                .anchor = report::Anchor::Middle});
    }
  }

  static constexpr double kNameGap = 10;  ///< gap between the names of two columns

  const ShownPlacement& shown_;
  ByCluster clusters_;
  std::string domain_;
  double host_width_ = kHostWidth;
  bool by_process_;
  double width_ = 0, bottom_ = 0;
  std::vector<Box> boxes_;
  std::vector<Name> names_;
  std::vector<Dot> dots_;
  std::vector<std::size_t> unit_of_;     ///< [process] index into dots_
  std::vector<std::size_t> cluster_of_;  ///< [dot]
  std::map<std::pair<std::size_t, std::size_t>, Line> lines_;
};

}  // namespace

std::string place_svg(const ShownPlacement& shown) { return PlacementDrawing(shown).draw(); }

}  // namespace espalier::cli
