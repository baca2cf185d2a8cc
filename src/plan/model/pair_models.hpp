#pragma once

#include <vector>

#include "base/contract.hpp"
#include "model/cost_model.hpp"
#include "topology/resources.hpp"

namespace espalier::model {

// Models whose figures are given, for all pairs of ranks or for each.

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

/// One value for each ordered pair of ranks, row by row: from, then to.
template <typename T>
class PairMatrix {
 public:
  explicit PairMatrix(Rank size, T value = {})
      : size_(size), values_(std::size_t{size} * size, value) {}

  [[nodiscard]] Rank size() const { return size_; }
  T& operator()(Rank from, Rank to) { return values_[index(from, to)]; }
  const T& operator()(Rank from, Rank to) const { return values_[index(from, to)]; }

 private:
  [[nodiscard]] std::size_t index(Rank from, Rank to) const {
    expects(from < size_ && to < size_, "PairMatrix: no such rank");
    return std::size_t{from} * size_ + to;
  }
  Rank size_;
  std::vector<T> values_;
};

/// Hockney's model with figures for each pair: alpha_ij + bytes / bandwidth_ij, as dichev2010 uses
/// it. Memory: 16 bytes a pair.
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

}  // namespace espalier::model
