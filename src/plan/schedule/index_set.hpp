#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace espalier::schedule {

/// first, first + step, ..., `count` of them.
struct IndexRun {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  std::uint64_t step = 1;
  friend bool operator==(const IndexRun&, const IndexRun&) = default;
};

/// Indices in a given order, run-length coded: the ranks of a cluster under cyclic placement are
/// one run, under block placement too, under random placement at most one for each rank.
///
/// A value. No index stands twice (not checked; the verifier would see it).
class IndexSet {
 public:
  IndexSet() = default;
  /// Finds the runs by itself, greedily from the left.
  explicit IndexSet(std::span<const std::uint32_t> indices);
  /// first, first + 1, ..., `count` of them.
  static IndexSet range(std::uint64_t first, std::uint64_t count, std::uint64_t step = 1);
  static IndexSet single(std::uint64_t index) { return range(index, 1); }

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::span<const IndexRun> runs() const { return runs_; }
  void append(const IndexRun& run);
  [[nodiscard]] std::vector<std::uint64_t> spelled_out() const;

  template <typename Visit>
  void for_each(Visit visit) const {
    for (const IndexRun& run : runs_) {
      for (std::uint64_t i = 0; i < run.count; ++i) visit(run.first + i * run.step);
    }
  }

  friend bool operator==(const IndexSet&, const IndexSet&) = default;

 private:
  std::vector<IndexRun> runs_;
  std::uint64_t size_ = 0;
};

}  // namespace espalier::schedule
