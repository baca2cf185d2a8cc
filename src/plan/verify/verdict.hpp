#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace espalier::verify {

enum class FindingKind : std::uint8_t {
  Malformed,       ///< ids, dependencies or sizes that no program can have
  OutOfBounds,     ///< a slice reaches beyond its buffer
  WritesInput,     ///< an op writes to In, the user's const send buffer
  SelfMessage,     ///< a rank sends a message to itself
  Overlap,         ///< slices of one op share units, one of them written
  NoPartner,       ///< a send without its receive, or a receive without its send
  RepeatedTag,     ///< two messages of one pair of ranks with one tag
  LengthMismatch,  ///< a receive of another length than its send
  Deadlock,        ///< ops that wait for each other when sends are synchronous
  Race,            ///< two ops of a rank share units, one writes, no order between them
  Undefined,       ///< an op reads what nobody has written
  WrongReduction,  ///< an op combines the wrong operands, or in the wrong order
  WrongResult,     ///< an output unit does not hold what the operation promises
  DifferentBits,   ///< allreduce: two ranks combine in different order
  EarlyExit,       ///< a barrier that lets a rank go before all have come
};
inline constexpr int kFindingKindCount = 15;

/// "wrong-result": as JSON, tables and tests call it.
[[nodiscard]] std::string_view name_of(FindingKind kind);

/// The stages of the verifier, in the order in which they run (docs/verification.md).
enum class Stage : std::uint8_t {
  Structure,    ///< each op alone: ids, dependencies, lengths, slices within their buffers
  Matching,     ///< every send has its receive
  Progress,     ///< no deadlock, even if no message is buffered
  Races,        ///< ops of a rank that share units are ordered
  Data,         ///< every output unit holds what the operation promises
  RankOrder,    ///< done within Data, for operators that do not commute: operands in rank order
  SameBits,     ///< done within Data, for allreduce: all ranks combine in the same order
  BarrierExit,  ///< no rank leaves a barrier before all have entered
};
inline constexpr int kStageCount = 8;

/// "rank order": as tables and JSON call it.
[[nodiscard]] std::string_view name_of(Stage stage);

inline constexpr std::uint32_t kNoOp = std::numeric_limits<std::uint32_t>::max();

/// One thing that is wrong, in an engineer's words.
struct Finding {
  FindingKind kind = FindingKind::Malformed;
  Rank rank = kNoRank;       ///< rank whose program is wrong; kNoRank: the call itself
  std::uint32_t op = kNoOp;  ///< op of that program; kNoOp: the program as a whole
  std::string found;
  std::string expected;
  /// Which stage found it; findings of RankOrder and SameBits carry Data.
  Stage stage = Stage::Structure;
  friend bool operator==(const Finding&, const Finding&) = default;
};

/// "rank 3, op 7: wrong-reduction: found ...; expected ..."
[[nodiscard]] std::string to_string(const Finding& finding);
std::ostream& operator<<(std::ostream& out, const Finding& finding);

struct Statistics {
  std::uint64_t ops = 0;
  std::uint64_t messages = 0;
  std::uint64_t units = 0;  ///< units that all messages carry
  Bytes bytes;              ///< bytes that all messages carry; in v forms the lengths of the blocks
  std::uint64_t reduced_units = 0;  ///< units that reductions combine
  std::uint64_t expressions = 0;    ///< different partial reductions on all ranks
  friend bool operator==(const Statistics&, const Statistics&) = default;
};

struct Verdict {
  std::vector<Finding> findings;  ///< the first findings, no more than Limits::findings
  std::uint64_t left_off = 0;     ///< number of further findings, which are not kept
  /// Stages that ran, in order. A stage that the next ones stand on ends the list if it refused.
  std::vector<Stage> stages;
  Statistics statistics;  ///< complete only if ok()
  /// Reductions: how every output unit of every rank is put together: which operands, in which
  /// order, with which parentheses. Two correct schedules of one call give the same bits whatever
  /// the data if (and, but for a chance of 2^-64, only if) this is the same.
  std::uint64_t association = 0;
  /// Reductions: all units of a rank's output (reduce, allreduce, reduce-scatter: of all ranks'
  /// outputs) are put together in one way, so that bits do not depend on a unit's place.
  bool one_association = false;
  /// False: only structure, matching and progress were looked at (verify_progress).
  bool data_checked = false;

  [[nodiscard]] bool ok() const { return findings.empty(); }
};

/// One line for each finding.
[[nodiscard]] std::string to_string(const Verdict& verdict);
std::ostream& operator<<(std::ostream& out, const Verdict& verdict);

/// Keeps the first few findings and counts the others.
class Findings {
 public:
  struct Words {
    std::string found;
    std::string expected;
  };

  explicit Findings(std::size_t limit) : limit_(limit) {}

  /// `words()` is called only if there is still room.
  template <typename MakeWords>
  void add(FindingKind kind, Rank rank, std::uint32_t op, MakeWords words) {
    if (full()) {
      ++left_off_;
      return;
    }
    Words w = words();
    kept_.push_back({kind, rank, op, std::move(w.found), std::move(w.expected), stage()});
  }
  /// From here on, findings belong to this stage.
  void enter(Stage stage) { stages_.push_back(stage); }
  [[nodiscard]] bool none() const { return kept_.empty() && left_off_ == 0; }
  /// Whether the next one would only be counted.
  [[nodiscard]] bool full() const { return kept_.size() >= limit_; }
  void hand_over(Verdict& verdict) &&;

 private:
  [[nodiscard]] Stage stage() const { return stages_.empty() ? Stage::Structure : stages_.back(); }

  std::size_t limit_;
  std::vector<Finding> kept_;
  std::vector<Stage> stages_;
  std::uint64_t left_off_ = 0;
};

}  // namespace espalier::verify
