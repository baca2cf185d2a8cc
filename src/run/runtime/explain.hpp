#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/types.hpp"
#include "schedule/collective.hpp"

namespace espalier::runtime {

/// Why a call was native. docs/runtime.md ("Which calls are native") explains each.
enum class Reason : std::uint8_t {
  OneProcess,
  Intercommunicator,
  OutsideWorld,
  OneLevel,
  NoGain,
  NoPlan,
  TypeOrOperation,
  Arguments,
  FirstCalls,
  NotAgreed,
  SwitchedOff,
  NonBlocking,
  Persistent,
  Neighbourhood,
  LargeCounts,
  MachineUnknown,
  Trial,
  Slower,
  BeingFreed,
  ManyThreads,
  Named,
  // Of calls that do not block: what is missing for a plan.
  NoCallBefore,
  NoFarLink,
  NotCompared,
  BlockingTrial,
  NoLead,
  StartWaits,
  ThroughMemory,
  AfterFailure,
};
inline constexpr int kReasonCount = 29;
[[nodiscard]] std::string_view name_of(Reason reason);
/// Whether this reason holds for all later calls like this one on the same communicator.
[[nodiscard]] constexpr bool is_for_good(Reason reason) {
  return reason == Reason::OneProcess || reason == Reason::OutsideWorld ||
         reason == Reason::OneLevel || reason == Reason::NoGain || reason == Reason::Slower ||
         reason == Reason::NotAgreed || reason == Reason::SwitchedOff || reason == Reason::Named ||
         reason == Reason::AfterFailure;
}

/// An MPI function whose native calls are counted by its name.
struct PassedFunction {
  std::string_view name;
  Reason why{};  ///< why they are native, by its kind; some have more to say
};
struct PassedCalls {
  PassedFunction function;
  std::uint64_t calls = 0;
};

/// What Espalier itself costs, as far as it knows; without memory of the MPI library.
struct Footprint {
  double start_ms = 0;           ///< time in MPI_Init, waiting for other ranks included
  std::int64_t start_bytes = 0;  ///< how much the process grew meanwhile (resident)
  double discover_ms = 0;        ///< time to find and measure the machine; 0 if that was not done
  std::uint64_t plan_bytes = 0;  ///< sum over communicators of the most that each one's plans took
  std::uint64_t staging_bytes = 0;      ///< most bytes of copies and partial results in one call
  int hidden = 0;                       ///< most hidden communicators at a time
  std::vector<std::string> found = {};  ///< what discovery said of the machine, a sentence each
  std::string came_in = {};             ///< when plans came in, in words; empty: from the start on
  double own_seconds = 0;          ///< time of our own work: start, finding, agreements, joining
  double ran_seconds = 0;          ///< time that the program has run
  double regret_seconds = 0;       ///< time that calls of trials took beyond that of the best plan
  std::uint64_t shared_bytes = 0;  ///< most shared memory that this process owned
  /// Bytes that the widest far link carries in a round trip, where memory allowed fewer to be under
  /// way; 0: nowhere.
  std::uint64_t held_back_bytes = 0;
  std::uint64_t leaving_bytes = 0;  ///< what may be on its way to a rank far away
  /// Communicators that could have no shared memory, and why, a sentence each.
  std::vector<std::string> without_shared = {};
  /// Where all ranks are equally near, a trial begins with this call of a class; 0: no trials.
  std::uint32_t first_trial = 0;
};

/// All calls of one kind on one communicator that ran alike.
struct CallRecord {
  std::string communicator;
  schedule::Operation operation = schedule::Operation::Barrier;
  std::uint32_t size_class = 0;
  std::string plan;  ///< "native" if it was
  std::string why;
  std::uint64_t calls = 0;
  double predicted_us = -1;  ///< predicted time of a call; negative: unknown
  double measured_us = 0;    ///< time of all calls together; negative: they are not timed
};

/// Counts of one communicator, or of several added up. Programs make thousands of communicators and
/// call few operations on each: only those have counts of native calls.
struct CallCounts {
  using ByReason = std::array<std::uint64_t, kReasonCount>;
  std::array<std::uint64_t, schedule::kAnyOperationCount> planned{};

  /// Stays where it is.
  [[nodiscard]] std::uint64_t& native(schedule::Operation operation, Reason reason) {
    auto& calls = native_[static_cast<std::size_t>(operation)];
    if (calls == nullptr) calls = std::make_unique<ByReason>();
    return (*calls)[static_cast<std::size_t>(reason)];
  }
  [[nodiscard]] const ByReason& native(schedule::Operation operation) const;
  void add(const CallCounts& other);
  [[nodiscard]] std::uint64_t planned_calls() const;
  [[nodiscard]] std::uint64_t native_calls() const;

 private:
  std::array<std::unique_ptr<ByReason>, schedule::kAnyOperationCount> native_{};
};

/// Records by (operation, size class, communicator, plan, why); beyond a bound new communicators
/// share one line, so that a program that makes thousands of them does not run out of memory.
class CallLog {
 public:
  void add(const CallRecord& record);
  void merge(const CallLog& other);
  [[nodiscard]] std::vector<CallRecord> records() const;

 private:
  static constexpr std::size_t kMaxRecords = 1000;
  using Key = std::tuple<schedule::Operation, std::uint32_t, std::string, std::string, std::string>;
  std::map<Key, CallRecord> records_;
};

/// The sizes of a class: "64 - 128 KiB" (128 KiB is not in it), "512 - 1023 B" (1023 B is), "0 B".
[[nodiscard]] std::string size_class_text(std::uint32_t size_class);
/// Seconds, in the unit that people would take and three digits: "35.9 ms"; "-" for what is
/// negative or infinite.
[[nodiscard]] std::string time_text(double seconds);

/// What ESPALIER_EXPLAIN prints at the end.
[[nodiscard]] std::string explain_text(const CallCounts& counts,
                                       std::span<const PassedCalls> passed, const CallLog& log,
                                       const Footprint& footprint);
/// Writes an explanation where ESPALIER_EXPLAIN says: "1" is standard error, else it is a file.
void write_explanation(const std::string& where, std::string_view text);

}  // namespace espalier::runtime
