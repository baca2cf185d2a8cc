#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "mpi/layout.hpp"
#include "mpi/local_call.hpp"
#include "mpi/local_steps.hpp"
#include "mpi/mpi_api.hpp"
#include "mpi/own_neighbours.hpp"
#include "schedule/collective.hpp"

namespace espalier::mpi {

/// A block that is there: bytes side by side, or elements of a layout with gaps.
struct BlockView {
  const std::byte* address = nullptr;
  std::uint64_t bytes = 0;         ///< length of the data, without gaps
  const Layout* layout = nullptr;  ///< nullptr: side by side
};

/// Where the user wants a block.
struct BlockPlace {
  std::byte* address = nullptr;
  std::uint64_t capacity = 0;      ///< most bytes of data that fit
  const Layout* layout = nullptr;  ///< nullptr: side by side

  [[nodiscard]] BlockView view(std::uint64_t bytes) const { return {address, bytes, layout}; }
};

/// The user's blocks at this rank: a unit of a program is one of them.
struct BlockBuffers {
  std::vector<BlockView> in;
  std::vector<BlockPlace> out;
  std::deque<Layout> layouts;               ///< layouts that `in` and `out` point to
  std::unique_ptr<std::byte[]> input_copy;  ///< present if the plan would overwrite the input
};

/// The blocks of an irregular call (gatherv, scatterv, allgatherv, alltoallv, alltoallw) at one
/// rank, in place or not. Nothing where an argument that is significant here is surely wrong: the
/// MPI library then says so, before any message. No doubts: the other ranks do not know this one's
/// arguments and run along the plan. Arguments that are not significant are never looked at.
[[nodiscard]] std::optional<BlockBuffers> user_blocks(const LocalCall& call, int rank, int size);

/// The blocks of a neighbourhood collective at one rank, one for each neighbour and MPI_PROC_NULL
/// among them; nothing as above.
[[nodiscard]] std::optional<BlockBuffers> neighbour_blocks(const LocalCall& call,
                                                           const OwnNeighbours& neighbours);

/// Whether the input must be copied: in place, the program would write over it before it has left.
[[nodiscard]] bool needs_input_copy(const LocalCall& call, const schedule::Program& program);
/// Copies the input, and lets `buffers.in` refer to the copy. @return an MPI error code
[[nodiscard]] int copy_input(BlockBuffers& buffers, const SelfLane& self);
/// Copies the input if it must be copied. @return an MPI error code
[[nodiscard]] inline int save_input(const LocalCall& call, const schedule::Program& program,
                                    BlockBuffers& buffers, const SelfLane& self) {
  return needs_input_copy(call, program) ? copy_input(buffers, self) : MPI_SUCCESS;
}

/// Whether the program has committed all types with gaps; see is_committed().
[[nodiscard]] bool are_committed(const BlockBuffers& buffers, const SelfLane& self);

/// Bytes of data that this rank gives or gets, whichever is more; for the log.
[[nodiscard]] std::uint64_t own_bytes(const BlockBuffers& buffers);

/// Whole elements, and no more of them than the user has room for. What is shorter than that is
/// taken, as MPI libraries do.
[[nodiscard]] bool fits(const BlockPlace& place, std::uint64_t bytes);
/// Writes a block that fits to its place. @return an MPI error code
[[nodiscard]] int put(const BlockPlace& place, const std::byte* data, std::uint64_t bytes,
                      const SelfLane& self);

/// Copies a block's data, bytes side by side. @return an MPI error code
[[nodiscard]] int pack(const BlockView& from, std::byte* to, const SelfLane& self);

}  // namespace espalier::mpi
