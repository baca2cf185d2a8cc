#include "mpi/element_buffers.hpp"

namespace espalier::mpi {

ElementMemory::ElementMemory(const Layout& layout, std::uint64_t count) {
  if (count == 0) return;
  // Not value-initialised: gaps are nobody's, and data is written before it is read.
  memory_.reset(new std::byte[static_cast<std::size_t>(layout.span(count))]);
  address_ = memory_.get() - layout.lowest(count);
}

}  // namespace espalier::mpi
