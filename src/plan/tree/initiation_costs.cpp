#include <fmt/core.h>

#include <optional>
#include <string_view>

#include "base/contract.hpp"
#include "base/units.hpp"
#include "model/node_costs.hpp"
#include "model/time_reversed.hpp"
#include "tree/initiation_trees.hpp"

namespace espalier::tree {
namespace {

/// Whether a message of the tree goes up, from `to` to `from`: its ends have changed roles.
bool is_reduction(const model::CostModel& model) {
  return dynamic_cast<const model::TimeReversedReduction*>(&model) != nullptr;
}

Error refusal(const model::CostModel& model, const std::string& what) {
  return {
      fmt::format("model {}", model.name()), what,
      is_reduction(model)
          ? "the exact optimum is for models in which a message costs its receiver alone; "
            "ecef-la looks at links and senders too"
          : "the exact optimum is for models in which a message costs its sender alone, such as "
            "node-initiation; ecef-la looks at links and receivers too"};
}

/// What the parent and the child of a tree do with a message.
struct Roles {
  std::string_view parent, parent_does, child_does;
};
constexpr Roles kDown{"sender", "sends to", "receiving from"};
constexpr Roles kUp{"receiver", "receives from", "sending to"};

/// What is wrong with a message between `from` and its child `to`, if anything is.
std::optional<std::string> wrong_with(const model::MessageCost& cost, Time expected, Rank from,
                                      Rank to, bool is_up) {
  const Roles& roles = is_up ? kUp : kDown;
  if (cost.receiver_busy != Time{0}) {
    return fmt::format("rank {} is busy for {} with {} rank {}", to, to_string(cost.receiver_busy),
                       roles.child_does, from);
  }
  if (cost.delivered != cost.sender_busy) {
    return fmt::format("a message from rank {} to rank {} keeps its {} for {} but takes {}",
                       is_up ? to : from, is_up ? from : to, roles.parent,
                       to_string(cost.sender_busy), to_string(cost.delivered));
  }
  if (cost.sender_busy != expected) {
    return fmt::format("rank {} {} rank {} in {} but {} another in {}", from, roles.parent_does, to,
                       to_string(cost.sender_busy), is_up ? "from" : "to", to_string(expected));
  }
  return {};
}

}  // namespace

Expected<std::vector<Time>> initiation_costs_of(const model::CostModel& model, Bytes size,
                                                const Participants& who) {
  expects(model.size() == who.machine_size,
          "initiation_costs_of: model and machine differ in size");
  std::vector<Time> costs(who.machine_size, Time{0});
  if (who.count() < 2) return costs;
  const bool is_up = is_reduction(model);
  const bool known = dynamic_cast<const model::NodeInitiation*>(&model) != nullptr;
  if (!known && who.count() > kMostPairsAsked) {
    return refusal(
        model,
        fmt::format("{} participants are too many to ask for the cost of every pair", who.count()));
  }
  for (Rank i = 0; i < who.count(); ++i) {
    const Rank from = who.at(i);
    const Rank first = who.at(i == 0 ? 1 : 0);
    costs[from] = model.cost(from, first, size).sender_busy;
    for (Rank j = 0; j < who.count() && !known; ++j) {
      const Rank to = who.at(j);
      if (to == from) continue;
      if (auto wrong = wrong_with(model.cost(from, to, size), costs[from], from, to, is_up)) {
        return refusal(model, *wrong);
      }
    }
  }
  return costs;
}

}  // namespace espalier::tree
