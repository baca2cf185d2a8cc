#pragma once

// Derived types of every kind, and where blocks of them lie in memory.
#include "mpi/sections/section.hpp"
#include "mpi/types.hpp"

namespace espalier::sections {

using mpi_test::Memory;

/// A type made of 32-bit integers only, 1, 2, 3 or 6 of them, or of none.
struct Layout : mpi_test::TestType {
  int ints = 0;
  bool overlaps = false;  ///< elements share memory: to send only
  bool is_huge = false;   ///< one element at most
};

/// All lengths are multiples of this many integers, so that every layout fits.
inline constexpr int kUnit = 6;

/// Those that hold something.
const std::vector<Layout>& layouts();
/// Those of size 0, with extents and without.
const std::vector<Layout>& empty_layouts();
/// MPICH 4.2.1 was seen to divide by their size on x86-64, without the library.
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40100000 && defined(__x86_64__)
inline constexpr bool kMovesEmptyLayouts = false;
#else
inline constexpr bool kMovesEmptyLayouts = true;
#endif
void free_layouts();

/// Ranks may describe one message by other counts and types. Where the sizes of their elements
/// differ, Open MPI 4.1.4 was seen to hang without the library (MPI_Allgatherv, 3 ranks): there all
/// take one size, from now.
void agree_on_elements(Random& shared);

/// One that `ints` integers can be described by.
const Layout& pick_layout(Random& random, int ints, bool to_send, bool huge = true);

/// How many integers a message has: mostly few, now and then many; a multiple of kUnit.
int pick_ints(Random& random);

/// Blocks for v calls: counts and displacements in elements, in any order, with gaps, with
/// displacements below zero.
class Blocks {
 public:
  Blocks(const Layout& layout, const std::vector<int>& ints, Random& random, std::uint64_t fill);
  [[nodiscard]] void* address() {
    return static_cast<char*>(memory_.address()) + below_ * layout_.extent;
  }
  [[nodiscard]] const int* counts() const { return counts_.data(); }
  [[nodiscard]] const int* displs() const { return displs_.data(); }
  [[nodiscard]] int count(int block) const { return counts_[static_cast<std::size_t>(block)]; }
  [[nodiscard]] MPI_Datatype type() const { return layout_.type; }
  [[nodiscard]] const std::vector<unsigned char>& bytes() const { return memory_.bytes(); }

 private:
  const Layout& layout_;
  std::vector<int> counts_, displs_;
  int below_;
  Memory memory_;
};

/// Blocks for alltoallw: a layout each, displacements in bytes.
class MixedBlocks {
 public:
  MixedBlocks(const std::vector<const Layout*>& layouts, const std::vector<int>& counts,
              std::uint64_t fill);
  [[nodiscard]] void* address() { return bytes_.data(); }
  [[nodiscard]] const int* counts() const { return counts_.data(); }
  [[nodiscard]] const int* displs() const { return displs_.data(); }
  [[nodiscard]] const MPI_Datatype* types() const { return types_.data(); }
  [[nodiscard]] const std::vector<unsigned char>& bytes() const { return bytes_; }

 private:
  std::vector<int> counts_, displs_;
  std::vector<MPI_Datatype> types_;
  std::vector<unsigned char> bytes_;
};

}  // namespace espalier::sections
