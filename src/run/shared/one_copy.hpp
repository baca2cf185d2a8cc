#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "shared/peer_memory.hpp"
#include "shared/steps.hpp"

namespace espalier::shared {

/// How often data are copied on their way from one member to another.
enum class Copies : std::uint8_t {
  Two,  ///< the writer copies into a slot, the reader out of it
  One   ///< the reader copies, straight from where the writer has them
};

/// Calls that move blocks by one copy: readers read straight from the memory of the writer's
/// process.
///
/// A call has one step more than through slots. Step s, the first one:
///   1. A writer raises the flag of its head, and beside it shows where its data are.
///   2. A reader reads from there, and leaves the step. If it could not read it raises its flag
///      `refused` to s + 1 before that.
///   3. A writer waits until all readers have left the step. Nobody reads its data any more.
/// If all could read, that is all: each member leaves the other steps at once. Else every writer
/// does these as if there was no first one, and readers take from slots what they could not read.
/// A writer may also show nothing, and write its slots.
///
/// Nobody waits for ever: writers show before they wait, and readers wait for that alone before
/// they leave. A writer leaves the step before it waits for others, since these may be in a call of
/// another kind, and wait for it.
template <typename Access>
class OneCopy : protected Steps<Access> {
 public:
  /// Whether the process of another member was found to be gone in the last call, which failed.
  [[nodiscard]] bool has_lost_member() const { return !lost_.empty(); }

 protected:
  using Base = Steps<Access>;
  using Base::access_, Base::await, Base::begin, Base::begin_parts, Base::claim, Base::data;
  using Base::Base;
  using Base::flag, Base::for_others, Base::for_pieces, Base::geometry_, Base::is_right_;
  using Base::leave, Base::own, Base::part, Base::post, Base::put, Base::put_parts, Base::rank_;
  using Base::step_;

  /// Which blocks a call moves.
  struct Moves {
    bool is_rooted = false;    ///< the root alone writes, or reads
    bool root_writes = false;  ///< it writes
    bool has_parts = false;    ///< a writer has a block for each member
    bool collects = false;     ///< a reader has room for a block of each member
    std::uint32_t root = 0;
  };
  /// A member's blocks.
  struct Blocks {
    const std::byte* in = nullptr;
    std::byte* out = nullptr;
    std::uint64_t bytes = 0;  ///< length of each block
  };

  /// @pre has_parts: geometry().piece_of_each(1) > 0
  bool move(std::uint64_t signature, const Moves& moves, const Blocks& blocks) {
    const std::uint64_t bytes = blocks.bytes;
    const std::uint64_t piece = begin_moves(signature, moves, bytes);
    from_slots_.clear();
    lost_.clear();
    if (bytes == 0) return true;
    const std::uint64_t first = step_;
    const std::uint64_t end = first + 1 + (bytes + piece - 1) / piece;
    const bool is_writer = writes(moves, rank_);
    const bool is_reader = reads(moves, rank_);
    // What is overwritten by what comes cannot be read meanwhile.
    const bool is_overwritten = moves.has_parts && moves.collects && blocks.in == blocks.out;
    if (is_writer) show_address(is_overwritten ? nullptr : blocks.in);
    move_own(moves, blocks);
    if (is_reader) read_blocks(moves, blocks, is_overwritten);
    if (!is_right_ || (!is_writer && from_slots_.empty())) {
      leave_until(end);
      return is_right_ && lost_.empty();
    }
    leave();
    const bool writes_slots = is_writer && (await_readers(moves, first) || is_overwritten);
    const bool needs_slots = writes_slots || !from_slots_.empty();
    if (needs_slots && lost_.empty()) {
      move_through_slots(moves, blocks, piece, writes_slots);
    } else {
      leave_until(end);
    }
    return is_right_ && lost_.empty();
  }

 private:
  [[nodiscard]] static bool writes(const Moves& moves, std::uint32_t member) {
    return !moves.is_rooted || (member == moves.root) == moves.root_writes;
  }
  [[nodiscard]] static bool reads(const Moves& moves, std::uint32_t member) {
    return !moves.is_rooted || (member == moves.root) != moves.root_writes;
  }

