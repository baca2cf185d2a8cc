#include "mpi/staging.hpp"

#include <algorithm>
#include <array>

#include "mpi/mpi_traits.hpp"
#include "mpi/owned.hpp"
#include "mpi/piece.hpp"

namespace espalier::mpi {
namespace {

using schedule::Op;
using schedule::Region;

/// `bytes` bytes as one element, however many.
OwnedType bytes_type(std::uint64_t bytes) {
  MPI_Datatype block = MPI_DATATYPE_NULL, whole = MPI_DATATYPE_NULL;
  PMPI_Type_contiguous(static_cast<int>(kMaxPieceBytes), MPI_BYTE, &block);
  const OwnedType owned_block(block);
  const std::uint64_t blocks = bytes / kMaxPieceBytes;
  const std::array<int, 2> counts{static_cast<int>(blocks),
                                  static_cast<int>(bytes % kMaxPieceBytes)};
  const std::array<MPI_Aint, 2> at{0, static_cast<MPI_Aint>(blocks * kMaxPieceBytes)};
  const std::array<MPI_Datatype, 2> types{block, MPI_BYTE};
  PMPI_Type_create_struct(2, counts.data(), at.data(), types.data(), &whole);
  PMPI_Type_commit(&whole);
  return OwnedType(whole);
}

/// Calls move(address, count, bytes, byte_count, byte_type) for parts that MPI can count: by
/// MPI_Pack, but for elements that are too large for its positions (ints).
template <typename Address, typename Bytes, typename Move>
int in_parts(const Layout& layout, Address elements, std::uint64_t count, Bytes bytes, Move move) {
  const auto size = static_cast<std::uint64_t>(layout.size);
  const std::uint64_t at_once = units_per_piece(size, kMaxPieceBytes);
  for (std::uint64_t done = 0; done < count; done += std::min(at_once, count - done)) {
    const std::uint64_t now = std::min(at_once, count - done);
    const auto address = elements + static_cast<std::int64_t>(done) * layout.extent;
    int code = MPI_SUCCESS;
    // MPICH's MPI_Pack takes no null pointers, though MPI_BOTTOM is one: a message to ourselves
    // does.
    if (now * size <= kMaxPieceBytes && address != nullptr) {
      code = move(address, static_cast<int>(now), bytes + done * size, static_cast<int>(now * size),
                  MPI_BYTE);
    } else {
      const OwnedType huge = bytes_type(now * size);
      code = move(address, static_cast<int>(now), bytes + done * size, 1, huge.get());
    }
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

}  // namespace

bool cuts_whole_elements(const schedule::Program& program, std::uint64_t element,
                         std::uint64_t piece) {
  const auto is_whole = [element](std::uint64_t units) { return units % element == 0; };
  const auto is_cut_well = [&](const Region& region) {
    const bool is_one_piece = program.units(region) <= piece || is_whole(piece);
    return is_one_piece && is_whole(region.offset) && is_whole(region.length) &&
           is_whole(region.outer.stride) && is_whole(region.inner.stride);
  };
  return std::all_of(program.ops.begin(), program.ops.end(), [&](const Op& op) {
    return is_whole(op.peer_stride) && is_cut_well(op.from) && is_cut_well(op.to);
  });
}

bool is_committed(const Layout& layout, const SelfLane& self) {
  if (kIsSimulated || layout.named || layout.dense || layout.size == 0) return true;
  std::byte nothing{};
  int position = 0;
  return PMPI_Pack(&nothing, 0, layout.type, &nothing, 0, &position, self.comm) == MPI_SUCCESS;
}

int pack(const Layout& layout, const void* elements, std::uint64_t count, std::byte* bytes,
         const SelfLane& self) {
  return in_parts(layout, static_cast<const std::byte*>(elements), count, bytes,
                  [&](const std::byte* from, int n, std::byte* to, int m, MPI_Datatype as) {
                    int position = 0;
                    if (as == MPI_BYTE) {
                      return PMPI_Pack(from, n, layout.type, to, m, &position, self.comm);
                    }
                    return PMPI_Sendrecv(from, n, layout.type, self.rank, self.tag, to, m, as,
                                         self.rank, self.tag, self.comm, MPI_STATUS_IGNORE);
                  });
}

int unpack(const Layout& layout, void* elements, std::uint64_t count, const std::byte* bytes,
           const SelfLane& self) {
  return in_parts(layout, static_cast<std::byte*>(elements), count, bytes,
                  [&](std::byte* to, int n, const std::byte* from, int m, MPI_Datatype as) {
                    int position = 0;
                    if (as == MPI_BYTE) {
                      return PMPI_Unpack(from, m, &position, to, n, layout.type, self.comm);
                    }
                    return PMPI_Sendrecv(from, m, as, self.rank, self.tag, to, n, layout.type,
                                         self.rank, self.tag, self.comm, MPI_STATUS_IGNORE);
                  });
}

}  // namespace espalier::mpi
