#pragma once

#include <cstdint>

#include "mpi/layout.hpp"
#include "mpi/local_steps.hpp"
#include "schedule/program.hpp"

namespace espalier::mpi {

/// Whether every message of the program begins and ends with whole elements of this many units, so
/// that they can be sent from where they lie. (Ranks may describe the same bytes by different
/// types: the plan cuts bytes.)
[[nodiscard]] bool cuts_whole_elements(const schedule::Program& program, std::uint64_t element,
                                       std::uint64_t piece);

/// Elements to bytes side by side, and back. @return an MPI error code
[[nodiscard]] int pack(const Layout& layout, const void* elements, std::uint64_t count,
                       std::byte* bytes, const SelfLane& self);
[[nodiscard]] int unpack(const Layout& layout, void* elements, std::uint64_t count,
                         const std::byte* bytes, const SelfLane& self);

}  // namespace espalier::mpi
