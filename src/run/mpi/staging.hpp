#pragma once

#include <cstdint>

#include "mpi/layout.hpp"
#include "mpi/local_steps.hpp"
#include "schedule/program.hpp"

namespace espalier::mpi {

/// Whether every message of the program begins and ends at an element of `element` bytes, so that
/// it can be sent from where it lies. Plans cut bytes, since ranks may describe the same bytes by
/// different types.
[[nodiscard]] bool cuts_whole_elements(const schedule::Program& program, std::uint64_t element,
                                       std::uint64_t piece);

/// Whether MPI takes elements of such a layout: the program has committed its type. Of dense ones
/// bytes are sent.
[[nodiscard]] bool is_committed(const Layout& layout, const SelfLane& self);

/// Copies elements to contiguous bytes, and back. Both return an MPI error code.
[[nodiscard]] int pack(const Layout& layout, const void* elements, std::uint64_t count,
                       std::byte* bytes, const SelfLane& self);
[[nodiscard]] int unpack(const Layout& layout, void* elements, std::uint64_t count,
                         const std::byte* bytes, const SelfLane& self);

}  // namespace espalier::mpi
