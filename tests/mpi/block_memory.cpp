#include "mpi/block_memory.hpp"

#include <algorithm>
#include <numeric>

namespace espalier::mpi_test {

BlockMemory::BlockMemory(const std::vector<Block>& blocks, bool in_bytes, Random& random)
    : displacements_(blocks.size()) {
  constexpr std::ptrdiff_t kMargin = 128;
  for (const Block& block : blocks) {
    counts_.push_back(block.count);
    types_.push_back(block.type->type);
    unit_of_.push_back(in_bytes ? 1 : block.type->extent);
  }
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (random.chance(70)) random.shuffle(std::span(order));
  const bool has_gaps = random.chance(60);
  std::ptrdiff_t low = 0, end = 0;  // of all bytes, and where the next block may begin
  for (const std::size_t b : order) {
    const TestType& type = *blocks[b].type;
    const std::ptrdiff_t count = blocks[b].count;
    if (count == 0 || type.size == 0) {  // anywhere
      displacements_[b] = static_cast<int>(random.below(50));
      continue;
    }
    const std::ptrdiff_t gap = has_gaps ? static_cast<std::ptrdiff_t>(random.below(40)) : 0;
    const std::ptrdiff_t unit = unit_of_[b];
    std::ptrdiff_t at = (end + gap - type.true_lb + unit - 1) / unit;
    if (at < 0) at = 0;
    displacements_[b] = static_cast<int>(at);
    low = std::min(low, at * unit + type.true_lb);
    end = at * unit + type.true_lb + (count - 1) * type.extent + type.true_extent;
  }
  offset_ = kMargin - low;
  bytes_.resize(static_cast<std::size_t>(offset_ + end + kMargin));
  for (std::size_t i = 0; i < bytes_.size(); i += 8) {
    const std::uint64_t word = random.next();
    for (std::size_t b = 0; b < 8 && i + b < bytes_.size(); ++b) {
      bytes_[i + b] = static_cast<unsigned char>(word >> (8 * b));
    }
  }
}

}  // namespace espalier::mpi_test
