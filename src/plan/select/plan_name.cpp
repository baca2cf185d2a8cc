// Names of plans, and plans by their names. plan_named(name_of(plan)) == plan.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/match.hpp"
#include "base/units.hpp"
#include "collective/partition.hpp"
#include "select/plan.hpp"
#include "select/speed_tree.hpp"
#include "topology/views.hpp"

namespace espalier::select {
namespace {

using collective::Hierarchy;
using collective::LevelChoice;
using collective::MultilevelChoice;
using collective::Shape;
using collective::StripedChoice;
using collective::Top;
using schedule::Collective;
using schedule::Operation;

constexpr std::string_view kMultilevel = "multilevel ";
constexpr std::string_view kStriped = "striped ";
constexpr std::string_view kFixedOrder = "fixed order ";
constexpr std::string_view kTwoLevel = "two-level at depth ";
constexpr std::string_view kWhole = " whole";
constexpr std::string_view kAlong = " along the machine";

const char* name_of_shape(Shape shape) {
  switch (shape) {
    case Shape::Flat:
      return "flat";
    case Shape::Chain:
      return "chain";
    case Shape::Binary:
      return "binary";
    case Shape::Binomial:
      return "binomial";
    case Shape::Quadnomial:
      return "4-nomial";
    case Shape::Octonomial:
      return "8-nomial";
  }
  return "?";
}

std::string segment_text(std::uint64_t segment, const Collective& call) {
  return to_string(Bytes{segment * call.element.value});
}

std::string with_segment(std::string name, std::uint64_t segment, const Collective& call) {
  return segment == 0 ? name : fmt::format("{} {}", name, segment_text(segment, call));
}

/// Where levels differ in their segments, each tells its own.
std::string with_own_segment(const std::string& name, std::uint64_t segment,
                             const Collective& call) {
  return segment == 0 ? name + std::string(kWhole) : with_segment(name, segment, call);
}

std::string carriers_text(const collective::Carriers& carriers) {
  if (carriers.leaders == 1) return "1 leader";
  if (carriers.stripes == 1) return fmt::format("{} leaders", carriers.leaders);
  return fmt::format("{} leaders {} stripes", carriers.leaders, carriers.stripes);
}

/// The innermost levels that do the same are told once.
std::string multilevel_name(const MultilevelChoice& choice, const Collective& call) {
  if (call.operation == Operation::Alltoall) return carriers_text(choice.carriers);
  const auto uniform_segment = [&] {
    for (const LevelChoice& level : choice.levels) {
      if (level.segment != choice.levels.front().segment) return false;
    }
    return true;
  }();
  std::size_t told = choice.levels.size();
  while (told > 2 && choice.levels[told - 1] == choice.levels[told - 2]) --told;
  std::string text;
  for (std::size_t l = 0; l < told; ++l) {
    std::string here =
        l == 0 && choice.top == Top::Exchange ? "exchange" : name_of_shape(choice.levels[l].shape);
    if (!uniform_segment) here = with_own_segment(here, choice.levels[l].segment, call);
    text += (text.empty() ? "" : "/") + here;
  }
  if (uniform_segment) text = with_segment(text, choice.levels.front().segment, call);
  return text;
}

const char* name_of_inside(collective::Inside inside) {
  return inside == collective::Inside::Ring ? "ring" : "halving";
}
const char* name_of_across(collective::Across across) {
  switch (across) {
    case collective::Across::Exchange:
      return "exchange";
    case collective::Across::RecursiveDoubling:
      return "doubling";
    case collective::Across::Halving:
      return "halving";
    case collective::Across::Ring:
      return "ring";
  }
  return "?";
}

std::string striped_name(const StripedChoice& choice, const Collective& call) {
  const bool tree = call.operation == Operation::Broadcast || call.operation == Operation::Reduce;
  std::string text{kStriped};
  if (tree) text += with_segment(name_of_shape(choice.tree.shape), choice.tree.segment, call) + "/";
  if (call.operation == Operation::Allreduce)
    text += std::string(name_of_across(choice.across)) + "/";
  text += name_of_inside(choice.inside);
  if (choice.parts != 0) text += fmt::format(" {} parts", choice.parts);
  return text;
}

// ---- names into plans

/// Reads a name from its beginning; every take_*() leaves the rest.
class NameReader {
 public:
  NameReader(std::string_view text, const Collective& call) : text_(text), call_(call) {}

