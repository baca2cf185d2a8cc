#include "mpi/block_buffers.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "mpi/staging.hpp"

namespace espalier::mpi {

using schedule::Operation;

namespace {

/// The layouts of types, kept. Most programs use few of them; others have one for each block.
class KeptLayouts {
 public:
  explicit KeptLayouts(std::deque<Layout>& kept) : kept_(kept) {}

  const Layout* of(MPI_Datatype type) {
    if (!kept_.empty() && kept_.back().type == type) return &kept_.back();
    const auto [place, is_new] = known_.try_emplace(type, nullptr);
    if (is_new) place->second = &kept_.emplace_back(layout_of(type));
    return place->second;
  }

 private:
  std::deque<Layout>& kept_;
  std::map<MPI_Datatype, const Layout*> known_;
};

/// Where a block of `count` elements is.
/// @param offset in extents of the type, or in bytes if each block has a type of its own
/// @return false: some argument is wrong
bool find_place(const Side& side, MPI_Datatype type, std::int64_t count, std::int64_t offset,
                KeptLayouts& kept, BlockPlace& place) {
  if (type == MPI_DATATYPE_NULL) return false;
  // A null pointer is MPI_BOTTOM where a type or an offset may hold an address.
  const bool is_address = side.byte_displacements != nullptr && offset != 0;
  if (side.buffer == nullptr && !is_address && is_named(type)) return false;
  const Layout* layout = kept.of(type);
  const auto distance =
      static_cast<std::intptr_t>(offset * (side.types != nullptr ? 1 : layout->extent));
  auto* const base = static_cast<std::byte*>(const_cast<void*>(side.buffer));
  std::byte* const at =
      base != nullptr
          ? base + distance
          : reinterpret_cast<std::byte*>(distance);  // NOLINT(performance-no-int-to-ptr): it is one
  place.capacity = static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(layout->size);
  // Dense elements begin where their data does; those without data have no place.
  const bool is_plain = layout->dense || layout->size == 0;
  place.address = is_plain ? at + layout->true_lb : at;
  place.layout = is_plain ? nullptr : layout;
  return true;
}

/// Nothing: some argument is wrong. Blocks of no elements have neither place nor type.
/// @param counts one for each block
std::optional<std::vector<BlockPlace>> places(const Side& side, const int* counts, int blocks,
                                              KeptLayouts& kept) {
  if (counts == nullptr || side.is_in_place()) return std::nullopt;
  if (side.displacements == nullptr && blocks > 1) return std::nullopt;
  std::vector<BlockPlace> all(static_cast<std::size_t>(blocks));
  for (std::size_t b = 0; b < all.size(); ++b) {
    if (counts[b] < 0) return std::nullopt;
    if (counts[b] == 0) continue;
    const MPI_Datatype type = side.types != nullptr ? side.types[b] : side.type;
    const std::int64_t offset = side.displacements == nullptr ? 0 : side.displacements[b];
    if (!find_place(side, type, counts[b], offset, kept, all[b])) return std::nullopt;
  }
  return all;
}

/// Likewise for a block of each neighbour. Arguments for MPI_PROC_NULL are not looked at.
/// @param irregular counts come in arrays; else all blocks have `side.count` elements
std::optional<std::vector<BlockPlace>> neighbour_places(const Side& side, bool irregular,
                                                        const std::vector<Rank>& neighbours,
                                                        KeptLayouts& kept) {
  std::vector<BlockPlace> all(neighbours.size());
  for (std::size_t b = 0; b < all.size(); ++b) {
    if (neighbours[b] == kNoRank) continue;
    const bool lacks =
        irregular && (side.counts == nullptr ||
                      (side.displacements == nullptr && side.byte_displacements == nullptr));
    if (lacks || side.is_in_place()) return std::nullopt;
    const std::int64_t count = irregular ? side.counts[b] : side.count;
    if (count < 0) return std::nullopt;
    if (count == 0) continue;
    const MPI_Datatype type = side.types != nullptr ? side.types[b] : side.type;
    const std::int64_t offset = side.byte_displacements != nullptr ? side.byte_displacements[b]
                                : irregular                        ? side.displacements[b]
                                            : static_cast<std::int64_t>(b) * count;
    if (!find_place(side, type, count, offset, kept, all[b])) return std::nullopt;
  }
  return all;
}

std::vector<BlockView> views(const std::vector<BlockPlace>& all) {
  std::vector<BlockView> found;
  found.reserve(all.size());
  for (const BlockPlace& place : all) found.push_back(place.view(place.capacity));
  return found;
}

bool sends_one(Operation operation) {
  return operation == Operation::Gather || operation == Operation::Allgather;
}
bool receives_one(Operation operation) { return operation == Operation::Scatter; }

int blocks_sent(const LocalCall& call, int rank, int size) {
  if (call.operation == Operation::Scatter) return rank == call.root ? size : 0;
  return call.operation == Operation::Alltoall ? size : 1;
}
int blocks_received(const LocalCall& call, int rank, int size) {
  if (call.operation == Operation::Gather) return rank == call.root ? size : 0;
  return call.operation == Operation::Scatter ? 1 : size;
}
bool may_send_in_place(const LocalCall& call, int rank) {
  return call.operation == Operation::Allgather || call.operation == Operation::Alltoall ||
         (call.operation == Operation::Gather && rank == call.root);
}
bool may_receive_in_place(const LocalCall& call, int rank) {
  return call.operation == Operation::Scatter && rank == call.root;
}

/// An allgather may bring a rank its own block again, while it is on its way from the same place.
/// (Most plans first copy it to its place, which is nothing in place, and send it from there.)
bool sends_input(const schedule::Program& program) {
  return std::any_of(program.ops.begin(), program.ops.end(), [](const schedule::Op& op) {
    return op.kind == schedule::OpKind::Send && op.from.buffer == schedule::Buffer::In;
  });
}

}  // namespace

std::optional<BlockBuffers> user_blocks(const LocalCall& call, int rank, int size) {
  BlockBuffers buffers;
  KeptLayouts layouts(buffers.layouts);
  const auto own = static_cast<std::size_t>(rank);
  const int sent = blocks_sent(call, rank, size), received = blocks_received(call, rank, size);
  // A side of one block has one count.
  const int one_sent = static_cast<int>(call.send.count);
  const int one_received = static_cast<int>(call.recv.count);
  const bool from_out = sent > 0 && call.send.is_in_place() && may_send_in_place(call, rank);
  const bool to_in = call.recv.is_in_place() && may_receive_in_place(call, rank);
  std::vector<BlockPlace> in;
  if (sent > 0 && !from_out) {
    auto found =
        places(call.send, sends_one(call.operation) ? &one_sent : call.send.counts, sent, layouts);
    if (!found) return std::nullopt;
    in = std::move(*found);
  }
  if (to_in) {
    buffers.out = {in[own]};
  } else if (received > 0) {
    auto found = places(call.recv, receives_one(call.operation) ? &one_received : call.recv.counts,
                        received, layouts);
    if (!found) return std::nullopt;
    buffers.out = std::move(*found);
  }
  if (from_out) {
    in = call.operation == Operation::Alltoall ? buffers.out
                                               : std::vector<BlockPlace>{buffers.out[own]};
  }
  buffers.in = views(in);
  return buffers;
}

std::optional<BlockBuffers> neighbour_blocks(const LocalCall& call,
                                             const OwnNeighbours& neighbours) {
  BlockBuffers buffers;
  KeptLayouts layouts(buffers.layouts);
  // Of an allgather there is one block to send, whoever gets it. If nobody does, it is empty.
  const bool is_sent = std::any_of(neighbours.destinations.begin(), neighbours.destinations.end(),
                                   [](Rank to) { return to != kNoRank; });
  const std::vector<Rank> one{is_sent ? 0 : kNoRank};
  const bool is_gather = call.operation == Operation::NeighbourAllgather;
  auto in = neighbour_places(call.send, call.irregular && !is_gather,
                             is_gather ? one : neighbours.destinations, layouts);
  auto out = neighbour_places(call.recv, call.irregular, neighbours.sources, layouts);
  if (!in || !out) return std::nullopt;
  buffers.in = views(*in);
  buffers.out = std::move(*out);
  return buffers;
}

bool needs_input_copy(const LocalCall& call, const schedule::Program& program) {
  const bool may_be_written = call.operation == Operation::Alltoall ||
                              (call.operation == Operation::Allgather && sends_input(program));
  return may_be_written && call.send.is_in_place();
}

int copy_input(BlockBuffers& buffers, const SelfLane& self) {
  std::uint64_t total = 0;
  for (const BlockView& block : buffers.in) total += block.bytes;
  buffers.input_copy.reset(new std::byte[total]);
  std::byte* at = buffers.input_copy.get();
  for (BlockView& block : buffers.in) {
    const int code = pack(block, at, self);
    if (code != MPI_SUCCESS) return code;
    block = {at, block.bytes, nullptr};
    at += block.bytes;
  }
  return MPI_SUCCESS;
}

bool are_committed(const BlockBuffers& buffers, const SelfLane& self) {
  return std::all_of(buffers.layouts.begin(), buffers.layouts.end(),
                     [&self](const Layout& layout) { return is_committed(layout, self); });
}

std::uint64_t own_bytes(const BlockBuffers& buffers) {
  std::uint64_t given = 0, got = 0;
  for (const BlockView& block : buffers.in) given += block.bytes;
  for (const BlockPlace& block : buffers.out) got += block.capacity;
  return std::max(given, got);
}

bool fits(const BlockPlace& place, std::uint64_t bytes) {
  if (bytes > place.capacity) return false;
  return bytes == 0 || place.layout == nullptr ||
         bytes % static_cast<std::uint64_t>(place.layout->size) == 0;
}

int put(const BlockPlace& place, const std::byte* data, std::uint64_t bytes, const SelfLane& self) {
  if (bytes == 0) return MPI_SUCCESS;
  if (place.layout != nullptr) {
    const std::uint64_t count = bytes / static_cast<std::uint64_t>(place.layout->size);
    return unpack(*place.layout, place.address, count, data, self);
  }
  if (place.address != data) std::memmove(place.address, data, bytes);
  return MPI_SUCCESS;
}

int pack(const BlockView& from, std::byte* to, const SelfLane& self) {
  if (from.bytes == 0) return MPI_SUCCESS;
  if (from.layout == nullptr) {
    std::memcpy(to, from.address, from.bytes);
    return MPI_SUCCESS;
  }
  const std::uint64_t count = from.bytes / static_cast<std::uint64_t>(from.layout->size);
  return pack(*from.layout, from.address, count, to, self);
}

}  // namespace espalier::mpi
