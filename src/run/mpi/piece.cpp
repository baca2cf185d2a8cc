#include "mpi/piece.hpp"

#include <algorithm>
#include <vector>

namespace espalier::mpi {

/// Bytes where elements lie side by side, else elements. So is one that is longer than a piece may
/// be: MPI counts bytes by an int.
Piece slice_piece(const ElementBuffers& buffers, schedule::Buffer buffer, std::uint64_t offset,
                  std::uint64_t length) {
  Piece piece;
  piece.address = buffers.at(buffer, offset);
  piece.bytes = length * buffers.bytes_per_unit();
  if (buffers.layout.dense && piece.bytes <= kMaxPieceBytes) {
    // Dense elements begin where their data does.
    piece.address = static_cast<std::byte*>(piece.address) + buffers.layout.true_lb;
    piece.count = static_cast<int>(piece.bytes);
  } else {
    piece.count = static_cast<int>(length / buffers.units_per_element);
    piece.type = buffers.layout.type;
  }
  return piece;
}

namespace {

using schedule::Program;
using schedule::Region;

struct PieceStretch {
  std::uint64_t offset;
  std::uint64_t length;
};

Piece joined_stretches(const ElementBuffers& buffers, schedule::Buffer buffer,
                       const std::vector<PieceStretch>& stretches) {
  if (stretches.empty()) return {};
  if (stretches.size() == 1)
    return slice_piece(buffers, buffer, stretches.front().offset, stretches.front().length);
  std::vector<int> lengths;
  std::vector<MPI_Aint> displacements;
  Piece piece = slice_piece(buffers, buffer, stretches.front().offset, stretches.front().length);
  auto* const origin = static_cast<std::byte*>(piece.address);
  piece.bytes = 0;
  for (const PieceStretch& stretch : stretches) {
    const Piece part = slice_piece(buffers, buffer, stretch.offset, stretch.length);
    lengths.push_back(part.count);
    displacements.push_back(static_cast<std::byte*>(part.address) - origin);
    piece.bytes += part.bytes;
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), displacements.data(),
                            piece.type, &type);
  PMPI_Type_commit(&type);
  piece.own = OwnedType(type);
  piece.type = type;
  piece.count = 1;
  return piece;
}

}  // namespace

void for_each_piece(const ElementBuffers& buffers, const Program& program, const Region& region,
                    std::uint64_t max_bytes, const std::function<void(Piece)>& visit) {
  const std::uint64_t limit = units_per_piece(buffers.bytes_per_unit(), max_bytes);
  const bool plain = region.outer.set == 0 && region.inner.set == 0;  // almost always
  if (plain && region.length > 0 && region.length <= limit) {
    return visit(slice_piece(buffers, region.buffer, region.offset, region.length));
  }
  std::vector<PieceStretch> stretches;
  std::uint64_t units = 0;
  bool any = false;
  const auto flush = [&] {
    visit(joined_stretches(buffers, region.buffer, stretches));
    stretches.clear();
    units = 0;
    any = true;
  };
  for_each_stretch(program, region, [&](std::uint64_t offset, std::uint64_t length) {
    while (length > 0) {
      const std::uint64_t taken = std::min(length, limit - units);
      stretches.push_back({offset, taken});
      offset += taken;
      length -= taken;
      units += taken;
      if (units == limit) flush();
    }
  });
  if (!stretches.empty() || !any) flush();
}

}  // namespace espalier::mpi
