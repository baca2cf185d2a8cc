#include "overlay/overlay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "base/units.hpp"
#include "collective/hierarchy.hpp"
#include "overlay/links.hpp"
#include "schedule/in_place.hpp"
#include "select/candidates.hpp"
#include "select/schedule_times.hpp"
#include "select/simulated_times.hpp"
#include "sim/simulate_within.hpp"
#include "topology/readers.hpp"

namespace espalier::overlay {
namespace {

using schedule::Program;
using schedule::Schedule;

/// More are not simulated with every message kept.
constexpr std::uint64_t kMostTraced = std::uint64_t{1} << 20U;

/// The program with this hash: as the plan has it, or for a rank whose input lies in its result.
std::optional<Program> program_with(std::uint64_t hash, Program program,
                                    const schedule::Collective& call, Rank rank) {
  if (hash_of(program) == hash) return program;
  for (const std::uint64_t at : {std::uint64_t{0}, rank * call.block()}) {
    auto joined = schedule::in_place(program, at);
    if (joined && hash_of(*joined) == hash) return joined;
  }
  return std::nullopt;
}

/// The plan, made again; an error says why it cannot be.
Expected<Schedule> schedule_again(const trace::Plan& plan, const topology::Machine& machine) {
  const Error other{"plan",
                    fmt::format("\"{}\" was made by another version of Espalier", plan.name), ""};
  if (plan.irregular) {
    return Error{"plan", "blocks of lengths that not all ranks know are not simulated", ""};
  }
  const collective::Hierarchy hierarchy(machine);
  const auto candidate = select::candidate_called(plan.name, hierarchy, plan.call);
  if (!candidate) return other;
  // Before programs are made: the file may say anything.
  if (select::SimulatedTimes(hierarchy, plan.call, 0).messages_of(candidate->plan, kMostTraced) >
      kMostTraced) {
    return Error{"plan", "more messages than are simulated one by one", ""};
  }
  Schedule schedule{plan.call, plan.name, {}};
  for (Rank rank = 0; rank < plan.call.size; ++rank) {
    auto same = program_with(plan.programs[rank], candidate->program_of(rank), plan.call, rank);
    if (!same) return other;
    schedule.programs.push_back(*std::move(same));
  }
  return schedule;
}

/// Links are shared exactly if that is as much work as so many messages, as in espalier simulate.
constexpr std::uint64_t kSharedExactly = std::uint64_t{1} << 20U;

sim::SimOptions conditions_of(const trace::Call& call) {
  sim::SimOptions options;
  options.trace = true;
  options.sharing = sim::Sharing::ExactMaxMin;
  for (const trace::Nanoseconds at : call.begin) {
    options.skew.push_back(nanoseconds(at - begin_of(call)));
  }
  return options;
}

using MessageKey = std::tuple<Rank, Rank, std::uint32_t>;

void match(Overlay& overlay) {
  const auto& simulated = overlay.simulated->timeline;
  std::map<MessageKey, std::uint32_t> known;
  for (std::uint32_t s = 0; s < simulated.size(); ++s) {
    const sim::MessageTrace& m = simulated[s];
    const std::uint32_t tag = overlay.schedule->programs[m.from].ops[m.send_op].tag;
    known.emplace(MessageKey{m.from, m.to, tag}, s);
  }
  LinkSums sums;
  std::map<std::pair<Rank, Rank>, std::string> names;
  for (std::uint32_t i = 0; i < overlay.call.messages.size(); ++i) {
    const trace::Message& m = overlay.call.messages[i];
    const auto it = known.find({m.from, m.to, m.tag});
    const bool is_seen = m.send_begin != trace::kNever && m.recv_end != trace::kNever;
    if (it == known.end() || !is_seen || simulated[it->second].recv_end == kForever) {
      ++overlay.unmatched;
      continue;
    }
    const sim::MessageTrace& s = simulated[it->second];
    Pair pair{it->second, i, s.recv_end - s.send_begin, nanoseconds(m.recv_end - m.send_begin), 0};
    std::string& name = names[{m.from, m.to}];
    if (name.empty()) name = link_name(overlay.machine, m.from, m.to);
    pair.link = sums.add(name, s.level, pair.excess());
    overlay.pairs.push_back(pair);
  }
  // In the order of their excess, and so the pairs' indices.
  const std::vector<Link> links = sums.links();
  std::vector<std::uint32_t> order(links.size()), place(links.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return links[a].median_excess > links[b].median_excess;
  });
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    overlay.links.push_back(links[order[i]]);
  }
  for (Pair& pair : overlay.pairs) pair.link = place[pair.link];
  const auto largest =
      std::max_element(overlay.pairs.begin(), overlay.pairs.end(),
                       [](const Pair& a, const Pair& b) { return a.excess() < b.excess(); });
  if (largest != overlay.pairs.end() && largest->excess() > overlay.residual) {
    overlay.largest = static_cast<std::size_t>(largest - overlay.pairs.begin());
  }
}

}  // namespace

