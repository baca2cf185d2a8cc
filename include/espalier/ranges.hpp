#pragma once

// Ranges of elements as arguments of MPI's calls: how many there are, and whether they fit.

#include <climits>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

#include "espalier/datatype.hpp"

namespace espalier::mpi {
inline namespace api {

template <typename Range>
concept Data = std::ranges::contiguous_range<Range> && std::ranges::sized_range<Range> &&
    std::is_trivially_copyable_v<std::ranges::range_value_t<Range>>;
template <typename Range>
concept Numbers = Data<Range> && Number<std::ranges::range_value_t<Range>>;
/// One type of MPI stands for the elements of both.
template <typename In, typename Out>
concept SameElements =
    std::is_same_v<std::ranges::range_value_t<In>, std::ranges::range_value_t<Out>>;

/// Blocks of unequal lengths, one for each rank.
struct Blocks {
  std::span<const int> counts;              ///< elements of each
  std::span<const int> displacements = {};  ///< where each begins; none: one after the other
};

/// Where blocks begin, for the time of a call.
class BlockStarts {
 public:
  explicit BlockStarts(const Blocks& blocks) {
    if (!blocks.displacements.empty()) {
      given_ = blocks.displacements.data();
      return;
    }
    int at = 0;
    for (const int count : blocks.counts) {
      own_.push_back(at);
      at += count;
    }
  }
  [[nodiscard]] const int* get() const { return given_ != nullptr ? given_ : own_.data(); }

 private:
  const int* given_ = nullptr;
  std::vector<int> own_;
};

/// What does not fit; not every MPI refuses it, so it never gets there.
inline constexpr int kNoCount = -1;

/// What both counts are; kNoCount if they differ.
[[nodiscard]] constexpr int alike(int a, int b) { return a == b ? a : kNoCount; }

/// kNoCount if there are more than INT_MAX.
template <typename Range>
[[nodiscard]] int count_of(const Range& range) {
  const auto count = static_cast<std::size_t>(std::ranges::size(range));
  return count <= INT_MAX ? static_cast<int>(count) : kNoCount;
}

/// kNoCount if they are not equally long.
template <typename In, typename Out>
[[nodiscard]] int common_count(const In& in, const Out& out) {
  static_assert(std::is_same_v<std::ranges::range_value_t<In>, std::ranges::range_value_t<Out>>);
  return std::ranges::size(in) == std::ranges::size(out) ? count_of(in) : kNoCount;
}

/// Elements of each of so many equal blocks; kNoCount if they are not equal.
template <typename Range>
[[nodiscard]] int count_of_block(const Range& range, int blocks) {
  const int count = count_of(range);
  return count % blocks == 0 ? count / blocks : kNoCount;
}

/// 0 if a range holds all blocks, one for each of so many ranks; else kNoCount.
template <typename Range>
[[nodiscard]] int fits_all(const Blocks& blocks, const Range& range, int size) {
  const auto ranks = static_cast<std::size_t>(size);
  if (blocks.counts.size() != ranks) return kNoCount;
  if (!blocks.displacements.empty() && blocks.displacements.size() != ranks) return kNoCount;
  std::int64_t next = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    const std::int64_t count = blocks.counts[r];
    const std::int64_t begin = blocks.displacements.empty() ? next : blocks.displacements[r];
    if (count < 0 || (count > 0 && (begin < 0 || begin + count > count_of(range)))) {
      return kNoCount;
    }
    next += count;
  }
  return 0;
}

/// 0 if there are so many counts, none below 0, places and types; else kNoCount.
[[nodiscard]] inline int fits_types(const Blocks& blocks, std::span<const MPI_Datatype> types,
                                    int size) {
  const auto ranks = static_cast<std::size_t>(size);
  if (blocks.counts.size() != ranks || blocks.displacements.size() != ranks) return kNoCount;
  for (const int count : blocks.counts) {
    if (count < 0) return kNoCount;
  }
  return types.size() == ranks ? 0 : kNoCount;
}

/// 0 if a range is as long as the block of a rank; else kNoCount.
template <typename Range>
[[nodiscard]] int fits_one(std::span<const int> counts, int rank, const Range& range) {
  const auto at = static_cast<std::size_t>(rank);
  return at < counts.size() && counts[at] == count_of(range) ? 0 : kNoCount;
}

}  // namespace api
}  // namespace espalier::mpi