  [[nodiscard]] bool at_end() const { return text_.empty(); }
  bool take(std::string_view word) {
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  std::optional<std::uint32_t> take_number() {
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), number);
    if (error != std::errc{}) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return number;
  }
  std::optional<Shape> take_shape() {
    const std::string_view word = text_.substr(0, text_.find_first_of(" /"));
    for (int s = 0; s < collective::kShapeCount; ++s) {
      if (word != name_of_shape(static_cast<Shape>(s))) continue;
      take(word);
      return static_cast<Shape>(s);
    }
    return std::nullopt;
  }
  /// " 16 KiB" in units of the call; 0 if there is none, or if no message is longer.
  std::optional<std::uint64_t> take_segment() {
    if (!text_.starts_with(' ')) return 0;
    const std::string_view here = text_.substr(1, std::min(text_.find('/'), text_.size()) - 1);
    const auto bytes = parse_bytes(here);
    if (!bytes || bytes->value == 0) return std::nullopt;
    text_.remove_prefix(1 + here.size());
    const bool is_cut =
        call_.operation == Operation::Broadcast || call_.operation == Operation::Reduce ||
        call_.operation == Operation::Allreduce || call_.operation == Operation::ReduceScatter;
    const std::uint64_t units =
        std::max<std::uint64_t>(1, bytes->value / std::max<std::uint64_t>(1, call_.element.value));
    return is_cut && units < call_.count ? units : 0;
  }
  /// "exchange/flat 4 KiB": the last level told stands for all below it. One segment at the end is
  /// that of all levels; else each level has its own, as in "flat whole/chain 4 KiB".
  std::optional<MultilevelChoice> take_levels(std::size_t levels) {
    MultilevelChoice choice;
    std::size_t segments = 0;
    bool is_told = false;  // the level read last has a segment of its own
    do {
      if (choice.levels.size() == levels) return std::nullopt;
      LevelChoice level{Shape::Flat, 0};
      if (choice.levels.empty() && take("exchange")) {
        choice.top = Top::Exchange;
      } else {
        const auto shape = take_shape();
        if (!shape) return std::nullopt;
        level.shape = *shape;
      }
      is_told = text_.starts_with(' ');
      if (is_told) ++segments;
      if (!take(kWhole)) {
        const auto segment = take_segment();
        if (!segment) return std::nullopt;
        level.segment = *segment;
      }
      choice.levels.push_back(level);
    } while (take("/"));
    if (segments == 1 && is_told) {
      for (LevelChoice& level : choice.levels) level.segment = choice.levels.back().segment;
    } else if (segments != 0 && segments != choice.levels.size()) {
      return std::nullopt;
    }
    choice.levels.resize(levels, choice.levels.back());
    return choice;
  }
  /// "4 leaders 4 stripes"
  std::optional<collective::Carriers> take_carriers() {
    const auto leaders = take_number();
    if (!leaders || *leaders == 0 || !take(*leaders == 1 ? " leader" : " leaders")) return {};
    if (at_end()) return collective::Carriers{*leaders, 1};
    const auto stripes = take(" ") ? take_number() : std::nullopt;
    if (!stripes || *stripes < 2 || !take(" stripes")) return std::nullopt;
    return collective::Carriers{*leaders, *stripes};
  }
  std::optional<StripedChoice> take_striped() {
    StripedChoice choice;
    if (call_.operation == Operation::Broadcast || call_.operation == Operation::Reduce) {
      const auto shape = take_shape();
      const auto segment = shape ? take_segment() : std::nullopt;
      if (!segment || !take("/")) return std::nullopt;
      choice.tree = {*shape, *segment};
    } else if (call_.operation == Operation::Allreduce) {
      const auto across = take_across();
      if (!across || !take("/")) return std::nullopt;
      choice.across = *across;
    }
    const auto inside = take_inside();
    if (!inside) return std::nullopt;
    choice.inside = *inside;
    if (at_end()) return choice;
    const auto parts = take(" ") ? take_number() : std::nullopt;
    if (!parts || *parts == 0 || !take(" parts")) return std::nullopt;
    choice.parts = *parts;
    return choice;
  }

 private:
  std::optional<collective::Inside> take_inside() {
    for (const auto inside : {collective::Inside::Ring, collective::Inside::Halving}) {
      if (take(name_of_inside(inside))) return inside;
    }
    return std::nullopt;
  }
  std::optional<collective::Across> take_across() {
    using collective::Across;
    for (const auto across :
         {Across::Exchange, Across::RecursiveDoubling, Across::Halving, Across::Ring}) {
      if (take(name_of_across(across))) return across;
    }
    return std::nullopt;
  }

