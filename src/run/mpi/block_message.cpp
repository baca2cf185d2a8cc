#include "mpi/block_message.hpp"

#include <algorithm>

#include "runtime/block_header.hpp"

namespace espalier::mpi {
namespace {

/// Side by side in memory is one segment.
void add(std::vector<Segment>& segments, const Segment& more) {
  if (more.bytes == 0) return;
  if (!segments.empty() && segments.back().address + segments.back().bytes == more.address) {
    segments.back().bytes += more.bytes;
  } else {
    segments.push_back(more);
  }
}

Piece joined(const std::vector<Segment>& segments) {
  Piece piece;
  piece.address = segments.front().address;
  for (const Segment& segment : segments) piece.bytes += segment.bytes;
  if (segments.size() == 1) {
    piece.count = static_cast<int>(piece.bytes);
    return piece;
  }
  std::vector<int> lengths;
  std::vector<MPI_Aint> displacements;
  for (const Segment& segment : segments) {
    lengths.push_back(static_cast<int>(segment.bytes));
    displacements.push_back(segment.address - segments.front().address);
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), displacements.data(),
                            MPI_BYTE, &type);
  PMPI_Type_commit(&type);
  piece.own = OwnedType(type);
  piece.type = type;
  piece.count = 1;
  return piece;
}

int append_data(std::span<const BlockView> blocks, const SelfLane& self, std::uint64_t total,
                std::vector<std::byte>& head) {
  std::size_t at = head.size();
  head.resize(at + total);
  for (const BlockView& block : blocks) {
    const int code = pack(block, head.data() + at, self);
    if (code != MPI_SUCCESS) return code;
    at += block.bytes;
  }
  return MPI_SUCCESS;
}

}  // namespace

int make_parcel(std::span<const BlockView> blocks, const SelfLane& self, Parcel& parcel) {
  std::vector<std::uint64_t> lengths;
  for (const BlockView& block : blocks) lengths.push_back(block.bytes);
  runtime::append_block_header(lengths, parcel.head);
  return add_data(blocks, self, parcel);
}

int add_data(std::span<const BlockView> blocks, const SelfLane& self, Parcel& parcel) {
  std::uint64_t total = 0, with_gaps = 0;
  for (const BlockView& block : blocks) {
    total += block.bytes;
    if (block.layout != nullptr) with_gaps += block.bytes;
  }
  parcel.bytes = parcel.head.size() + total;
  if (total <= kInlineBytes) return append_data(blocks, self, total, parcel.head);
  parcel.packed = new_memory(with_gaps);
  std::byte* next = parcel.packed.get();
  for (const BlockView& block : blocks) {
    if (block.layout == nullptr) {
      add(parcel.rest, {const_cast<std::byte*>(block.address), block.bytes});  // only read
      continue;
    }
    const int code = pack(block, next, self);
    if (code != MPI_SUCCESS) return code;
    add(parcel.rest, {next, block.bytes});
    next += block.bytes;
  }
  return MPI_SUCCESS;
}

void for_each_piece(std::span<const Segment> segments, std::uint64_t max_bytes,
                    const std::function<void(Piece)>& visit) {
  std::vector<Segment> taken;
  std::uint64_t bytes = 0;
  for (Segment segment : segments) {
    while (segment.bytes > 0) {
      const std::uint64_t now = std::min(segment.bytes, max_bytes - bytes);
      add(taken, {segment.address, now});
      segment.address += now;
      segment.bytes -= now;
      bytes += now;
      if (bytes < max_bytes) continue;
      visit(joined(taken));
      taken.clear();
      bytes = 0;
    }
  }
  if (!taken.empty()) visit(joined(taken));
}

Piece bytes_piece(std::byte* address, std::uint64_t bytes) {
  Piece piece;
  piece.address = address;
  piece.count = static_cast<int>(bytes);
  piece.bytes = bytes;
  return piece;
}

void spread(std::span<const std::byte> data, std::span<const Segment> places) {
  const std::byte* next = data.data();
  for (const Segment& place : places) {
    std::copy_n(next, place.bytes, place.address);
    next += place.bytes;
  }
}

std::uint32_t send_parcel(Parcel& parcel, const runtime::PeerLink& link, std::uint64_t max_bytes,
                          const std::function<void(const Piece&, bool)>& send) {
  std::uint32_t sent = 1;
  send(bytes_piece(parcel.head.data(), parcel.head.size()), true);
  const std::uint64_t most = bytes_in_one(link, bytes_of(parcel.rest), max_bytes);
  for_each_piece(parcel.rest, most, [&](const Piece& piece) {
    send(piece, false);
    ++sent;
  });
  return sent;
}

}  // namespace espalier::mpi
