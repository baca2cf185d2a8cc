#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// Where the blocks 0 .. n-1 of the participants lie in one buffer; block p is that of position p.
///
/// A block is a number of members of `unit` units each; member m begins at offset + m * unit. So
/// the blocks of a call, the uneven pieces of one vector (some of them empty) and what whole
/// clusters of scattered ranks have together are told alike, and any list of blocks is one Region.
class BlockLayout {
 public:
  /// Block p is [offset + p * block, + block).
  static BlockLayout uniform(schedule::Buffer buffer, std::uint64_t offset, Rank blocks,
                             std::uint64_t block);
  /// A vector cut into pieces that differ by at most one unit, the longer ones first.
  /// @pre whole is a plain slice
  static BlockLayout split(const schedule::Region& whole, Rank blocks);
  /// Block p is the members of set p, in that order: say, the blocks of all ranks of a cluster.
  static BlockLayout bundles(schedule::Buffer buffer, std::uint64_t offset, std::uint64_t unit,
                             std::span<const schedule::IndexSet> members);

  [[nodiscard]] Rank blocks() const { return blocks_; }
  /// One member a block, in order: all blocks are equally long.
  [[nodiscard]] bool is_uniform() const { return first_run_.empty(); }
  [[nodiscard]] std::uint64_t units(const schedule::IndexSet& which) const;
  /// Units of `count` blocks from `first` on, around the end.
  [[nodiscard]] std::uint64_t units(Rank first, Rank count = 1) const;
  [[nodiscard]] std::uint64_t longest() const;

  /// The region of these blocks in this order. A plain slice where they lie side by side, of length
  /// 0 where there is nothing.
  [[nodiscard]] schedule::Region region(schedule::ProgramBuilder& program,
                                        const schedule::IndexSet& which) const;
  [[nodiscard]] schedule::Region region(schedule::ProgramBuilder& program, Rank first,
                                        Rank count = 1) const;

  /// A layout of these blocks side by side in scratch, numbered from 0 as listed.
  [[nodiscard]] BlockLayout packed(const schedule::IndexSet& which, std::uint64_t scratch) const;

  /// `count` blocks from `first` on, around the end. @pre count <= blocks
  [[nodiscard]] schedule::IndexSet around(Rank first, Rank count) const;

  friend bool operator==(const BlockLayout&, const BlockLayout&) = default;

 private:
  [[nodiscard]] schedule::IndexSet members_of(const schedule::IndexSet& which) const;
  [[nodiscard]] std::span<const schedule::IndexRun> runs_of(std::uint64_t block) const;

  schedule::Buffer buffer_ = schedule::Buffer::In;
  std::uint64_t offset_ = 0;
  std::uint64_t unit_ = 0;
  Rank blocks_ = 0;
  std::vector<schedule::IndexRun> runs_;  // runs of members, block after block; empty if uniform
  std::vector<std::uint32_t>
      first_run_;  // [block] index of its first run; one more entry ends the last block
};

}  // namespace espalier::collective
