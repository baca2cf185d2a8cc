#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "mpi/block_buffers.hpp"
#include "schedule/program.hpp"

namespace espalier::mpi {

using Memory = std::unique_ptr<std::byte[]>;
/// Memory that is not initialised: it is written before it is read.
[[nodiscard]] inline Memory new_memory(std::uint64_t bytes) { return Memory(new std::byte[bytes]); }

/// Bytes side by side, to be sent from or received into.
struct Segment {
  std::byte* address = nullptr;
  std::uint64_t bytes = 0;
};
[[nodiscard]] std::uint64_t bytes_of(std::span<const Segment> segments);

/// Blocks that are about to come: where their bytes shall go.
struct Arrival {
  std::vector<Segment> blocks;  ///< where each block goes
  Memory staged;                ///< memory of blocks that cannot be received into the user's buffer
};

/// All blocks of one rank while a call runs. A unit of Scratch only refers to a block, in the
/// user's input or received. So passing on copies nothing, and a rank holds only what passes
/// through it.
class BlockStore {
 public:
  /// @pre the program has no reductions, and outlives it
  BlockStore(const schedule::Program& program, BlockBuffers buffers, const SelfLane& self);

  /// What is in a region, in its order.
  [[nodiscard]] std::vector<BlockView> read(const schedule::Region& region) const;

  /// Where to receive blocks of these lengths: in the user's buffer if they fit and are contiguous.
  [[nodiscard]] Arrival expect(const schedule::Region& region,
                               std::span<const std::uint64_t> lengths) const;
  /// Takes blocks that have come. A block that is longer than the user's place for it is kept for
  /// passing on but not written; overflowed() is true from then on. @return an MPI error code
  [[nodiscard]] int arrived(const schedule::Region& region, std::span<const std::uint64_t> lengths,
                            Arrival arrival);

  /// Runs a Copy step. @return an MPI error code
  [[nodiscard]] int copy(const schedule::Op& op);

  /// Whether some block was longer than the user's place for it.
  [[nodiscard]] bool overflowed() const { return overflowed_; }

 private:
  [[nodiscard]] std::vector<std::uint64_t> units(const schedule::Region& region) const;
  [[nodiscard]] BlockView& at(schedule::Buffer buffer, std::uint64_t unit) {
    return blocks_[static_cast<std::size_t>(buffer)][unit];
  }
  [[nodiscard]] int put_out(std::uint64_t unit, const std::byte* data, std::uint64_t bytes);
  [[nodiscard]] int copy_block(schedule::Buffer from_buffer, const BlockView& from,
                               schedule::Buffer to_buffer, std::uint64_t to);
  [[nodiscard]] int packed(BlockView& block);

  const schedule::Program& program_;
  BlockBuffers buffers_;
  SelfLane self_;
  std::array<std::vector<BlockView>, 3> blocks_;  // by buffer; Out has what came so far
  std::vector<Memory> held_;  // memory that blocks_ refers to, besides the user's
  bool overflowed_ = false;
};

}  // namespace espalier::mpi
