#pragma once

#include <atomic>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mpi/communicator.hpp"

namespace espalier::mpi {

/// What a process counted and found out: calls on communicators that are gone, decisions, its own
/// cost. For ESPALIER_EXPLAIN, ESPALIER_VERDICTS and tests. Whoever owns it guards it, but for
/// note_passed().
class Ledger {
 public:
  /// @param passed functions that note_passed() counts
  Ledger(std::span<const runtime::PassedFunction> passed, const World& world);
  /// What the start cost.
  void note_start(double seconds, std::int64_t bytes);

  /// Counts a native call of a function. Any thread may do so.
  /// @param why absent: by the kind of the function
  void note_passed(std::size_t which, std::optional<runtime::Reason> why = {}) {
    const auto reason = static_cast<std::size_t>(why.value_or(functions_[which].why));
    passed_[which * runtime::kReasonCount + reason].fetch_add(1, std::memory_order_relaxed);
  }
  /// Takes over what is known of a communicator that goes, or does without plans from now on.
  void close(const Communicator& comm);
  /// Memory of the plans of all communicators at a time.
  void note_plan_bytes(std::uint64_t bytes);
  /// Decisions of earlier runs, to which this run's are added.
  /// @param decided when the first of those that were kept was made; 0: none were
  void take_verdicts(const runtime::Verdicts& earlier, std::int64_t decided = 0) {
    verdicts_ = earlier;
    if (decided != 0) decided_ = decided;
  }

  /// See Registry::count(): what there was, together with communicators that are there.
  [[nodiscard]] std::uint64_t count(const std::string& name,
                                    std::span<const Communicator* const> live) const;
  /// Prints ESPALIER_EXPLAIN.
  void explain(const HiddenShare& share);
  /// Writes ESPALIER_VERDICTS, and what the next run on these nodes begins with.
  /// @param start the file for that; empty: nothing is kept
  void keep_verdicts(const std::string& start) const;

 private:
  [[nodiscard]] std::vector<runtime::PassedCalls> passed() const;
  static void add(std::vector<LevelCount>& sum, std::span<const LevelCount> more);

  std::span<const runtime::PassedFunction> functions_;
  std::vector<std::atomic<std::uint64_t>> passed_;  // by function, then by reason
  const World& world_;
  runtime::CallCounts counts_;
  runtime::CallLog log_;
  std::vector<runtime::TrialRecord> trials_;
  std::vector<runtime::StartRecord> starts_;
  runtime::Verdicts verdicts_;
  std::int64_t decided_ = 0;    // when the oldest of them was made; 0: in this run
  bool links_changed_ = false;  // some link is no longer as the machine says
  std::vector<LevelCount> sent_;
  std::uint64_t most_unconfirmed_ = 0;  // of communicators that are gone
  runtime::Footprint footprint_;
};

}  // namespace espalier::mpi
