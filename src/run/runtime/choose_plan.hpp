#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "base/types.hpp"
#include "collective/hierarchy.hpp"
#include "runtime/native_model.hpp"
#include "runtime/settings.hpp"
#include "schedule/collective.hpp"
#include "schedule/program.hpp"
#include "select/choose.hpp"

namespace espalier::runtime {

using select::Best;
using select::ChooserOptions;

/// How a call shall run: along a plan, or by the MPI library's own call.
struct PlanChoice {
  std::string name;  ///< name of the plan, or "native"
  std::string why;
  std::optional<Time> predicted;
  std::optional<Time> native_predicted;
  /// Makes a rank's own part of the plan; empty: native. Refers to the hierarchy, which must
  /// outlive it.
  std::function<schedule::Program(Rank)> program_of;
  /// Calls of the same size class up to this count have this program but for a factor; 0: none.
  std::uint64_t scales_to = 0;

  [[nodiscard]] bool planned() const { return program_of != nullptr; }
};

/// Up to this many ranks each root has a choice of its own. Above, one choice serves all roots, and
/// a new root costs no new choice.
inline constexpr Rank kOwnRootsUpTo = 64;

/// Which of the candidates for a call is asked for.
enum class WhichPlan : std::uint8_t {
  ByPrediction,  ///< the best plan, or native where that gains nothing
  Best,          ///< the best plan, gain or not
  RunnerUp,      ///< the best of the other plans
};

/// Chooses plans on one machine: the plan with the shortest predicted time, or native if that plan
/// gains nothing over the MPI library's usual algorithms under the same model.
///
/// A choice depends only on what all ranks share, so each rank alone comes to the same. Remembered
/// choices only save time. The hierarchy must outlive it. Not thread-safe.
class Planner {
 public:
  /// @param bits Reference: reductions in the reference order, whatever it costs, and never native
  explicit Planner(const collective::Hierarchy& hierarchy, select::Bits bits = select::Bits::Any,
                   NativeMpi mpi = NativeMpi::Unknown, ChooserOptions options = {})
      : hierarchy_(hierarchy),
        bits_(bits),
        mpi_(mpi),
        chooser_(hierarchy, bits, std::move(options)) {}

  /// @pre call.size == hierarchy().machine().size()
  /// @return native also where there is no plan as asked for
  [[nodiscard]] PlanChoice choose(const schedule::Collective& call, const Settings& settings,
                                  WhichPlan which = WhichPlan::ByPrediction);
  [[nodiscard]] const collective::Hierarchy& hierarchy() const { return hierarchy_; }

 private:
  static constexpr std::size_t kMost = 1024;
  using Key = std::tuple<schedule::Operation, std::uint32_t, bool, bool, Rank>;
  struct Decision {
    select::Plan plan;  // plan for a message of bytes
    std::optional<select::Plan> second;
    schedule::Collective stands_for;
    bool blocks_differ = false;
  };
  struct Outlook {
    Time planned;
    std::optional<Time> native;
  };
  const Decision& decide(const schedule::Collective& call);
  /// The predictions for one root: trees by number cross slow levels more often from some roots.
  const Outlook& outlook(const Decision& decision, WhichPlan which, Rank root);
  /// A decision for irregular calls (choose_irregular.cpp), by operation and assumed block.
  struct BlockDecision {
    select::Plan plan;
    Time predicted;
    std::optional<Time> native;
    bool gains = false;
  };
  [[nodiscard]] PlanChoice choose_blocks(const schedule::Collective& call, const Settings& settings,
                                         WhichPlan which);
  const BlockDecision& decide_blocks(const schedule::Collective& call);
  [[nodiscard]] std::optional<Time> predict_native_blocks(
      const schedule::Collective& regular) const;

  const collective::Hierarchy& hierarchy_;
  select::Bits bits_;
  NativeMpi mpi_;
  select::Chooser chooser_;
  std::map<Key, Decision> decided_;
  std::map<std::tuple<schedule::Operation, std::uint64_t, bool, bool, bool, Rank>, Outlook>
      outlooks_;
  std::map<std::pair<schedule::Operation, std::uint64_t>, BlockDecision> block_decisions_;
};

[[nodiscard]] inline select::Bits bits_of(const Settings& settings) {
  return settings.reproducible ? select::Bits::Reference : select::Bits::Any;
}

/// Whether ranks differ in what a plan could go by: levels, or what sending costs them.
[[nodiscard]] bool is_uneven(const topology::Machine& machine);

/// Whether a plan gains over native: 5 % at least, since predictions are no better than that.
[[nodiscard]] bool is_gain(Time planned, Time native);

/// For irregular calls whose lengths not all ranks know: plans are chosen for blocks of the first
/// length, and must not lose for blocks of the second.
inline constexpr std::uint64_t kUnknownBlock = 1024;
inline constexpr std::uint64_t kLongBlockClass = 65536;
/// Irregular calls whose mean blocks fall into one class (powers of 16) share a choice, made for
/// this length.
[[nodiscard]] std::uint64_t block_class(std::uint64_t mean_bytes);

/// Calls whose sizes fall into one class share a choice: 0, 1, 2-3, 4-7, ... bytes.
[[nodiscard]] std::uint32_t size_class(Bytes bytes);

}  // namespace espalier::runtime