  /// Through slots a call has another signature: members that disagree get an error.
  std::uint64_t begin_moves(std::uint64_t signature, const Moves& moves, std::uint64_t bytes) {
    constexpr std::uint64_t kOneCopy = 0x5851f42d4c957f2dU;
    const std::uint64_t own_signature = signature ^ kOneCopy;
    return moves.has_parts ? begin_parts(own_signature, bytes, 1)
                           : begin(own_signature, bytes, geometry_.piece(bytes, 1));
  }
  void show_address(const std::byte* shown) {
    const auto address = reinterpret_cast<std::uint64_t>(shown);
    claim(sizeof address);
    put(reinterpret_cast<const std::byte*>(&address), sizeof address);
    post();
  }
  [[nodiscard]] std::uint64_t shown_address(std::uint32_t writer) {
    std::uint64_t address = 0;
    access_.read(reinterpret_cast<std::byte*>(&address), data(writer, sizeof address),
                 sizeof address);
    return address;
  }
  [[nodiscard]] std::byte* place_of(const Moves& moves, const Blocks& blocks,
                                    std::uint32_t writer) const {
    return blocks.out + (moves.collects ? writer * blocks.bytes : 0);
  }

  /// The block of the root, or of every member, that stays with its member.
  void move_own(const Moves& moves, const Blocks& blocks) {
    const bool has_own = moves.has_parts || moves.collects;
    if (!has_own || (moves.is_rooted && rank_ != moves.root)) return;
    own(blocks.in + (moves.has_parts ? rank_ * blocks.bytes : 0), place_of(moves, blocks, rank_),
        blocks.bytes);
  }

  void read_blocks(const Moves& moves, const Blocks& blocks, bool is_overwritten) {
    bool is_refused = false;
    for_others([&](std::uint32_t writer) {
      if (!writes(moves, writer) || !is_right_) return;
      await(writer);
      if (!is_right_) return;
      const std::uint64_t shown = shown_address(writer);
      if (shown != 0 && !is_overwritten) {
        const PeerRead read =
            access_.read_peer(writer, place_of(moves, blocks, writer),
                              shown + (moves.has_parts ? rank_ : 0) * blocks.bytes, blocks.bytes);
        if (read == PeerRead::Gone) lost_.push_back(writer);
        if (read != PeerRead::Refused) return;
      }
      is_refused |= shown != 0;
      from_slots_.push_back(writer);
    });
    if (is_refused && is_right_) access_.store(flag(geometry_.refused_at(rank_)), step_ + 1);
  }

  /// Waits until nobody reads this member's data any more.
  /// @return whether some reader could not
  [[nodiscard]] bool await_readers(const Moves& moves, std::uint64_t step) {
    bool is_refused = false;
    for_others([&](std::uint32_t reader) {
      const bool is_lost = std::find(lost_.begin(), lost_.end(), reader) != lost_.end();
      if (is_lost || !reads(moves, reader)) return;
      access_.wait(flag(geometry_.left_at(reader)), step + 1);
      is_refused |= access_.load(flag(geometry_.refused_at(reader))) == step + 1;
    });
    return is_refused;
  }

  void move_through_slots(const Moves& moves, const Blocks& blocks, std::uint64_t piece,
                          bool writes_slots) {
    for_pieces(blocks.bytes, piece, [&](std::uint64_t at, std::uint64_t length) {
      if (writes_slots) {
        claim(length * (moves.has_parts ? geometry_.members : 1));
        if (moves.has_parts) {
          put_parts(blocks.in + at, blocks.bytes, length);
        } else {
          put(blocks.in + at, length);
        }
        post();
      }
      for (const std::uint32_t writer : from_slots_) {
        await(writer);
        access_.read(place_of(moves, blocks, writer) + at,
                     moves.has_parts ? part(writer, rank_, length) : data(writer, length), length);
      }
    });
  }

  /// Leaves all steps up to this number.
  void leave_until(std::uint64_t steps) {
    step_ = steps;
    access_.store(flag(geometry_.left_at(rank_)), step_);
  }

  std::vector<std::uint32_t> from_slots_;  // writers whose data this member takes from slots
  std::vector<std::uint32_t> lost_;        // members whose process was found to be gone
};

}  // namespace espalier::shared
