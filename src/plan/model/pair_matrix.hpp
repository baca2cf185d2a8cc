#pragma once

#include <vector>

#include "base/contract.hpp"
#include "base/types.hpp"

namespace espalier::model {

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

}  // namespace espalier::model
