#pragma once

#include "model/cost_model.hpp"

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

}  // namespace espalier::model