Expected<Overlay> overlay_of(const trace::Trace& trace, std::size_t index) {
  const trace::Call& call = trace.calls[index];
  auto machine = topology::read_json(trace.communicators[call.communicator].machine, "the trace");
  if (!machine) return machine.error();
  if (machine->size() != call.begin.size()) {
    return Error{"the trace", "a machine of another number of processes than its communicator",
                 "a trace is what espalier run --trace writes"};
  }
  const bool is_one_clock = trace.clocks.kernels <= 1;
  Overlay overlay{.machine = *std::move(machine),
                  .plan = trace.plans[call.plan],
                  .call = call,
                  .residual = is_one_clock ? Time{0} : nanoseconds(trace.clocks.residual)};
  auto schedule = schedule_again(overlay.plan, overlay.machine);
  if (!schedule) {
    overlay.why_not = schedule.error().what;
    return overlay;
  }
  if (std::max<std::uint64_t>(call.messages.size(), select::messages_in(*schedule)) > kMostTraced) {
    overlay.why_not = "more messages than are simulated one by one";
    return overlay;
  }
  overlay.schedule = *std::move(schedule);
  sim::SimOptions conditions = conditions_of(call);
  overlay.simulated = sim::simulate_as_exactly_as(sim::Budget(kSharedExactly), *overlay.schedule,
                                                  overlay.machine, conditions);
  match(overlay);
  return overlay;
}

bool is_warm_up(const trace::Trace& trace, std::size_t call) {
  const trace::Call& own = trace.calls.at(call);
  const auto is_alike = [&](const trace::Call& other) {
    // A plan may be in the trace several times.
    const trace::Plan& plan = trace.plans[own.plan];
    const trace::Plan& others = trace.plans[other.plan];
    return other.communicator == own.communicator && others.call == plan.call &&
           others.name == plan.name;
  };
  const auto begin = trace.calls.begin();
  const auto at = begin + static_cast<std::ptrdiff_t>(call);
  return std::none_of(begin, at, is_alike) && std::any_of(at + 1, trace.calls.end(), is_alike);
}

Time measured_time(const trace::Call& call) { return nanoseconds(end_of(call) - begin_of(call)); }

std::string largest_in_words(const Overlay& overlay) {
  if (!overlay.simulated) return overlay.why_not;
  if (!overlay.largest) return "no message took longer than simulated";
  const Pair& pair = overlay.pairs[*overlay.largest];
  const trace::Message& m = overlay.call.messages[pair.measured];
  return fmt::format("rank {} to rank {}, {} over {}: {}, simulated {}: {} longer", m.from, m.to,
                     to_string(Bytes{m.bytes}), overlay.links[pair.link].name,
                     rounded(pair.measured_takes, 3), rounded(pair.simulated_takes, 3),
                     rounded(pair.excess(), 3));
}

std::vector<Link> links_of(const std::vector<Overlay>& overlays) {
  LinkSums sums;
  for (const Overlay& one : overlays) {
    for (const Pair& pair : one.pairs) {
      sums.add(one.links[pair.link].name, one.links[pair.link].level, pair.excess());
    }
  }
  std::vector<Link> links = sums.links();
  std::stable_sort(links.begin(), links.end(),
                   [](const Link& a, const Link& b) { return a.median_excess > b.median_excess; });
  return links;
}

}  // namespace espalier::overlay