  std::string_view text_;
  const Collective& call_;
};

std::optional<Plan> multilevel_named(NameReader& reader, std::size_t levels,
                                     const Collective& call) {
  if (call.operation == Operation::Alltoall) {
    const auto carriers = reader.take_carriers();
    if (!carriers || levels == 1) return std::nullopt;
    return MultilevelChoice{std::vector<LevelChoice>(levels), Top::Tree, *carriers};
  }
  const bool may_exchange =
      call.operation == Operation::Allreduce || call.operation == Operation::Barrier ||
      call.operation == Operation::Allgather || call.operation == Operation::ReduceScatter;
  auto choice = reader.take_levels(levels);
  if (!choice || (choice->top == Top::Exchange && !may_exchange)) return std::nullopt;
  return *std::move(choice);
}

/// Whether the clusters have as many leaders.
bool has_leaders(const Plan& plan, const Hierarchy& hierarchy, const Collective& call) {
  const auto* choice = std::get_if<MultilevelChoice>(&plan);
  if (choice == nullptr || call.operation != Operation::Alltoall) return true;
  const Rank most = collective::outermost_clusters(hierarchy.machine()).largest();
  const collective::Carriers& carriers = choice->carriers;
  return carriers.leaders <= most &&
         (carriers.stripes == 1 || carriers.stripes == carriers.leaders);
}

std::optional<Plan> read_plan(NameReader& reader, std::string_view name, const Hierarchy& hierarchy,
                              const Collective& call) {
  const std::size_t levels = hierarchy.machine().levels().size();
  if (reader.take(kMultilevel)) return multilevel_named(reader, levels, call);
  if (reader.take(kStriped)) return reader.take_striped();
  if (reader.take(kFixedOrder)) {
    auto choice = reader.take_levels(levels);
    if (!choice || choice->top == Top::Exchange) return std::nullopt;
    return FixedOrder{*std::move(choice)};
  }
  if (reader.take(kTwoLevel)) {
    const auto depth = reader.take_number();
    if (!depth || *depth == 0 || *depth >= levels || !reader.take(" ")) return std::nullopt;
    const std::size_t seen = topology::two_level_view(hierarchy.machine(), *depth).levels().size();
    auto plan = multilevel_named(reader, seen, call);
    if (!plan) return std::nullopt;
    return TwoLevel{*depth, std::get<MultilevelChoice>(*std::move(plan))};
  }
  const bool is_tree =
      call.operation == Operation::Broadcast || call.operation == Operation::Reduce;
  if (const auto shape = is_tree ? reader.take_shape() : std::nullopt) {
    const auto segment = reader.take_segment();
    if (!segment) return std::nullopt;
    return BlindTree{*shape, *segment};
  }
  reader.take(name);
  if (is_speed_tree(std::string(name)) && is_tree) return SpeedTree{std::string(name)};
  if (name.ends_with(kAlong)) {
    return AlongTree{std::string(name.substr(0, name.size() - kAlong.size()))};
  }
  return Classical{std::string(name)};
}

}  // namespace

std::optional<Plan> plan_named(std::string_view name, const Hierarchy& hierarchy,
                               const Collective& call) {
  NameReader reader(name, call);
  auto plan = read_plan(reader, name, hierarchy, call);
  if (!plan || !reader.at_end() || !can_do(*plan, hierarchy, call)) return std::nullopt;
  if (!has_leaders(*plan, hierarchy, call)) return std::nullopt;
  return plan;
}

std::string name_of(const Plan& plan, const Collective& call) {
  return std::visit(Match{[&](const MultilevelChoice& choice) {
                            return std::string(kMultilevel) + multilevel_name(choice, call);
                          },
                          [&](const StripedChoice& choice) { return striped_name(choice, call); },
                          [&](const TwoLevel& baseline) {
                            return fmt::format("{}{} {}", kTwoLevel, baseline.depth,
                                               multilevel_name(baseline.choice, call));
                          },
                          [&](const BlindTree& tree) {
                            return with_segment(name_of_shape(tree.shape), tree.segment, call);
                          },
                          [](const SpeedTree& tree) { return tree.name; },
                          [](const Classical& classical) { return classical.name; },
                          [](const AlongTree& along) { return along.name + std::string(kAlong); },
                          [&](const FixedOrder& fixed) {
                            return std::string(kFixedOrder) + multilevel_name(fixed.choice, call);
                          }},
                    plan);
}

namespace {

std::string level_text(const LevelChoice& level, bool exchange, const Collective& call) {
  std::string text = exchange ? std::string("everybody with everybody")
                              : fmt::format("{} tree", name_of_shape(level.shape));
  return text + (level.segment == 0 ? ", whole messages"
                                    : ", segments of " + segment_text(level.segment, call));
}

}  // namespace

std::vector<std::string> per_level(const Plan& plan, const topology::Machine& machine,
                                   const Collective& call) {
  std::vector<std::string> levels;
  const auto* choice = std::get_if<MultilevelChoice>(&plan);
  if (const auto* fixed = std::get_if<FixedOrder>(&plan)) choice = &fixed->choice;
  if (choice != nullptr) {
    for (std::size_t l = 0; l < choice->levels.size(); ++l) {
      if (call.operation == Operation::Alltoall) {
        levels.push_back(l == 0 ? "a bundle for each pair of clusters, " +
                                      carriers_text(choice->carriers)
                                : std::string("gathered and scattered directly"));
        continue;
      }
      levels.push_back(level_text(choice->levels[l], l == 0 && choice->top == Top::Exchange, call));
    }
  } else if (const auto* striped = std::get_if<StripedChoice>(&plan)) {
    const bool tree = call.operation == Operation::Broadcast || call.operation == Operation::Reduce;
    std::string across = "each block to one rank of each other cluster";
    if (tree) across = "each part along a " + level_text(striped->tree, false, call);
    if (call.operation == Operation::Allreduce) {
      across = fmt::format("each part among its owners: {}", name_of_across(striped->across));
    }
    levels.push_back(across);
    for (std::size_t l = 1; l < machine.levels().size(); ++l) {
      levels.push_back(l == 1 ? fmt::format("all ranks of a cluster share out: {}",
                                            name_of_inside(striped->inside))
                              : std::string("as above"));
    }
  }
  return levels;
}

}  // namespace espalier::select
