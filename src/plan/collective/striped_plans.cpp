// Striped plans as entries of the table: which are proposed, and their names.
#include <fmt/format.h>

#include "collective/entries.hpp"
#include "collective/level_names.hpp"
#include "collective/name_reader.hpp"

namespace espalier::collective {

using schedule::Collective;
using schedule::Operation;

namespace {

const char* name_of_inside(Inside inside) { return inside == Inside::Ring ? "ring" : "halving"; }

const char* name_of_across(Across across) {
  switch (across) {
    case Across::Exchange:
      return "exchange";
    case Across::RecursiveDoubling:
      return "doubling";
    case Across::Halving:
      return "halving";
    case Across::Ring:
      return "ring";
    case Across::Direct:
      return "direct";
  }
  return "?";
}

constexpr auto kInsides = {Inside::Ring, Inside::Halving};
constexpr auto kAcrosses = {Across::Exchange, Across::RecursiveDoubling, Across::Halving,
                            Across::Ring, Across::Direct};

/// Between two clusters an exchange sends as many bytes in one latency; among very many, messages
/// to all of them are no candidate.
bool is_worth_proposing(Across across, Rank clusters) {
  constexpr Rank kMostDirect = 64;
  return across != Across::Direct || (clusters > 2 && clusters <= kMostDirect);
}

bool has_tree(const Collective& call) {
  return call.operation == Operation::Broadcast || call.operation == Operation::Reduce;
}

bool striped_refuses(const Hierarchy& hierarchy, const Collective& call,
                     const Parameters& parameters) {
  return !striped_supports(hierarchy, std::get<StripedChoice>(parameters), call);
}

std::vector<Parameters> striped_proposals(const Hierarchy& hierarchy, const Collective& call) {
  std::vector<Parameters> all;
  if (hierarchy.machine().levels().size() == 1) return all;
  for (const Inside inside : kInsides) {
    if (has_tree(call)) {
      for (const Shape shape : {Shape::Flat, Shape::Binomial}) {
        all.push_back(StripedChoice{0, inside, Across::Exchange, {shape, 0}});
      }
    } else if (call.operation == Operation::Allreduce) {
      for (const Across across : kAcrosses) {
        if (!is_worth_proposing(across, hierarchy.machine().clusters().front().member_count))
          continue;
        all.push_back(StripedChoice{0, inside, across, {Shape::Flat, 0}});
      }
    } else {
      all.push_back(StripedChoice{0, inside, Across::Exchange, {Shape::Flat, 0}});
    }
  }
  return all;
}

PartOf striped_parts(const Hierarchy& hierarchy, const Collective& call,
                     const Parameters& parameters) {
  return [&, choice = std::get<StripedChoice>(parameters)](Rank rank) {
    return striped_program(hierarchy, choice, call, rank);
  };
}

cost::Picos striped_estimate(const cost::CostView& cost_view, const Hierarchy& hierarchy,
                             const Collective& call, const Parameters& parameters) {
  return striped_time(std::get<StripedChoice>(parameters), cost_view, hierarchy, call);
}

std::string striped_text(const Collective& call, const Parameters& parameters) {
  const auto& choice = std::get<StripedChoice>(parameters);
  std::string text = " ";
  if (has_tree(call)) {
    text += with_segment(name_of(choice.tree.shape), choice.tree.segment, call) + "/";
  }
  if (call.operation == Operation::Allreduce)
    text += fmt::format("{}/", name_of_across(choice.across));
  text += name_of_inside(choice.inside);
  if (choice.parts != 0) text += fmt::format(" {} parts", choice.parts);
  return text;
}

std::optional<Parameters> read_striped(NameReader& reader, const Hierarchy&) {
  StripedChoice choice;
  if (!reader.take(" ")) return std::nullopt;
  if (has_tree(reader.call())) {
    const auto shape = reader.take_shape();
    const auto segment = shape ? reader.take_segment() : std::nullopt;
    if (!segment || !reader.take("/")) return std::nullopt;
    choice.tree = {*shape, *segment};
  } else if (reader.call().operation == Operation::Allreduce) {
    const auto across = reader.take_one_of(kAcrosses, name_of_across);
    if (!across || !reader.take("/")) return std::nullopt;
    choice.across = *across;
  }
  const auto inside = reader.take_one_of(kInsides, name_of_inside);
  if (!inside) return std::nullopt;
  choice.inside = *inside;
  if (reader.at_end()) return choice;
  const auto parts = reader.take(" ") ? reader.take_number() : std::nullopt;
  if (!parts || *parts == 0 || !reader.take(" parts")) return std::nullopt;
  choice.parts = *parts;
  return choice;
}

std::vector<std::string> striped_levels(const topology::Machine& machine, const Collective& call,
                                        const Parameters& parameters) {
  const auto& choice = std::get<StripedChoice>(parameters);
  std::string across = "each block to one rank of each other cluster";
  if (has_tree(call)) across = "each part along a " + tree_text(choice.tree, call);
  if (call.operation == Operation::Allreduce) {
    across = fmt::format("each part among its owners: {}", name_of_across(choice.across));
  }
  std::vector<std::string> levels{across};
  for (std::size_t l = 1; l < machine.levels().size(); ++l) {
    levels.push_back(
        l == 1 ? fmt::format("all ranks of a cluster share out: {}", name_of_inside(choice.inside))
               : std::string("as above"));
  }
  return levels;
}

}  // namespace

constexpr Algorithm kStriped{
    .name = "striped",
    .source = "every cluster has several leaders, each for a part",
    .operations = {Operation::Broadcast, Operation::Reduce, Operation::Allreduce,
                   Operation::Allgather, Operation::ReduceScatter},
    .traits = {.keeps_rank_order = true, .knows_machine = true},
    .refuses = striped_refuses,
    .propose = striped_proposals,
    .build = striped_parts,
    .estimate = striped_estimate,
    .at_least =
        [](const Hierarchy& hierarchy, const Collective& call, const Parameters& parameters) {
          return striped_least(std::get<StripedChoice>(parameters), hierarchy, call);
        },
    .estimate_folded =
        [](const FoldedMachine& machine, const Collective& call, const Parameters& parameters) {
          return folded_striped_time(std::get<StripedChoice>(parameters), machine, call);
        },
    .text = striped_text,
    .read = read_striped,
    .per_level = striped_levels};

}  // namespace espalier::collective
