#pragma once

#include "model/cost_model.hpp"
#include "topology/machine.hpp"

namespace espalier::model {

/// Another model with the clock running backwards: a message from i to j costs what the other model
/// has for j to i, the two ends having changed roles.
///
/// What a broadcast takes under a model, the reduction along the same tree takes under its
/// reversal (combining left out), and so scatter and gather. @pre `forward` outlives it
class TimeReversed : public CostModel {
 public:
  explicit TimeReversed(const CostModel& forward) : forward_(forward) {}

  [[nodiscard]] Rank size() const override { return forward_.size(); }
  [[nodiscard]] MessageCost cost(Rank from, Rank to, Bytes size) const override {
    const MessageCost cost = forward_.cost(to, from, size);
    return {cost.receiver_busy, cost.sender_busy, cost.delivered};
  }
  [[nodiscard]] std::string name() const override { return forward_.name() + " reversed in time"; }

 private:
  const CostModel& forward_;
};

/// A reduction as the planner of a broadcast sees it: TimeReversed, where the rank that sends has
/// also to combine. It receives and combines in truth, so a rank that does both fast comes first.
///
/// The name stays that of the other model, which is the one that the user asked for.
/// @pre `forward` and `machine` outlive it, and have the same ranks
class TimeReversedReduction : public CostModel {
 public:
  TimeReversedReduction(const CostModel& forward, const topology::Machine& machine)
      : forward_(forward), reversed_(forward), machine_(machine) {}

  [[nodiscard]] Rank size() const override { return forward_.size(); }
  [[nodiscard]] MessageCost cost(Rank from, Rank to, Bytes size) const override {
    MessageCost cost = reversed_.cost(from, to, size);
    const Time combine = transfer_time(size, machine_.costs(from).reduce);
    cost.sender_busy += combine;
    cost.delivered += combine;
    return cost;
  }
  [[nodiscard]] std::string name() const override { return forward_.name(); }

 private:
  const CostModel& forward_;
  TimeReversed reversed_;
  const topology::Machine& machine_;
};

}  // namespace espalier::model
