#pragma once

#include "model/cost_model.hpp"
#include "model/pair_matrix.hpp"
#include "topology/machine.hpp"

namespace espalier::model {

/// t = alpha + bytes / bandwidth. Sender and receiver are busy for all of it.
///
/// R. Hockney: "The communication challenge for MPP: Intel Paragon and Meiko CS-2", Parallel
/// Computing 20(3), 1994.
class Hockney : public CostModel {
 public:
  Hockney(Rank size, Time alpha, Bandwidth bandwidth)
      : size_(size), alpha_(alpha), bandwidth_(bandwidth) {}

  [[nodiscard]] Rank size() const override { return size_; }
  [[nodiscard]] MessageCost cost(Rank from, Rank to, Bytes size) const override;
  [[nodiscard]] std::string name() const override { return "hockney"; }

 private:
  Rank size_;
  Time alpha_;
  Bandwidth bandwidth_;
};

/// The same with figures for each pair: alpha_ij + bytes / bandwidth_ij, as dichev2010 uses it.
/// Memory: 16 bytes a pair.
class PairHockney : public CostModel {
 public:
  /// @pre both of the same size
  PairHockney(PairMatrix<Time> alpha, PairMatrix<Bandwidth> bandwidth);

  [[nodiscard]] Rank size() const override { return alpha_.size(); }
  [[nodiscard]] MessageCost cost(Rank from, Rank to, Bytes size) const override;
  [[nodiscard]] std::string name() const override { return "pair-hockney"; }

 private:
  PairMatrix<Time> alpha_;
  PairMatrix<Bandwidth> bandwidth_;
};

/// The same from a machine, without a matrix: alpha is the path's latency and both nodes' costs,
/// the bandwidth that of the narrowest resource on the path. O(depth) a question.
/// The machine must outlive it.
class MachineHockney : public CostModel {
 public:
  explicit MachineHockney(const topology::Machine& machine) : machine_(machine) {}

  [[nodiscard]] Rank size() const override { return machine_.size(); }
  [[nodiscard]] MessageCost cost(Rank from, Rank to, Bytes size) const override;
  [[nodiscard]] std::string name() const override { return "hockney"; }

 private:
  const topology::Machine& machine_;
};

}  // namespace espalier::model
