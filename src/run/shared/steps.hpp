#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "shared/access.hpp"
#include "shared/geometry.hpp"

namespace espalier::shared {

/// The steps of one member of a segment: who may write when, and who waits for whom.
///
/// In a step a member may write what it has and raise the flag of its head; others wait for that
/// flag and read. When a member has done all its reading of a step it says so by its flag `left`.
/// What a step has written is overwritten by a later one only after all members have left that
/// step.
template <typename Access>
class Steps {
 public:
  /// @param steps that all members have done already, though not all may have left them
  Steps(std::byte* memory, const Geometry& geometry, std::uint32_t rank, Access access,
        std::uint64_t steps)
      : memory_(memory),
        geometry_(geometry),
        rank_(rank),
        access_(std::move(access)),
        step_(steps),
        counted_at_(steps),
        after_cells_(steps),
        after_slots_(steps) {}

 protected:
  [[nodiscard]] std::uint64_t* flag(std::uint64_t at) const {
    return reinterpret_cast<std::uint64_t*>(memory_ + at);
  }
  [[nodiscard]] std::uint64_t* head(std::uint32_t member) const {
    return flag(geometry_.head_at(member, step_));
  }
  /// The room for data that a member has in this step, as this call uses it.
  [[nodiscard]] std::byte* room(std::uint32_t member) const {
    return memory_ +
           (uses_cells_ ? geometry_.cell_at(member, step_) : geometry_.slot_at(member, step_));
  }
  /// Where data of this length lie: beside the flag if they fit.
  [[nodiscard]] std::byte* data(std::uint32_t member, std::uint64_t length) const {
    return length <= kInline
               ? memory_ + geometry_.head_at(member, step_) + 2 * sizeof(std::uint64_t)
               : room(member);
  }
  /// All but this one, beginning behind it: not all read from the same one at once.
  template <typename Visit>
  void for_others(Visit visit) const {
    for (std::uint32_t other = rank_ + 1; other < geometry_.members; ++other) visit(other);
    for (std::uint32_t other = 0; other < rank_; ++other) visit(other);
  }

  /// A part of `length` for each member, one behind the other.
  [[nodiscard]] std::byte* part(std::uint32_t writer, std::uint32_t reader,
                                std::uint64_t length) const {
    return data(writer, length * geometry_.members) + reader * length;
  }
  [[nodiscard]] std::uint64_t piece_of_each(std::uint64_t bytes, std::uint64_t element) const {
    return std::min(geometry_.piece(bytes, element), geometry_.piece_of_each(element));
  }

