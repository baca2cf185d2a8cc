#pragma once

#include "model/cost_model.hpp"
#include "topology/machine.hpp"

namespace espalier::model {

/// Answers from the levels of a machine; the default for planning on one.
///
/// The sender is busy with its own cost and until its last byte has passed the narrowest resource
/// on the way (it has one link); the receiver with its own cost:
///   sender_busy = send_i(bytes) + bytes / bandwidth_ij
///   delivered   = sender_busy + latency_ij + recv_j(bytes)
/// O(depth) a question and no matrix: 131,072 processes are no more work than two. The machine must
/// outlive it.
class Levels : public CostModel {
 public:
  explicit Levels(const topology::Machine& machine) : machine_(machine) {}

  [[nodiscard]] Rank size() const override { return machine_.size(); }
  [[nodiscard]] MessageCost cost(Rank from, Rank to, Bytes size) const override;
  [[nodiscard]] std::string name() const override { return "levels"; }

 private:
  const topology::Machine& machine_;
};

}  // namespace espalier::model
