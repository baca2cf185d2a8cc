#pragma once

#include "collective/algorithm.hpp"
#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier::collective {

// Algorithms whose plans have parameters, as entries of the table; each in its own file.

using schedule::Operation;

inline constexpr Operations kAllOperations{
    Operation::Broadcast,     Operation::Reduce,  Operation::Allreduce, Operation::Barrier,
    Operation::Gather,        Operation::Scatter, Operation::Allgather, Operation::Alltoall,
    Operation::ReduceScatter, Operation::Scan,    Operation::Exscan};

// multilevel_plans.cpp
bool multilevel_refuses(const Hierarchy&, const schedule::Collective&, const Parameters&);
std::vector<Parameters> multilevel_proposals(const Hierarchy&, const schedule::Collective&);
PartOf multilevel_parts(const Hierarchy&, const schedule::Collective&, const Parameters&);
cost::Picos multilevel_estimate(const cost::CostView&, const Hierarchy&,
                                const schedule::Collective&, const Parameters&);
std::string multilevel_text(const schedule::Collective&, const Parameters&);
std::optional<Parameters> read_multilevel(NameReader&, const Hierarchy&);
std::vector<std::string> multilevel_levels(const topology::Machine&, const schedule::Collective&,
                                           const Parameters&);

inline constexpr Algorithm kMultilevel{.name = "multilevel",
                                       .source = "level by level over the masters of each cluster",
                                       .operations = kAllOperations,
                                       .traits = {.keeps_rank_order = true,
                                                  .knows_machine = true,
                                                  .scales = true,
                                                  .is_tuned = true,
                                                  .meets_everybody = {Operation::Alltoall}},
                                       .refuses = multilevel_refuses,
                                       .propose = multilevel_proposals,
                                       .build = multilevel_parts,
                                       .estimate = multilevel_estimate,
                                       .text = multilevel_text,
                                       .read = read_multilevel,
                                       .per_level = multilevel_levels};

// fixed_order_plans.cpp
std::vector<Parameters> fixed_order_proposals(const Hierarchy&, const schedule::Collective&);
PartOf fixed_order_parts(const Hierarchy&, const schedule::Collective&, const Parameters&);
cost::Picos fixed_order_estimate(const cost::CostView&, const Hierarchy&,
                                 const schedule::Collective&, const Parameters&);
std::optional<Parameters> read_fixed_order(NameReader&, const Hierarchy&);

inline constexpr Algorithm kFixedOrder{
    .name = "fixed order",
    .source = "in the reference order of the ranks",
    .operations = {Operation::Reduce, Operation::Allreduce, Operation::ReduceScatter,
                   Operation::Scan, Operation::Exscan},
    .traits = {.keeps_rank_order = true,
               .in_reference_order = true,
               .knows_machine = true,
               .scales = true},
    .propose = fixed_order_proposals,
    .build = fixed_order_parts,
    .estimate = fixed_order_estimate,
    .text = multilevel_text,
    .read = read_fixed_order,
    .per_level = multilevel_levels};

// two_level.cpp
std::vector<Parameters> two_level_proposals(const Hierarchy&, const schedule::Collective&);
PartOf two_level_parts(const Hierarchy&, const schedule::Collective&, const Parameters&);
cost::Picos two_level_estimate(const cost::CostView&, const Hierarchy&, const schedule::Collective&,
                               const Parameters&);
std::string two_level_text(const schedule::Collective&, const Parameters&);
std::optional<Parameters> read_two_level(NameReader&, const Hierarchy&);

inline constexpr Algorithm kTwoLevel{
    .name = "two-level at depth ",
    .source = "MagPIe: Kielmann et al., PPoPP 1999",
    .operations = kAllOperations,
    .traits = {.keeps_rank_order = true, .scales = true, .meets_everybody = {Operation::Alltoall}},
    .propose = two_level_proposals,
    .build = two_level_parts,
    .estimate = two_level_estimate,
    .text = two_level_text,
    .read = read_two_level};

