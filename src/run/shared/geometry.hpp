#pragma once

#include <cstdint>

namespace espalier::shared {

/// Flags that different processes write stand at least this far apart: two lines of 64 bytes, since
/// some processors fetch lines in pairs.
inline constexpr std::uint64_t kLine = 128;
/// Bytes that travel beside their flag, in the same line.
inline constexpr std::uint64_t kInline = kLine - 2 * sizeof(std::uint64_t);

/// How a segment of shared memory is divided. Every member owns a part that only it writes:
///
///   left                a line: how many steps this member has left behind, and a flag of calls
///                       by one copy (one_copy.hpp)
///   head 0 .. H-1       a line each: flag, signature of the call, the shortest data
///   room for data       S slots of slot_bytes each, or H cells: short data use parts of slots
///
/// Step s has head s mod H. Its data lie beside the flag, in cell s mod H or in slot s mod S. With
/// many heads and cells, a writer of short data may be far ahead of its readers: it then seldom
/// looks at what they have left, and ranks that share a core seldom take turns.
///
/// Before the parts stands a page: a nonce that tells the segment from any other, and how many
/// processes sleep.
struct Geometry {
  std::uint32_t members = 1;
  std::uint32_t slots = 8;           ///< a power of two
  std::uint64_t slot_bytes = 32768;  ///< a multiple of kLine for each cell
  std::uint32_t cells = 8;           ///< cells in the room of a slot, a power of two
  std::uint64_t sliced_from = 4096;  ///< shortest piece that three members reduce in slices

  static constexpr std::uint64_t kPage = 4096;
  [[nodiscard]] constexpr std::uint64_t heads() const { return std::uint64_t{slots} * cells; }
  [[nodiscard]] constexpr std::uint64_t cell_bytes() const { return slot_bytes / cells; }
  [[nodiscard]] constexpr std::uint64_t part_bytes() const {
    const std::uint64_t used = kLine * (1 + heads()) + slots * slot_bytes;
    return (used + kPage - 1) / kPage * kPage;
  }
  [[nodiscard]] constexpr std::uint64_t bytes() const { return kPage + members * part_bytes(); }
  [[nodiscard]] constexpr std::uint64_t left_at(std::uint32_t member) const {
    return kPage + member * part_bytes();
  }
  /// Beside it: read together with it.
  [[nodiscard]] constexpr std::uint64_t refused_at(std::uint32_t member) const {
    return left_at(member) + sizeof(std::uint64_t);
  }
  [[nodiscard]] constexpr std::uint64_t head_at(std::uint32_t member, std::uint64_t step) const {
    return left_at(member) + kLine * (1 + step % heads());
  }
  [[nodiscard]] constexpr std::uint64_t slot_at(std::uint32_t member, std::uint64_t step) const {
    return left_at(member) + kLine * (1 + heads()) + step % slots * slot_bytes;
  }
  [[nodiscard]] constexpr std::uint64_t cell_at(std::uint32_t member, std::uint64_t step) const {
    return left_at(member) + kLine * (1 + heads()) + step % heads() * cell_bytes();
  }
  /// Longest stretch of `bytes` that one step moves: whole elements, some four steps for messages
  /// that fit into few slots, so that writing and reading overlap.
  /// @pre element <= slot_bytes
  [[nodiscard]] constexpr std::uint64_t piece(std::uint64_t bytes, std::uint64_t element) const {
    constexpr std::uint64_t kShortest = 4096;
    std::uint64_t piece = bytes / 4 < kShortest ? kShortest : bytes / 4;
    if (piece > slot_bytes) piece = slot_bytes;
    if (piece < element) piece = element;
    return piece / element * element;
  }
  /// Likewise where a slot holds a part for every member. 0: it cannot hold an element each.
  [[nodiscard]] constexpr std::uint64_t piece_of_each(std::uint64_t element) const {
    return slot_bytes / members / element * element;
  }
  friend bool operator==(const Geometry&, const Geometry&) = default;
};

}  // namespace espalier::shared