  /// A call begins. Those without steps do not count: members may leave them out.
  void count_call() {
    if (step_ != counted_at_) ++calls_;
    counted_at_ = step_;
  }
  /// @param piece the most that a member writes in a step
  /// @return the piece
  std::uint64_t begin(std::uint64_t signature, std::uint64_t bytes, std::uint64_t piece = 0) {
    count_call();
    // With the number of the call: members that have done different steps must not take an earlier
    // call like this one for it.
    signature_ = signature ^ (calls_ * 0x9e3779b97f4a7c15U);
    is_right_ = true;
    uses_cells_ = std::min(bytes, piece) <= geometry_.cell_bytes();
    return piece;
  }
  /// Likewise where a member writes a part for each.
  std::uint64_t begin_parts(std::uint64_t signature, std::uint64_t bytes, std::uint64_t element) {
    const std::uint64_t piece = piece_of_each(bytes, element);
    begin(signature, bytes * geometry_.members, piece * geometry_.members);
    return piece;
  }
  /// Waits until this member may write so many bytes in this step.
  void claim(std::uint64_t bytes) {
    if (bytes > kInline) {
      claim_room();
    } else {
      wait_until_left(not_below(geometry_.heads()));
    }
  }
  /// Likewise, in the room for data. Cells and slots are the same memory: whoever changes from
  /// the ones to the others waits until all have left the last step that used them.
  void claim_room() {
    if (uses_cells_) {
      wait_until_left(std::max(not_below(geometry_.heads()), after_slots_));
      after_cells_ = step_ + 1;
    } else {
      wait_until_left(std::max(not_below(geometry_.slots), after_cells_));
      after_slots_ = step_ + 1;
    }
  }
  /// How many steps all have left once the one `ring` steps before this one is left.
  [[nodiscard]] std::uint64_t not_below(std::uint64_t ring) const {
    return step_ + 1 > ring ? step_ + 1 - ring : 0;
  }
  /// Waits until all have left so many steps. Of a full ring of heads half is waited for: a writer
  /// that is ahead then goes on for many steps before it looks again.
  void wait_until_left(std::uint64_t steps) {
    if (steps <= left_by_all_) return;
    // Not the last two steps: this member may be in the midst of them.
    const std::uint64_t half = not_below(std::max<std::uint64_t>(geometry_.heads() / 2, 2));
    const std::uint64_t wanted = uses_cells_ ? std::max(steps, half) : steps;
    std::uint64_t least = step_;
    for_others([&](std::uint32_t other) {
      const std::uint64_t* const theirs = flag(geometry_.left_at(other));
      access_.wait(theirs, wanted);
      least = std::min(least, access_.load(theirs));
    });
    left_by_all_ = least;
  }
  void post() {
    std::uint64_t* const own_head = head(rank_);
    access_.write(reinterpret_cast<std::byte*>(own_head + 1),
                  reinterpret_cast<const std::byte*>(&signature_), sizeof signature_);
    access_.store(own_head, step_ + 1);
  }
  void await(std::uint32_t other) {
    const std::uint64_t* const theirs = head(other);
    access_.wait(theirs, step_ + 1);
    std::uint64_t found = 0;
    access_.read(reinterpret_cast<std::byte*>(&found),
                 reinterpret_cast<const std::byte*>(theirs + 1), sizeof found);
    if (found != signature_) is_right_ = false;
  }
  void await_all() {
    for_others([&](std::uint32_t other) { await(other); });
  }
  void leave() { access_.store(flag(geometry_.left_at(rank_)), ++step_); }

  /// Does the pieces of a call, a step each. Once some member was seen to do another call, this one
  /// waits for nobody any more: it only leaves its steps behind.
  template <typename Visit>
  void for_pieces(std::uint64_t bytes, std::uint64_t piece, Visit visit) {
    for (std::uint64_t at = 0; at < bytes; at += piece) {
      if (is_right_) visit(at, std::min(piece, bytes - at));
      leave();
    }
  }
  void put(const std::byte* from, std::uint64_t length) {
    access_.write(data(rank_, length), from, length);
  }
  void put_part(std::uint32_t other, const std::byte* from, std::uint64_t block,
                std::uint64_t length) {
    access_.write(part(rank_, other, length), from + other * block, length);
  }
  /// A part for each of the others.
  void put_parts(const std::byte* from, std::uint64_t block, std::uint64_t length) {
    for_others([&](std::uint32_t other) { put_part(other, from, block, length); });
  }
  static void own(const std::byte* from, std::byte* to, std::uint64_t length) {
    if (from != to) std::copy_n(from, length, to);
  }

  std::byte* memory_;
  Geometry geometry_;
  std::uint32_t rank_;
  Access access_;
  std::uint64_t step_;
  std::uint64_t calls_ = 0;        // calls before this one that had steps
  std::uint64_t counted_at_;       // step at which the last call began
  std::uint64_t left_by_all_ = 0;  // steps that all are known to have left
  std::uint64_t after_cells_;      // number behind the last step in which this one wrote a cell
  std::uint64_t after_slots_;      // likewise of slots
  std::uint64_t signature_ = 0;
  bool is_right_ = true;
  bool uses_cells_ = true;  // data of this call that are not beside their flag lie in cells
};

}  // namespace espalier::shared
