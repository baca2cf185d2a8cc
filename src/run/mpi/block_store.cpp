#include "mpi/block_store.hpp"

#include "base/contract.hpp"

namespace espalier::mpi {

using schedule::Buffer;
using schedule::Region;

std::uint64_t bytes_of(std::span<const Segment> segments) {
  std::uint64_t sum = 0;
  for (const Segment& segment : segments) sum += segment.bytes;
  return sum;
}

BlockStore::BlockStore(const schedule::Program& program, BlockBuffers buffers, const SelfLane& self)
    : program_(program), buffers_(std::move(buffers)), self_(self) {
  blocks_[static_cast<std::size_t>(Buffer::In)] = buffers_.in;
  blocks_[static_cast<std::size_t>(Buffer::Out)].resize(buffers_.out.size());
  blocks_[static_cast<std::size_t>(Buffer::Scratch)].resize(program.scratch_units);
}

std::vector<std::uint64_t> BlockStore::units(const Region& region) const {
  std::vector<std::uint64_t> all;
  all.reserve(program_.units(region));
  const std::uint64_t end = blocks_[static_cast<std::size_t>(region.buffer)].size();
  for_each_stretch(program_, region, [&](std::uint64_t offset, std::uint64_t length) {
    expects(offset + length <= end, "BlockStore: a region beyond the blocks");
    for (std::uint64_t unit = offset; unit < offset + length; ++unit) all.push_back(unit);
  });
  return all;
}

std::vector<BlockView> BlockStore::read(const Region& region) const {
  std::vector<BlockView> found;
  for (const std::uint64_t unit : units(region)) {
    found.push_back(blocks_[static_cast<std::size_t>(region.buffer)][unit]);
  }
  return found;
}

Arrival BlockStore::expect(const Region& region, std::span<const std::uint64_t> lengths) const {
  const std::vector<std::uint64_t> where = units(region);
  expects(where.size() == lengths.size(), "BlockStore: not one length for each block");
  const auto goes_to_its_place = [&](std::size_t b) {
    return region.buffer == Buffer::Out && buffers_.out[where[b]].layout == nullptr &&
           fits(buffers_.out[where[b]], lengths[b]);
  };
  std::uint64_t staged = 0;
  for (std::size_t b = 0; b < where.size(); ++b) {
    if (!goes_to_its_place(b)) staged += lengths[b];
  }
  Arrival arrival;
  if (staged > 0) arrival.staged = new_memory(staged);
  std::byte* next = arrival.staged.get();
  for (std::size_t b = 0; b < where.size(); ++b) {
    if (goes_to_its_place(b)) {
      arrival.blocks.push_back({buffers_.out[where[b]].address, lengths[b]});
    } else {
      arrival.blocks.push_back({next, lengths[b]});
      next += lengths[b];
    }
  }
  return arrival;
}

int BlockStore::arrived(const Region& region, std::span<const std::uint64_t> lengths,
                        Arrival arrival) {
  const std::vector<std::uint64_t> where = units(region);
  bool is_kept = region.buffer == Buffer::Scratch;
  for (std::size_t b = 0; b < where.size(); ++b) {
    if (region.buffer == Buffer::Scratch) {
      at(Buffer::Scratch, where[b]) = {arrival.blocks[b].address, lengths[b], nullptr};
      continue;
    }
    const int code = put_out(where[b], arrival.blocks[b].address, lengths[b]);
    if (code != MPI_SUCCESS) return code;
    is_kept = is_kept || !fits(buffers_.out[where[b]], lengths[b]);
  }
  if (is_kept) held_.push_back(std::move(arrival.staged));
  return MPI_SUCCESS;
}

/// Data that does not fit must stay where it is.
int BlockStore::put_out(std::uint64_t unit, const std::byte* data, std::uint64_t bytes) {
  const BlockPlace& place = buffers_.out[unit];
  if (!fits(place, bytes)) {
    overflowed_ = true;
    at(Buffer::Out, unit) = {data, bytes, nullptr};
    return MPI_SUCCESS;
  }
  at(Buffer::Out, unit) = place.view(bytes);
  return put(place, data, bytes, self_);
}

/// The same block, bytes side by side and held here.
int BlockStore::packed(BlockView& block) {
  held_.push_back(new_memory(block.bytes));
  const int code = pack(block, held_.back().get(), self_);
  block = {held_.back().get(), block.bytes, nullptr};
  return code;
}

int BlockStore::copy_block(Buffer from_buffer, const BlockView& from, Buffer to_buffer,
                           std::uint64_t to) {
  BlockView block = from;
  if (to_buffer == Buffer::Scratch) {
    // Input stays as it is while the call runs; output may be written again, so it is copied.
    const int code = from_buffer == Buffer::Out ? packed(block) : MPI_SUCCESS;
    at(to_buffer, to) = block;
    return code;
  }
  const BlockPlace& place = buffers_.out[to];
  if (place.address == from.address && place.layout == from.layout) {  // in place
    at(to_buffer, to) = from;
    return MPI_SUCCESS;
  }
  if (from.layout == nullptr) return put_out(to, from.address, from.bytes);
  const int code = packed(block);
  return code != MPI_SUCCESS ? code : put_out(to, block.address, block.bytes);
}

int BlockStore::copy(const schedule::Op& op) {
  const std::vector<BlockView> from = read(op.from);
  const std::vector<std::uint64_t> to = units(op.to);
  expects(from.size() == to.size(), "BlockStore: a copy of another number of blocks");
  for (std::size_t b = 0; b < to.size(); ++b) {
    const int code = copy_block(op.from.buffer, from[b], op.to.buffer, to[b]);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

}  // namespace espalier::mpi
