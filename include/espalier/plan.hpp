#pragma once

// Plans as values: how a call runs on a machine, message by message. Choose one, or name it; prove
// it, predict it, simulate it, hold it against what no plan can beat, write it down.
//
//   espalier::Call call{.operation = espalier::Operation::Broadcast, .count = 1 << 20};
//   auto plan = espalier::choose_plan(machine, call);
//   plan->name();              // "multilevel flat/binomial 64 KiB"
//   plan->verify().ok();       // every rank ends with the right data, nothing waits for ever
//   plan->simulate().finish;   // with links shared
//   espalier::lower_bound(machine, call)->time;

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "espalier/call.hpp"
#include "espalier/machine.hpp"

namespace espalier {

/// What the verifier found (docs/verification.md).
struct Verdict {
  std::vector<std::string> findings;  ///< "rank 3, op 7: wrong-result: found ...; expected ..."
  std::uint64_t left_off = 0;         ///< findings beyond those listed
  std::uint64_t messages = 0;         ///< the plan's messages; incomplete unless ok()
  Bytes bytes;                        ///< the plan's bytes; incomplete unless ok()
  [[nodiscard]] bool ok() const { return findings.empty(); }
};

struct SimulationOptions {
  /// Messages from this size on wait for their receiver.
  Bytes eager_limit{64 * 1024};
  /// When each rank enters the call; empty: all at 0.
  std::vector<Time> skew = {};
  /// Links are shared exactly (max-min), or, some ten times faster, one bottleneck at a time.
  bool exact = true;
};

/// What a simulation says (docs/simulation.md).
struct Simulation {
  struct Level {
    std::uint64_t messages = 0;
    Bytes bytes;
    friend bool operator==(const Level&, const Level&) = default;
  };
  Time finish;                    ///< when the last rank is done; kForever: one never ends
  std::vector<Time> rank_finish;  ///< when each rank is done
  std::vector<Level> levels;      ///< what crossed each level of the machine
  std::string bottleneck;         ///< "uplink out of anl"; empty: nothing limited was used
  bool exact = true;              ///< whether links were shared exactly
  friend bool operator==(const Simulation&, const Simulation&) = default;
};

/// A time that no plan can beat on this machine, and why.
struct LowerBound {
  Time time;
  std::string why;   ///< "1 MiB must leave site anl at 100 Mbit/s, nothing arrives before 30 ms"
  std::string json;  ///< the same with all that a proof needs (docs/formats.md)
};

class PlanInside;

/// Most messages of a plan that is simulated, as in the tool: some ten seconds.
inline constexpr std::uint64_t kMostSimulated = std::uint64_t{1} << 21U;
/// Most messages of a plan that is drawn.
inline constexpr std::uint64_t kMostDrawn = std::uint64_t{1} << 17U;
/// Most messages of a plan that the tool writes down or proves as a whole.
inline constexpr std::uint64_t kMostWritten = std::uint64_t{1} << 18U;

/// A plan for a call on a machine. Never changes; copies share it. It keeps its machine.
class [[gnu::visibility("default")]] Plan {
 public:
  /// "multilevel exchange/binomial 64 KiB", "ring": unique among the plans of a call.
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const Machine& machine() const;
  [[nodiscard]] const Call& call() const;
  /// Whether it goes by the machine's levels.
  [[nodiscard]] bool knows_topology() const;
  /// What each level that has a choice does, outermost first; empty for plans that know no levels.
  [[nodiscard]] std::vector<std::string> per_level() const;
  /// Predicted time, by closed forms. For calls with counts: by simulation if they are a
  /// scatter or gather, else that of blocks of the mean length. Nothing for plans that were read.
  [[nodiscard]] std::optional<Time> predicted() const;

  /// About as many messages as all ranks send. What follows makes all of them: a long message has
  /// millions, so ask before.
  [[nodiscard]] std::uint64_t messages() const;
  /// Proves that it does what the call asks for, in every order that its programs allow and under
  /// any buffering of messages; or says what is wrong. Time grows with the messages of all ranks.
  [[nodiscard]] Verdict verify() const;
  /// When each rank would be done, and what holds it up. An error if skew has another size than
  /// the machine, or if there are more messages than kMostSimulated. Where too many messages share
  /// links at once, they are shared one bottleneck at a time: see Simulation::exact.
  [[nodiscard]] Expected<Simulation> simulate(const SimulationOptions& options = {}) const;
  /// All ranks' programs in the form espalier-schedule-1 of docs/formats.md.
  [[nodiscard]] std::string to_json() const;
  /// The same on every computer for equal plans, and only for them (but for a chance of 2^-64).
  [[nodiscard]] std::uint64_t hash() const;

  /// Internal.
  explicit Plan(std::shared_ptr<const PlanInside> inside) : inside_(std::move(inside)) {}
  [[nodiscard]] const std::shared_ptr<const PlanInside>& inside() const { return inside_; }

 private:
  std::shared_ptr<const PlanInside> inside_;
};

/// Plans that go by the lengths of a scatter's or gather's blocks are made for up to so many ranks.
inline constexpr Rank kMostByLengths = 2048;

/// The plan that is predicted to be the fastest. Errors: a call that makes no sense on the machine
/// (its root, its counts), more ranks than kMostByLengths where these matter.
[[nodiscard, gnu::visibility("default")]] Expected<Plan> choose_plan(const Machine& machine,
                                                                     const Call& call);
/// Every plan for the call, by predicted times; the first is choose_plan()'s.
[[nodiscard, gnu::visibility("default")]] Expected<std::vector<Plan>> all_plans(
    const Machine& machine, const Call& call);
/// The one of this name: "ring", "binomial 16 KiB". The error names those that there are.
[[nodiscard, gnu::visibility("default")]] Expected<Plan> plan_named(const Machine& machine,
                                                                    const Call& call,
                                                                    const std::string& name);
/// Reads a plan that to_json() wrote, or another tool in that form. It is not verified,
/// but calls with `counts` must keep within their buffers: simulations follow every block.
[[nodiscard, gnu::visibility("default")]] Expected<Plan> read_plan(const Machine& machine,
                                                                   const std::string& json);

/// The bound holds for any call, root, placement and lengths of blocks. Up to O(ranks^2 * depth).
[[nodiscard, gnu::visibility("default")]] Expected<LowerBound> lower_bound(const Machine& machine,
                                                                           const Call& call);

}  // namespace espalier
