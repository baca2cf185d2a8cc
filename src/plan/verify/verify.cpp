#include "verify/verify.hpp"

#include "verify/checks.hpp"
#include "verify/goals.hpp"
#include "verify/symbolic_run.hpp"

namespace espalier::verify {
namespace {

/// What the messages alone tell, where nothing is known of what they carry.
Statistics count_traffic(const schedule::Schedule& schedule, const Traffic& traffic) {
  Statistics statistics;
  statistics.ops = traffic.ops();
  statistics.messages = traffic.messages.size();
  for (const Message& message : traffic.messages) {
    const schedule::Op& send = traffic.op(schedule, message.send);
    statistics.units += schedule.programs[message.from].units(send.from);
  }
  // In v forms a unit is a block of a length that only the data know.
  if (!schedule.call.irregular()) {
    statistics.bytes.value = statistics.units * schedule.call.element.value;
  }
  return statistics;
}

void look_at_progress(const schedule::Schedule& schedule, const Limits& limits, Findings& findings,
                      Verdict& verdict) {
  check_structure(schedule, limits.slices, findings);
  if (!findings.none()) return;
  const auto traffic = match_messages(schedule, findings);
  if (!traffic) return;
  verdict.statistics = count_traffic(schedule, *traffic);
  (void)synchronous_order(schedule, *traffic, findings);
}

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

Verdict verify_progress(const schedule::Schedule& schedule, const Limits& limits) {
  Verdict verdict;
  Findings findings(limits.findings);
  look_at_progress(schedule, limits, findings, verdict);
  std::move(findings).hand_over(verdict);
  return verdict;
}

Verdict verify(const schedule::Schedule& schedule, const Limits& limits) {
  if (schedule.call.operation == schedule::Operation::Unknown) {
    return verify_progress(schedule, limits);
  }
  Verdict verdict;
  verdict.data_checked = true;
  Findings findings(limits.findings);
  look_at(schedule, limits, findings, verdict);
  std::move(findings).hand_over(verdict);
  return verdict;
}

}  // namespace espalier::verify
