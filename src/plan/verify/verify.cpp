#include "verify/verify.hpp"

#include <optional>
#include <vector>

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

/// What is known once progress is proven: who meets whom, and an order of all begins and ends.
struct Proven {
  Traffic traffic;
  std::vector<OpEvent> order;
};

/// The stages that need no knowledge of the data. Each stands on those before it: with a broken
/// structure there is nothing to match, without a matching no order.
std::optional<Proven> prove_progress(const schedule::Schedule& schedule, const Limits& limits,
                                     Findings& findings) {
  findings.enter(Stage::Structure);
  check_structure(schedule, limits.slices, findings);
  if (!findings.none()) return std::nullopt;
  findings.enter(Stage::Matching);
  auto traffic = match_messages(schedule, findings);
  if (!traffic) return std::nullopt;
  findings.enter(Stage::Progress);
  auto order = synchronous_order(schedule, *traffic, findings);
  if (!order) return std::nullopt;
  return Proven{*std::move(traffic), *std::move(order)};
}

/// The stages that look at data. Races do not stop the run: its findings may help to see what was
/// meant.
void prove_data(const schedule::Schedule& schedule, const Proven& progress, Findings& findings,
                Verdict& verdict) {
  const schedule::Collective& call = schedule.call;
  findings.enter(Stage::Races);
  for (const schedule::Program& program : schedule.programs) check_races(program, findings);
  findings.enter(Stage::Data);
  SymbolicRun run(schedule, progress.traffic, findings);
  run.run(progress.order);
  verdict.statistics = run.statistics();
  check_goals(schedule, run, findings);
  if (reduces(call.operation) && !call.commutative) findings.enter(Stage::RankOrder);
  if (call.operation == schedule::Operation::Allreduce) findings.enter(Stage::SameBits);
  if (call.operation == schedule::Operation::Barrier) {
    findings.enter(Stage::BarrierExit);
    check_barrier(schedule, progress.traffic, progress.order, findings);
  }
  if (findings.none()) describe_association(call, run, verdict);
}

}  // namespace

Verdict verify_progress(const schedule::Schedule& schedule, const Limits& limits) {
  Verdict verdict;
  Findings findings(limits.findings);
  if (const auto progress = prove_progress(schedule, limits, findings)) {
    verdict.statistics = count_traffic(schedule, progress->traffic);
  }
  std::move(findings).hand_over(verdict);
  return verdict;
}

Verdict verify_structure(const schedule::Schedule& schedule, std::uint64_t most_blocks) {
  const Limits limits;
  Verdict verdict;
  Findings findings(limits.findings);
  findings.enter(Stage::Structure);
  check_structure(schedule, limits.slices, findings);
  if (findings.none()) check_blocks(schedule, most_blocks, findings);
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
  if (const auto progress = prove_progress(schedule, limits, findings)) {
    prove_data(schedule, *progress, findings, verdict);
  }
  std::move(findings).hand_over(verdict);
  return verdict;
}

}  // namespace espalier::verify
