#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "schedule/schedule.hpp"
#include "verify/checks.hpp"
#include "verify/expressions.hpp"
#include "verify/interval_map.hpp"
#include "verify/verdict.hpp"

namespace espalier::verify {

/// What a stretch of a buffer holds: its unit u is the expression at coordinate u + shift (mod
/// 2^64) of the inputs.
struct SymbolicValue {
  ExprId expr = kUndefined;
  std::uint64_t shift = 0;
  friend bool operator==(const SymbolicValue&, const SymbolicValue&) = default;
};

/// Runs a schedule on symbols: every buffer of every rank as stretches of values. The cost is that
/// of the slices, whatever their length.
class SymbolicRun {
 public:
  SymbolicRun(const schedule::Schedule& schedule, const Traffic& traffic, Findings& findings);

  /// Lets the events happen in this order. A message is carried over when the later of its two ops
  /// begins. Reports reads of what is not there and reductions that must not be.
  void run(const std::vector<OpEvent>& order);

  [[nodiscard]] const IntervalMap<SymbolicValue>& buffer(Rank rank, schedule::Buffer which) const {
    return memory_[rank][static_cast<std::size_t>(which)];
  }
  [[nodiscard]] const Expressions& expressions() const { return expressions_; }
  /// Messages, units, bytes and reductions so far.
  [[nodiscard]] Statistics statistics() const;

 private:
  /// Some units in the order of the wire.
  struct Chunk {
    std::uint64_t length;
    ExprId expr;
    std::uint64_t coordinate;  // of the first unit
  };
  using Wire = std::vector<Chunk>;

  void read(OpId op, const schedule::Region& region, Wire& wire);
  void write(Rank rank, const schedule::Region& region, const Wire& wire);
  void carry(const Message& message);
  void reduce(OpId op);
  [[nodiscard]] Chunk combine(OpId op, const Chunk& left, const Chunk& right);
  [[nodiscard]] std::uint64_t elements(const Chunk& chunk) const;
  void report_undefined(OpId op, schedule::Buffer buffer, std::uint64_t begin, std::uint64_t end);
  void report_reduction(OpId op, const std::string& what, const std::string& expected);

  const schedule::Schedule& schedule_;
  const Traffic& traffic_;
  Findings& findings_;
  Expressions expressions_;
  std::vector<std::array<IntervalMap<SymbolicValue>, 3>> memory_;
  std::vector<std::uint64_t> elements_before_;  // v forms: of the blocks before each
  Wire from_, to_, result_;
  Statistics statistics_;
};

}  // namespace espalier::verify
