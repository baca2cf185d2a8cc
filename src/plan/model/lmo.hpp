#pragma once

#include <vector>

#include "model/cost_model.hpp"
#include "model/pair_matrix.hpp"
#include "topology/machine.hpp"
#include "topology/resources.hpp"

namespace espalier::model {

/// Separate terms for the two processors and the wire:
///   t = send_i(bytes) + L_ij + bytes / bandwidth_ij + recv_j(bytes)
/// where send and recv have a fixed part and one for the bytes. The sender is busy with its own
/// part only, the receiver with its own; the wires of different pairs do not meet in a switch.
///
/// A. Lastovetsky, V. Rychkov, M. O'Flynn: "Accurate heterogeneous communication models and a
/// software tool for their efficient estimation", IJHPCA 24(1), 2010 (LMO).
class Lmo : public CostModel {
 public:
  /// @pre one send and one recv cost for each rank of the matrices, which are of the same size
  Lmo(std::vector<topology::Cost> send, std::vector<topology::Cost> recv, PairMatrix<Time> latency,
      PairMatrix<Bandwidth> bandwidth);

  [[nodiscard]] Rank size() const override { return latency_.size(); }
  [[nodiscard]] MessageCost cost(Rank from, Rank to, Bytes size) const override;
  [[nodiscard]] std::string name() const override { return "lmo"; }

 private:
  std::vector<topology::Cost> send_, recv_;
  PairMatrix<Time> latency_;
  PairMatrix<Bandwidth> bandwidth_;
};

/// The same from a machine, without a matrix. O(depth) a question. The machine must outlive it.
class MachineLmo : public CostModel {
 public:
  explicit MachineLmo(const topology::Machine& machine) : machine_(machine) {}

  [[nodiscard]] Rank size() const override { return machine_.size(); }
  [[nodiscard]] MessageCost cost(Rank from, Rank to, Bytes size) const override;
  [[nodiscard]] std::string name() const override { return "lmo"; }

 private:
  const topology::Machine& machine_;
};

}  // namespace espalier::model
