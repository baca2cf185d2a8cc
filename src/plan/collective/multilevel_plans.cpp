// Multilevel plans as entries of the table: which are proposed, their estimates and names.
#include <fmt/format.h>

#include <algorithm>

#include "collective/entries.hpp"
#include "collective/level_names.hpp"
#include "collective/multilevel_time.hpp"
#include "collective/name_reader.hpp"
#include "collective/partition.hpp"
#include "collective/postal_shape.hpp"
#include "collective/segments.hpp"

namespace espalier::collective {

using cost::CostView;
using cost::Picos;
using schedule::Collective;
using schedule::Operation;

namespace {

constexpr Operations kExchanging{Operation::Allreduce, Operation::Barrier, Operation::Allgather,
                                 Operation::ReduceScatter};

/// Whether outermost masters have somebody to exchange with.
bool is_worth_exchanging(const Hierarchy& hierarchy, const Collective& call) {
  return kExchanging.contains(call.operation) &&
         hierarchy.machine().clusters().front().member_count > 1;
}

/// One leader a cluster, a few, or all; and as many stripes.
std::vector<Parameters> bundled_alltoalls(const Hierarchy& hierarchy) {
  const std::size_t levels = hierarchy.machine().levels().size();
  if (levels == 1) return {};  // every process a cluster: direct
  const Rank most = hierarchy.shape().largest_outermost;
  std::vector<Carriers> tried{{1, 1}};
  for (const Rank leaders : {Rank{4}, most}) {
    if (leaders <= 1 || leaders > most || tried.back().leaders == leaders) continue;
    tried.push_back({leaders, 1});
    tried.push_back({leaders, leaders});
  }
  std::vector<Parameters> all;
  for (const Carriers& carriers : tried) {
    all.push_back(MultilevelChoice{std::vector<LevelChoice>(levels), Top::Tree, carriers});
  }
  return all;
}

/// The most members that a cluster of these depths has.
Rank widest(const Hierarchy& hierarchy, std::uint32_t from, std::uint32_t to) {
  Rank most = 0;
  for (std::uint32_t depth = from; depth < to; ++depth) {
    most = std::max(most, hierarchy.group_sizes(depth).back());
  }
  return most;
}

/// Levels that are wide enough for trees of radix 4 and 8. On many ranks for whole messages only,
/// since pipelines want few children.
void add_wide_trees(std::vector<Parameters>& all, const Hierarchy& hierarchy,
                    const Collective& call) {
  if (call.operation == Operation::Scan || call.operation == Operation::Exscan) return;
  const auto levels = static_cast<std::uint32_t>(hierarchy.machine().levels().size());
  const Rank outside = widest(hierarchy, 0, 1);
  const Rank inside = widest(hierarchy, 1, levels);
  constexpr Rank kPipelinesUpTo = 64;
  const std::vector<std::uint64_t> segments =
      call.size <= kPipelinesUpTo ? segments_for(call) : std::vector<std::uint64_t>{0};
  const auto add = [&](Top top, Shape outer, Shape inner) {
    for (const std::uint64_t segment : segments) {
      all.push_back(two_shapes(levels, top, outer, inner, segment));
    }
  };
  for (const Shape wide : {Shape::Quadnomial, Shape::Octonomial}) {
    if (radix_of(wide) < outside) add(Top::Tree, wide, levels == 1 ? wide : Shape::Flat);
    if (radix_of(wide) < outside && levels > 1 && call.size <= kPipelinesUpTo) {
      add(Top::Tree, wide, Shape::Chain);
    }
    if (levels == 1 || radix_of(wide) >= inside) continue;
    for (const Shape outer : {Shape::Flat, Shape::Binomial}) add(Top::Tree, outer, wide);
    if (radix_of(wide) < outside) add(Top::Tree, wide, wide);
    if (is_worth_exchanging(hierarchy, call)) add(Top::Exchange, Shape::Flat, wide);
  }
}

/// Every level with the tree that fits its own latency and sends, if one of them is a postal tree.
void add_fitted_trees(std::vector<Parameters>& all, const Hierarchy& hierarchy,
                      const Collective& call) {
  if (call.operation == Operation::Scan || call.operation == Operation::Exscan) return;
  constexpr Rank kPipelinesUpTo = 64;
  for (const std::uint64_t segment : segments_for(call)) {
    if (segment != 0 && call.size > kPipelinesUpTo) continue;
    const std::vector<Shape> shapes = fitted_shapes(hierarchy, bytes_of_message(call, segment));
    const auto is_postal = [](Shape shape) { return lambda_of(shape) > 0; };
    MultilevelChoice choice{{}, Top::Tree, {}};
    for (const Shape shape : shapes) choice.levels.push_back({shape, segment});
    if (std::any_of(shapes.begin(), shapes.end(), is_postal)) all.push_back(choice);
    choice.top = Top::Exchange;
    choice.levels.front().shape = Shape::Flat;
    const bool has_inner = std::any_of(shapes.begin() + 1, shapes.end(), is_postal);
    if (has_inner && is_worth_exchanging(hierarchy, call)) all.push_back(choice);
  }
}

std::string text_of(const Carriers& carriers) {
  if (carriers.leaders == 1) return "1 leader";
  if (carriers.stripes == 1) return fmt::format("{} leaders", carriers.leaders);
  return fmt::format("{} leaders {} stripes", carriers.leaders, carriers.stripes);
}

/// "4 leaders 4 stripes"
std::optional<Carriers> read_carriers(NameReader& reader) {
  const auto leaders = reader.take_number();
  if (!leaders || *leaders == 0 || !reader.take(*leaders == 1 ? " leader" : " leaders")) return {};
  if (reader.at_end()) return Carriers{*leaders, 1};
  const auto stripes = reader.take(" ") ? reader.take_number() : std::nullopt;
  if (!stripes || *stripes < 2 || !reader.take(" stripes")) return std::nullopt;
  return Carriers{*leaders, *stripes};
}

}  // namespace

MultilevelChoice two_shapes(std::size_t levels, Top top, Shape outer, Shape inner,
                            std::uint64_t segment) {
  MultilevelChoice choice{std::vector<LevelChoice>(levels, {inner, segment}), top, {}};
  choice.levels.front().shape = outer;
  return choice;
}

std::vector<Parameters> trees_of_two_shapes(const Hierarchy& hierarchy, const Collective& call) {
  const std::size_t levels = hierarchy.machine().levels().size();
  std::vector<Parameters> all;
  for (const Shape outer : {Shape::Flat, Shape::Chain, Shape::Binomial}) {
    for (const Shape inner : {Shape::Flat, Shape::Chain, Shape::Binary, Shape::Binomial}) {
      if (levels == 1 && inner != outer) continue;
      for (const std::uint64_t segment : segments_for(call)) {
        all.push_back(two_shapes(levels, Top::Tree, outer, inner, segment));
      }
    }
  }
  return all;
}

std::vector<double> bytes_of_segments(const MultilevelChoice& choice, const Collective& call) {
  std::vector<double> segments;
  for (const LevelChoice& level : choice.levels) {
    segments.push_back(static_cast<double>(level.segment * call.element.value));
  }
  return segments;
}

std::string name_of(const MultilevelChoice& choice, const Collective& call) {
  return call.operation == Operation::Alltoall ? text_of(choice.carriers)
                                               : text_of_levels(choice, call);
}

std::optional<MultilevelChoice> read_choice(NameReader& reader, std::size_t levels) {
  if (reader.call().operation != Operation::Alltoall) return read_levels(reader, levels);
  const auto carriers = read_carriers(reader);
  if (!carriers || levels == 1) return std::nullopt;
  return MultilevelChoice{std::vector<LevelChoice>(levels), Top::Tree, *carriers};
}

std::string multilevel_text(const Collective& call, const Parameters& parameters) {
  return " " + name_of(std::get<MultilevelChoice>(parameters), call);
}

std::vector<std::string> multilevel_levels(const topology::Machine&, const Collective& call,
                                           const Parameters& parameters) {
  const auto& choice = std::get<MultilevelChoice>(parameters);
  std::vector<std::string> levels;
  for (std::size_t l = 0; l < choice.levels.size(); ++l) {
    if (call.operation == Operation::Alltoall) {
      levels.push_back(l == 0 ? "a bundle for each pair of clusters, " + text_of(choice.carriers)
                              : std::string("gathered and scattered directly"));
    } else if (l == 0 && choice.top == Top::Exchange) {
      levels.push_back("everybody with everybody" + cut_text(choice.levels[l].segment, call));
    } else {
      levels.push_back(tree_text(choice.levels[l], call));
    }
  }
  return levels;
}

namespace {

/// As many leaders as the clusters have; exchanges only where there is no root.
bool multilevel_refuses(const Hierarchy& hierarchy, const Collective& call,
                        const Parameters& parameters) {
  const auto& choice = std::get<MultilevelChoice>(parameters);
  if (call.operation != Operation::Alltoall) {
    return choice.top == Top::Exchange && !kExchanging.contains(call.operation);
  }
  const Carriers& carriers = choice.carriers;
  return carriers.leaders > hierarchy.shape().largest_outermost ||
         (carriers.stripes != 1 && carriers.stripes != carriers.leaders);
}

/// The outermost level in each shape, the levels below in each, one segment size for all.
std::vector<Parameters> multilevel_proposals(const Hierarchy& hierarchy, const Collective& call) {
  if (call.operation == Operation::Alltoall) return bundled_alltoalls(hierarchy);
  const std::size_t levels = hierarchy.machine().levels().size();
  std::vector<Parameters> all = trees_of_two_shapes(hierarchy, call);
  if (is_worth_exchanging(hierarchy, call)) {
    for (const Shape inner : {Shape::Flat, Shape::Chain, Shape::Binary, Shape::Binomial}) {
      if (levels == 1 && inner != Shape::Flat) continue;
      for (const std::uint64_t segment : segments_for(call)) {
        all.push_back(two_shapes(levels, Top::Exchange, Shape::Flat, inner, segment));
      }
    }
  }
  add_wide_trees(all, hierarchy, call);
  add_fitted_trees(all, hierarchy, call);
  return all;
}

PartOf multilevel_parts(const Hierarchy& hierarchy, const Collective& call,
                        const Parameters& parameters) {
  return [&, choice = std::get<MultilevelChoice>(parameters)](Rank rank) {
    return multilevel_program(hierarchy, choice, call, rank);
  };
}

Picos multilevel_estimate(const CostView& cost_view, const Hierarchy& hierarchy,
                          const Collective& call, const Parameters& parameters) {
  const auto& choice = std::get<MultilevelChoice>(parameters);
  return multilevel_time(choice, bytes_of_segments(choice, call), cost_view, hierarchy, call,
                         call.commutative ? Partials::One : Partials::Runs);
}

std::optional<Picos> multilevel_estimate_folded(const FoldedMachine& machine,
                                                const Collective& call,
                                                const Parameters& parameters) {
  const auto& choice = std::get<MultilevelChoice>(parameters);
  return folded_multilevel_time(choice, bytes_of_segments(choice, call), machine, call);
}

Picos multilevel_at_least(const Hierarchy& hierarchy, const Collective& call,
                          const Parameters& parameters) {
  return multilevel_least(std::get<MultilevelChoice>(parameters), hierarchy, call);
}

std::optional<Parameters> read_multilevel(NameReader& reader, const Hierarchy& hierarchy) {
  if (!reader.take(" ")) return std::nullopt;
  return read_choice(reader, hierarchy.machine().levels().size());
}

}  // namespace

constexpr Algorithm kMultilevel{.name = "multilevel",
                                .source = "level by level over the masters of each cluster",
                                .operations = kAnyOperation,
                                .traits = {.keeps_rank_order = true,
                                           .knows_machine = true,
                                           .scales = true,
                                           .is_tuned = true,
                                           .meets_everybody = {Operation::Alltoall}},
                                .refuses = multilevel_refuses,
                                .propose = multilevel_proposals,
                                .canonical = canonical_levels,
                                .build = multilevel_parts,
                                .estimate = multilevel_estimate,
                                .at_least = multilevel_at_least,
                                .estimate_folded = multilevel_estimate_folded,
                                .text = multilevel_text,
                                .read = read_multilevel,
                                .per_level = multilevel_levels};

}  // namespace espalier::collective
