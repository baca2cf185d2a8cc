#include "mpi/element_buffers.hpp"

namespace espalier::mpi {

ElementMemory::ElementMemory(const Layout& layout, std::uint64_t count) {
  if (count == 0) return;
  // Not value-initialised: gaps are nobody's, and data is written before it is read.
  size_ = static_cast<std::uint64_t>(layout.span(count));
  memory_.reset(new std::byte[size_]);
  address_ = memory_.get() - layout.lowest(count);
}

}  // namespace espalier::mpi
