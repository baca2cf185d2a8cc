#pragma once

#include "mpi/element_buffers.hpp"
#include "schedule/program.hpp"

namespace espalier::mpi {

/// The operation of a reduction.
struct Reduction {
  MPI_Op op = MPI_OP_NULL;
  /// a op b and b op a have the same bits (integers), so operands may change sides.
  bool exact = false;
};

/// How a rank sends to itself: elements with gaps are copied by MPI, which alone knows their
/// layout.
struct SelfLane {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int tag = 0;
};

/// Runs a step that needs no message: a Copy or a Reduce. Gaps between and inside elements of the
/// user's buffer are not written. @return an MPI error code
[[nodiscard]] int run_local_step(const ElementBuffers& buffers, const schedule::Program& program,
                                 const schedule::Op& op, const Reduction& reduction,
                                 const SelfLane& self);

/// @return an MPI error code
[[nodiscard]] int copy_elements(const Layout& layout, const std::byte* from, std::byte* to,
                                std::uint64_t count, const SelfLane& self);

}  // namespace espalier::mpi
