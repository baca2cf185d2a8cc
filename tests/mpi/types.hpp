#pragma once

#include <string>
#include <vector>

#include "base/random.hpp"
#include "mpi/harness.hpp"

namespace espalier::mpi_test {

/// A datatype of the tests, with what is needed to lay it out in memory.
struct TestType {
  std::string name;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Aint size = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_lb = 0;
  MPI_Aint true_extent = 0;
  bool is_of_ints = false;  ///< of nothing else
};

TestType measured(std::string name, MPI_Datatype type);

/// Built-in, contiguous, vector, indexed, struct, resized, with a negative lower bound, out of
/// order, with gaps, and copies of them. All are made of 32-bit integers and doubles.
std::vector<TestType> make_types();

/// Memory for `count` elements with a margin on both sides, every byte of it set.
class Memory {
 public:
  Memory(const TestType& type, int count, std::uint64_t seed);
  [[nodiscard]] void* address() { return bytes_.data() + offset_; }
  [[nodiscard]] const std::vector<unsigned char>& bytes() const { return bytes_; }
  /// The data alone, in the order of the typemap.
  [[nodiscard]] std::vector<char> packed(const TestType& type, int count);
  /// Puts data in, which must be as long as packed() says.
  void unpack(const TestType& type, int count, const std::vector<char>& data);

 private:
  std::vector<unsigned char> bytes_;
  std::ptrdiff_t offset_ = 0;
};

}  // namespace espalier::mpi_test
