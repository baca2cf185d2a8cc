#pragma once

#include <cstdint>
#include <vector>

#include "mpi/owned.hpp"

namespace espalier::mpi {

/// How elements of a datatype lie in memory.
struct Layout {
  MPI_Datatype type{};    // not MPI_DATATYPE_NULL: no initialisation when a thread starts
  std::int64_t size = 0;  ///< bytes of data
  std::int64_t extent = 0;
  std::int64_t true_lb = 0;
  std::int64_t true_extent = 0;
  bool dense = false;  ///< consecutive elements are consecutive bytes, in the order of the typemap
  bool named = false;  ///< see is_named()
  std::int64_t lb = 0;

  /// Bytes that `count` elements reach over, gaps included.
  [[nodiscard]] std::int64_t span(std::uint64_t count) const {
    if (count == 0) return 0;
    const std::int64_t reach = static_cast<std::int64_t>(count - 1) * extent;
    return (reach < 0 ? -reach : reach) + true_extent;
  }
  /// How far the lowest byte of `count` elements lies from their address; may be negative.
  [[nodiscard]] std::int64_t lowest(std::uint64_t count) const {
    const std::int64_t reach = count == 0 ? 0 : static_cast<std::int64_t>(count - 1) * extent;
    return true_lb + (reach < 0 ? reach : 0);
  }
};

/// The layout of plain bytes.
[[nodiscard]] inline Layout byte_layout() { return {MPI_BYTE, 1, 1, 0, 1, true}; }

/// Whether elements have gaps, or do not begin at their address. By the typemap alone: ranks may
/// have made the same one by different constructors.
[[nodiscard]] inline bool has_gaps(const Layout& layout) {
  return layout.true_lb != 0 || layout.extent != layout.size || layout.true_extent != layout.size;
}

/// @pre a valid, committed type
[[nodiscard]] Layout layout_of(MPI_Datatype type);

/// The same layout by a type that stays until `types` are freed: the program may free its own.
[[nodiscard]] Layout kept_layout(Layout layout, std::vector<OwnedType>& types);

/// Whether it comes with MPI; such types are never freed.
[[nodiscard]] bool is_named(MPI_Datatype type);

}  // namespace espalier::mpi
