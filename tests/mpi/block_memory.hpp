#pragma once

#include <vector>

#include "mpi/types.hpp"

namespace espalier::mpi_test {

/// One side of an irregular call: blocks in any order with gaps between them, in memory of which
/// every byte is set.
class BlockMemory {
 public:
  /// Elements and type of one block.
  struct Block {
    const TestType* type = nullptr;
    int count = 0;
  };
  /// @param in_bytes displacements are in bytes (alltoallw), not in extents of the one type
  BlockMemory(const std::vector<Block>& blocks, bool in_bytes, Random& random);

  [[nodiscard]] void* address() { return bytes_.data() + offset_; }
  [[nodiscard]] void* block(std::size_t b) {
    return bytes_.data() + offset_ + displacements_[b] * unit_of_[b];
  }
  [[nodiscard]] const int* counts() const { return counts_.data(); }
  [[nodiscard]] const int* displacements() const { return displacements_.data(); }
  [[nodiscard]] const MPI_Datatype* types() const { return types_.data(); }
  [[nodiscard]] MPI_Datatype type() const { return types_.front(); }
  [[nodiscard]] const std::vector<unsigned char>& bytes() const { return bytes_; }

 private:
  std::vector<int> counts_, displacements_;
  std::vector<MPI_Aint> unit_of_;  // of displacements
  std::vector<MPI_Datatype> types_;
  std::vector<unsigned char> bytes_;
  std::ptrdiff_t offset_ = 0;
};

}  // namespace espalier::mpi_test
