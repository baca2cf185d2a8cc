#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "base/types.hpp"
#include "collective/hierarchy.hpp"
#include "runtime/settings.hpp"
#include "schedule/collective.hpp"
#include "schedule/program.hpp"
#include "select/choose.hpp"

namespace espalier::runtime {

/// How a call shall run: along a plan, or as the MPI library does it.
struct PlanChoice {
  std::string name;  ///< of the plan, or "native"
  std::string why;
  std::optional<Time> predicted;
  std::optional<Time> native_predicted;
  /// This rank's own part; empty: native. Refers to the hierarchy, which must outlive it.
  std::function<schedule::Program(Rank)> program_of;

  [[nodiscard]] bool planned() const { return program_of != nullptr; }
};

/// Chooses plans on one machine: the shortest by prediction, and native where that gains nothing
/// over what MPI libraries do (their usual algorithms under the same model).
///
/// A choice depends on nothing but what all ranks share, so every rank comes to the same alone;
/// what is remembered only saves time. The hierarchy must outlive it.
class Planner {
 public:
  /// @param bits Reference: reductions in the reference order, whatever it costs, and never native
  explicit Planner(const collective::Hierarchy& hierarchy, select::Bits bits = select::Bits::Any)
      : hierarchy_(hierarchy), bits_(bits), chooser_(hierarchy, bits) {}

  /// @pre call.size == hierarchy().machine().size()
  [[nodiscard]] PlanChoice choose(const schedule::Collective& call, const Settings& settings);
  [[nodiscard]] const collective::Hierarchy& hierarchy() const { return hierarchy_; }

 private:
  static constexpr std::size_t kMost = 1024;
  using Key = std::tuple<schedule::Operation, std::uint32_t, bool>;
  struct Decision {
    select::Plan plan;  // in bytes
    Time predicted;
    std::optional<Time> native;
  };
  const Decision& decide(const schedule::Collective& call);

  const collective::Hierarchy& hierarchy_;
  select::Bits bits_;
  select::Chooser chooser_;
  std::map<Key, Decision> decided_;
};

[[nodiscard]] inline select::Bits bits_of(const Settings& settings) {
  return settings.reproducible ? select::Bits::Reference : select::Bits::Any;
}

/// Whether ranks differ in what a plan could go by: levels, or what sending costs them.
[[nodiscard]] bool is_uneven(const topology::Machine& machine);

/// What is wrong with the algorithms that the settings name, if something is. (One that exists but
/// cannot do some call leaves that call to the usual choice.)
[[nodiscard]] std::optional<Error> check_algorithms(const Settings& settings);

/// Calls whose sizes fall into one class share a choice: 0, 1, 2-3, 4-7, ... bytes.
[[nodiscard]] std::uint32_t size_class(Bytes bytes);

}  // namespace espalier::runtime
