#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collective/hierarchy.hpp"
#include "schedule/schedule.hpp"
#include "select/plan.hpp"

namespace espalier::select {

/// A plan with its name, its description, and how each rank builds its own part.
struct Candidate {
  Plan plan;
  std::string name;  ///< such as "multilevel exchange 8 KiB" or "ring"
  std::string why;   ///< one line that says what it is
  bool knows_topology = false;
  collective::PartOf program_of;
};

/// The candidate of a plan. @pre `hierarchy` and `call` outlive it
[[nodiscard]] Candidate candidate_of(Plan plan, const collective::Hierarchy& hierarchy,
                                     const schedule::Collective& call);

/// Whether the bits of a reduction's result may depend on the plan.
enum class Bits : std::uint8_t {
  Any,        ///< any order of combining that MPI allows
  Reference,  ///< always the reference order, on every machine (docs/reproducible.md)
};

/// All plans that the algorithms of a table propose for this call on this machine, in the table's
/// order. With Bits::Reference, reductions have only the plans in the reference order.
/// @pre call.size == hierarchy.machine().size()
[[nodiscard]] std::vector<Plan> proposed_plans(const collective::Hierarchy& hierarchy,
                                               const schedule::Collective& call,
                                               Bits bits = Bits::Any,
                                               AlgorithmTable table = algorithms());

/// The same as candidates. @pre `hierarchy` and `call` outlive them
[[nodiscard]] std::vector<Candidate> candidates(const collective::Hierarchy& hierarchy,
                                                const schedule::Collective& call,
                                                Bits bits = Bits::Any,
                                                AlgorithmTable table = algorithms());

/// The candidate of this name (plan_named()); also those that candidates() leaves out.
/// @pre `hierarchy` and `call` outlive the candidate
[[nodiscard]] std::optional<Candidate> candidate_called(const std::string& name,
                                                        const collective::Hierarchy& hierarchy,
                                                        const schedule::Collective& call);

/// The programs of all ranks.
[[nodiscard]] schedule::Schedule schedule_of(const Candidate& candidate,
                                             const schedule::Collective& call);

}  // namespace espalier::select
