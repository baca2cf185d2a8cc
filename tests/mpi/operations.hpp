#pragma once

#include <string>
#include <vector>

#include "mpi/types.hpp"

namespace espalier::mpi_test {

/// How results are compared with the native ones.
enum class Exactness { Bits, Float, Double };

/// An operation with a type it is defined on.
struct TestOperation {
  std::string name;
  MPI_Op op = MPI_OP_NULL;
  TestType type;
  Exactness exactness = Exactness::Bits;
  bool gaps_are_kept = true;  ///< pair types have padding that nobody promises to keep
  /// Makes sensible values of random bytes (packed).
  void (*tame)(std::vector<char>&) = nullptr;
};

/// Every kind of operation: built-in on integers, floats and pairs, and of the user: commutative or
/// not, on derived types with gaps.
std::vector<TestOperation> make_operations();

}  // namespace espalier::mpi_test
