#pragma once

#include <array>
#include <map>
#include <span>
#include <vector>

#include "schedule/collective.hpp"
#include "schedule/program.hpp"

namespace espalier::schedule {

/// Writes a rank's program as if its steps ran one after the other, and works out by itself which
/// really have to wait for which: a step waits for the earlier steps that wrote what it reads or
/// writes, and for those that still read what it writes. All else may overlap, so segments pipeline
/// without the algorithms saying so.
///
/// A region or family of more than kMaxStretches stretches is taken for the whole span it covers:
/// steps may then wait for more than they need, never for less. Where two ranks send to each other
/// and then receive, a wait too many is a deadlock: so the limit is beyond what plans have.
class ProgramBuilder {
 public:
  static constexpr std::uint64_t kMaxStretches = 65536;

  explicit ProgramBuilder(Rank rank) { program_.rank = rank; }

  [[nodiscard]] Rank rank() const { return program_.rank; }
  /// Scratch for `units` more; returns its offset.
  std::uint64_t scratch(std::uint64_t units);
  /// A set for regions and peers; equal sets share one id.
  SetId set(const IndexSet& indices);

  /// The k-th message to a rank matches its k-th receive from here, as in MPI.
  void send(Rank to, const Region& from) { send(to, from, sent_[to]++); }
  void recv(Rank from, const Region& to) { recv(from, to, received_[from]++); }
  /// send() with the caller's tag, which must be used only once for each ordered pair of ranks.
  void send(Rank to, const Region& from, std::uint32_t tag);
  void recv(Rank from, const Region& to, std::uint32_t tag);
  /// One message for each peer of the set, its region shifted by peer * peer_stride.
  void send_each(const IndexSet& peers, const Region& from, std::uint64_t peer_stride,
                 std::uint32_t tag);
  void recv_each(const IndexSet& peers, const Region& to, std::uint64_t peer_stride,
                 std::uint32_t tag);
  /// to = from (op) to, or to = to (op) from. @pre equal numbers of units
  void reduce(const Region& from, const Region& to, Operands operands);
  /// @pre equal numbers of units
  void copy(const Region& from, const Region& to);
  /// From here on every step waits for all before it (a barrier has no data to wait for).
  void fence();

  [[nodiscard]] Program build() && { return std::move(program_); }

 private:
  using OpId = std::uint32_t;
  struct Interval {
    std::uint64_t begin, end;
  };
  /// Who last wrote a stretch of a buffer, and who has read it since.
  struct BufferUse {
    std::uint64_t end = 0;
    OpId writer = kNobody;
    std::vector<OpId> readers;
  };
  static constexpr OpId kNobody = ~OpId{0};
  using History = std::map<std::uint64_t, BufferUse>;  // begin -> stretch; stretches do not overlap

  [[nodiscard]] std::vector<Interval> intervals(const Region& region) const;
  [[nodiscard]] std::vector<Interval> intervals_of_family(const Op& op, const Region& region) const;
  void note_read(OpId op, Buffer buffer, std::span<const Interval> where, std::vector<OpId>& deps);
  void note_write(OpId op, Buffer buffer, std::span<const Interval> where, std::vector<OpId>& deps);
  static void split_at(History& history, std::uint64_t at);
  void add(Op op);

  Program program_;
  std::array<History, 3> history_;
  std::map<Rank, std::uint32_t> sent_, received_;
  OpId fence_begin_ = 0;  // every new op waits for the ops [fence_begin_, fence_end_)
  OpId fence_end_ = 0;
};

/// A plain slice.
[[nodiscard]] inline Region slice(Buffer buffer, std::uint64_t offset, std::uint64_t length) {
  return {buffer, offset, length, {}, {}};
}

}  // namespace espalier::schedule
