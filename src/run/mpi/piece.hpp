#pragma once

#include <functional>

#include "mpi/element_buffers.hpp"
#include "mpi/owned.hpp"

namespace espalier::mpi {

/// One MPI message: address, count and type as MPI_Isend wants them.
struct Piece {
  void* address = nullptr;
  int count = 0;
  MPI_Datatype type = MPI_BYTE;
  OwnedType own;            ///< the type, if one had to be made for this piece
  std::uint64_t bytes = 0;  ///< data bytes, without gaps
};

/// Most bytes of a piece; MPI counts in int. Longer messages travel in several pieces.
inline constexpr std::uint64_t kMaxPieceBytes = std::uint64_t{1} << 30;

/// Most units of a piece: the same on both sides, whatever their types.
[[nodiscard]] inline std::uint64_t units_per_piece(std::uint64_t bytes_per_unit,
                                                   std::uint64_t max_bytes) {
  return bytes_per_unit == 0 || bytes_per_unit >= max_bytes ? 1 : max_bytes / bytes_per_unit;
}

/// A slice that fits into one piece, sent from where it lies.
[[nodiscard]] Piece slice_piece(const ElementBuffers& buffers, schedule::Buffer buffer,
                                std::uint64_t offset, std::uint64_t length);

/// Calls visit(piece) for each piece of a region, at least once (a region may be empty). One
/// stretch is sent from where it lies; several are joined by a type made for them.
void for_each_piece(const ElementBuffers& buffers, const schedule::Program& program,
                    const schedule::Region& region, std::uint64_t max_bytes,
                    const std::function<void(Piece)>& visit);

}  // namespace espalier::mpi