// striped_plans.cpp
bool striped_refuses(const Hierarchy&, const schedule::Collective&, const Parameters&);
std::vector<Parameters> striped_proposals(const Hierarchy&, const schedule::Collective&);
PartOf striped_parts(const Hierarchy&, const schedule::Collective&, const Parameters&);
cost::Picos striped_estimate(const cost::CostView&, const Hierarchy&, const schedule::Collective&,
                             const Parameters&);
std::string striped_text(const schedule::Collective&, const Parameters&);
std::optional<Parameters> read_striped(NameReader&, const Hierarchy&);
std::vector<std::string> striped_levels(const topology::Machine&, const schedule::Collective&,
                                        const Parameters&);

inline constexpr Algorithm kStriped{
    .name = "striped",
    .source = "every cluster has several leaders, each for a part",
    .operations = {Operation::Broadcast, Operation::Reduce, Operation::Allreduce,
                   Operation::Allgather, Operation::ReduceScatter},
    .traits = {.keeps_rank_order = true, .knows_machine = true},
    .refuses = striped_refuses,
    .propose = striped_proposals,
    .build = striped_parts,
    .estimate = striped_estimate,
    .text = striped_text,
    .read = read_striped,
    .per_level = striped_levels};

// tree_plans.cpp: broadcasts and reductions along one tree over all ranks
std::vector<Parameters> tree_by_number_proposals(Shape, const schedule::Collective&);
PartOf tree_by_number_parts(const Hierarchy&, const schedule::Collective&, const Parameters&);
cost::Picos tree_by_number_estimate(const cost::CostView&, const Hierarchy&,
                                    const schedule::Collective&, const Parameters&);
std::string tree_by_number_text(const schedule::Collective&, const Parameters&);
std::optional<Parameters> read_tree_by_number(Shape, NameReader&);

/// What MPI libraries do without knowing the machine.
template <Shape kShape>
constexpr Algorithm tree_by_number(std::string_view name) {
  return {.name = name,
          .source = "one tree over all ranks by number",
          .operations = {Operation::Broadcast, Operation::Reduce},
          .traits = {.by_number = true, .scales = true},
          .propose =
              [](const Hierarchy&, const schedule::Collective& call) {
                return tree_by_number_proposals(kShape, call);
              },
          .build = tree_by_number_parts,
          .estimate = tree_by_number_estimate,
          .text = tree_by_number_text,
          .read = [](NameReader& reader,
                     const Hierarchy&) { return read_tree_by_number(kShape, reader); }};
}

/// Whether there are faster and slower senders; else trees by speed have nothing to go by.
[[nodiscard]] bool has_unequal_senders(const topology::Machine& machine);

/// A tree over all ranks by what a message of the call's length costs each that sends it. Links are
/// not looked at. Whole messages.
using TreeBySpeed = tree::CommTree (*)(std::span<const Time>, const tree::Participants&);
std::vector<Parameters> tree_by_speed_proposals(const Hierarchy&, const schedule::Collective&);
PartOf tree_by_speed_parts(TreeBySpeed, const Hierarchy&, const schedule::Collective&);
cost::Picos tree_by_speed_estimate(TreeBySpeed, const cost::CostView&, const schedule::Collective&);

template <TreeBySpeed kTree>
constexpr Algorithm tree_by_speed(std::string_view name) {
  return {
      .name = name,
      .source = "Banikazemi, Moorthy, Panda, ICPP 1998",
      .operations = {Operation::Broadcast},
      .traits = {.knows_machine = true},
      .propose = tree_by_speed_proposals,
      .build = [](const Hierarchy& hierarchy, const schedule::Collective& call,
                  const Parameters&) { return tree_by_speed_parts(kTree, hierarchy, call); },
      .estimate = [](const cost::CostView& cost_view, const Hierarchy&,
                     const schedule::Collective& call,
                     const Parameters&) { return tree_by_speed_estimate(kTree, cost_view, call); }};
}

}  // namespace espalier::collective
