#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bound/lower_bound.hpp"
#include "report/draw_machine.hpp"
#include "schedule/schedule.hpp"
#include "select/chooser.hpp"
#include "select/formula.hpp"
#include "select/native_model.hpp"
#include "select/simulated_times.hpp"
#include "sim/result.hpp"

namespace espalier::cli {

/// One plan of a call.
struct PlanRow {
  select::Choice choice;
  /// Absent if it was too much work.
  std::optional<sim::SimResult> simulated;
  /// Simulated time: of all messages, or of a long pipeline by its steady state.
  std::optional<Time> finish;
  /// Set if there is no simulated time because that is too much work; not after Ctrl-C.
  std::optional<select::SimulatedTimes::Refusal> refusal = std::nullopt;

  /// By which rows are sorted.
  [[nodiscard]] Time time() const { return finish.value_or(choice.predicted); }
};

/// The same reduction on accumulators instead of numbers (docs/reproducible.md): the sum has the
/// same bits in any order, so plans for commutative operators may be used.
struct OrderFree {
  Bytes accumulator;
  std::string plan;
  Time predicted;
  std::optional<Time> simulated;
};

/// All that `espalier plan` has to say.
struct PlanReport {
  const topology::Machine& machine;
  const schedule::Collective& call;
  /// Those with a simulated time first, sorted by it; then the others, sorted by predicted time.
  std::vector<PlanRow> rows;
  std::size_t chosen = 0;  ///< index of the row of the chosen plan; of the best if native runs
  /// What the library runs under `mpi` without trials; the chosen plan if no MPI was named.
  select::PlanChoice runs;
  std::string mpi;                         ///< "mpich", "openmpi", "smpi" or empty
  std::vector<select::Alternative> tries;  ///< what trials compare; empty without an MPI
  std::string verdict;
  std::uint64_t hash = 0;
  bound::LowerBound least;
  select::Formula formula;  ///< predicted time of the chosen plan as a formula
  std::vector<select::Limit> limits;
  std::optional<OrderFree> order_free;  ///< set with --reproducible
  std::optional<Time> in_memory;        ///< predicted through the memory of one node
  /// What the native call is taken for under `mpi`; absent if its time is not known.
  std::optional<select::NativeChoice> native = {};
  /// Of a rooted call: with how many ranks the root has messages in the chosen plan; 0 if that is
  /// not known.
  std::size_t root_peers = 0;

  [[nodiscard]] const PlanRow& chosen_row() const { return rows[chosen]; }
  [[nodiscard]] Time chosen_time() const;
};

/// With how many ranks a rank has messages.
[[nodiscard]] std::size_t peers_of(const schedule::Program& program);

/// The first lines for people, the choice, in two parts: what is known as soon as there is a
/// choice, and what its simulation, its verification and an MPI library add to that.
[[nodiscard]] std::string plan_choice(const schedule::Collective& call,
                                      const select::Choice& chosen);
/// Needs the chosen row alone.
[[nodiscard]] std::string plan_choice_settled(const PlanReport& report);
/// A chosen plan may take so many percent longer than the fastest of the table.
inline constexpr double kDefect = 3;
/// Shows every plan in a row of its own, also those that do the same.
inline constexpr std::size_t kEveryRow = std::numeric_limits<std::size_t>::max();
/// The rest of the report for people. @param shown how many rows of the table; the chosen one is
/// always there
[[nodiscard]] std::string plan_text(const PlanReport& report, const report::Canvas& canvas,
                                    std::size_t shown);
/// The document espalier-plan-1 of docs/formats.md.
[[nodiscard]] std::string plan_json(const PlanReport& report);

}  // namespace espalier::cli
