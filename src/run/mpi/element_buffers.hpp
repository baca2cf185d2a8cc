#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "mpi/layout.hpp"
#include "schedule/program.hpp"

namespace espalier::mpi {

/// Memory for elements of any layout, at the address that MPI wants for them.
class ElementMemory {
 public:
  ElementMemory() = default;
  ElementMemory(const Layout& layout, std::uint64_t count) {
    if (count == 0) return;
    // Operations of the program may assign whole structs, gaps at their begin and end included. Not
    // where types are resized to huge extents.
    constexpr std::int64_t kMostGaps = 1 << 20;
    const bool has_gaps = layout.extent > 0 && layout.extent <= kMostGaps;
    const std::int64_t before =
        has_gaps ? std::max<std::int64_t>(0, layout.true_lb - layout.lb) : 0;
    const std::int64_t true_end = layout.true_lb + layout.true_extent;
    const std::int64_t behind =
        has_gaps ? std::max<std::int64_t>(0, layout.lb + layout.extent - true_end) : 0;
    // Not value-initialised: gaps are nobody's, and data is written before it is read.
    size_ = static_cast<std::uint64_t>(before + layout.span(count) + behind);
    memory_.reset(new std::byte[size_]);
    address_ = memory_.get() + before - layout.lowest(count);
  }
  /// Address of element 0; its bytes may begin before or after.
  [[nodiscard]] std::byte* address() const { return address_; }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  /// It stays for as long as the process: MPI may still read or write it.
  void abandon() { static_cast<void>(memory_.release()); }

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::byte* address_ = nullptr;
  std::uint64_t size_ = 0;
};

/// The three buffers of a program, and how its units lie in them.
///
/// A unit is an element, or (units_per_element > 1) one byte of an element whose slices all begin
/// and end with whole elements.
struct ElementBuffers {
  Layout layout;
  std::uint64_t units_per_element = 1;
  std::array<std::byte*, 3> base{};  ///< base addresses of In (never written), Out and Scratch

  [[nodiscard]] std::uint64_t bytes_per_unit() const {
    const auto size = static_cast<std::uint64_t>(layout.size);
    return units_per_element == 1 ? size : size / units_per_element;
  }
  [[nodiscard]] std::byte* at(schedule::Buffer buffer, std::uint64_t unit) const {
    const std::uint64_t element = units_per_element == 1 ? unit : unit / units_per_element;
    return base[static_cast<std::size_t>(buffer)] +
           static_cast<std::int64_t>(element) * layout.extent;
  }
};

}  // namespace espalier::mpi
