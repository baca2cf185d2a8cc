#pragma once

#include <espalier/plan.hpp>
#include <memory>
#include <variant>

#include "schedule/schedule.hpp"
#include "select/irregular.hpp"
#include "select/plan.hpp"
#include "topology/machine.hpp"

namespace espalier {

/// What a Plan is made of. All ranks' programs are made anew whenever they are asked for: a plan
/// is small, they are not.
class PlanInside {
 public:
  using AnyPlan = std::variant<select::Plan, select::IrregularPlan, schedule::Schedule>;

  Machine machine;
  std::shared_ptr<const topology::Machine> planned;  ///< as_planned(): what its plan was made for
  Call call;
  schedule::Collective inside;
  AnyPlan way;
  std::string name;
  std::optional<Time> predicted;

  [[nodiscard]] schedule::Schedule schedule() const;
  /// About as many as all ranks send. Above `enough` it does not count to the end.
  [[nodiscard]] std::uint64_t messages(std::uint64_t enough) const;
};

}  // namespace espalier
