#include "verify/verify.hpp"

#include "verify/barrier.hpp"
#include "verify/goals.hpp"
#include "verify/matching.hpp"
#include "verify/progress.hpp"
#include "verify/races.hpp"
#include "verify/structure.hpp"
#include "verify/symbolic_run.hpp"

namespace espalier::verify {
namespace {

/// Each step stands on those before it: with a broken structure there is nothing to match, without
/// a matching no order, without an order no run. Races do not stop the run: its findings may help
/// to see what was meant.
void look_at(const schedule::Schedule& schedule, const Limits& limits, Findings& findings,
             Verdict& verdict) {
  check_structure(schedule, limits.slices, findings);
  if (!findings.none()) return;
  const auto traffic = match_messages(schedule, findings);
  if (!traffic) return;
  const auto order = synchronous_order(schedule, *traffic, findings);
  if (!order) return;
  for (const schedule::Program& program : schedule.programs) check_races(program, findings);
  SymbolicRun run(schedule, *traffic, findings);
  run.run(*order);
  verdict.statistics = run.statistics();
  check_goals(schedule, run, findings);
  if (schedule.call.operation == schedule::Operation::Barrier) {
    check_barrier(schedule, *traffic, *order, findings);
  }
  if (findings.none()) describe_association(schedule.call, run, verdict);
}

}  // namespace

Verdict verify(const schedule::Schedule& schedule, const Limits& limits) {
  Verdict verdict;
  Findings findings(limits.findings);
  look_at(schedule, limits, findings, verdict);
  std::move(findings).hand_over(verdict);
  return verdict;
}

}  // namespace espalier::verify
