#pragma once

#include <vector>

#include "model/cost_model.hpp"
#include "topology/machine.hpp"

namespace espalier::model {

// Models that ask a machine for every message. They hold no matrix.

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

/// Hockney's model (pair_models.hpp) from a machine, without a matrix: alpha is the path's latency
/// and both nodes' costs, the bandwidth that of the narrowest resource on the path. O(depth) a
/// question. The machine must outlive it.
class MachineHockney : public CostModel {
 public:
  explicit MachineHockney(const topology::Machine& machine) : machine_(machine) {}

  [[nodiscard]] Rank size() const override { return machine_.size(); }
  [[nodiscard]] MessageCost cost(Rank from, Rank to, Bytes size) const override;
  [[nodiscard]] std::string name() const override { return "hockney"; }

 private:
  const topology::Machine& machine_;
};

/// LMO (pair_models.hpp) from a machine, without a matrix. O(depth) a question. The machine must
/// outlive it.
class MachineLmo : public CostModel {
 public:
  explicit MachineLmo(const topology::Machine& machine) : machine_(machine) {}

  [[nodiscard]] Rank size() const override { return machine_.size(); }
  [[nodiscard]] MessageCost cost(Rank from, Rank to, Bytes size) const override;
  [[nodiscard]] std::string name() const override { return "lmo"; }

 private:
  const topology::Machine& machine_;
};

/// Which ranks are alike: of two with the same number, a message of any length to or from any third
/// rank costs the same under every model that asks the machine (levels, hockney, lmo), since they
/// are in one innermost cluster and have equal links and costs. Different numbers mean nothing.
///
/// O(processes * different kinds in a cluster).
[[nodiscard]] std::vector<Rank> kinds_of(const topology::Machine& machine);

}  // namespace espalier::model
