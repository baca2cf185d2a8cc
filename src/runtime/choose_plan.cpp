#include "runtime/choose_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "collective/multilevel_calls.hpp"
#include "runtime/segments.hpp"
#include "select/candidates.hpp"
#include "select/speed_tree.hpp"
#include "topology/synthetic.hpp"

namespace espalier::runtime {

using collective::Hierarchy;
using schedule::Collective;
using schedule::Operation;

namespace {

PlanChoice native(std::string why) { return {"native", std::move(why), {}, {}, {}}; }

/// What MPI libraries do, knowing nothing of the machine: R. Thakur, R. Rabenseifner, W. Gropp,
/// "Optimization of collective communication operations in MPICH", IJHPCA 2005. Taken for the
/// best of these, since they choose by size.
std::vector<select::Plan> native_plans(Operation operation) {
  const select::BlindTree binomial{collective::Shape::Binomial, 0};
  switch (operation) {
    case Operation::Broadcast:
      return {binomial, select::Classical{"scatter-ring"}};
    case Operation::Reduce:
      return {binomial, select::Classical{"rabenseifner"}};
    case Operation::Allreduce:
      return {select::Classical{"recursive-doubling"}, select::Classical{"rabenseifner"},
              select::Classical{"ring"}};
    case Operation::Barrier:
      return {select::Classical{"dissemination"}};
    default:
      return {};
  }
}

std::optional<Time> predict_native(const Hierarchy& hierarchy, const select::Chooser& chooser,
                                   const Collective& call) {
  std::optional<Time> least;
  for (const select::Plan& plan : native_plans(call.operation)) {
    if (!can_do(plan, hierarchy, call)) continue;
    const Time time = chooser.predict(plan, call);
    if (!least || time < *least) least = time;
  }
  return least;
}

/// Predictions are no better than this: less is no gain.
bool is_gain(Time planned, Time native) {
  return planned.picoseconds < native.picoseconds - native.picoseconds / 20;
}

/// "binomial 16 KiB" asks for "binomial" where messages are too short to be cut.
std::string without_segment(const std::string& name) {
  const std::size_t unit = name.rfind(' ');
  const std::size_t number =
      unit == std::string::npos || unit == 0 ? unit : name.rfind(' ', unit - 1);
  return number == std::string::npos ? name : name.substr(0, number);
}

/// Nothing if that algorithm cannot do this call (an operation that does not commute, a number of
/// ranks it does not serve).
std::optional<PlanChoice> forced(const Hierarchy& hierarchy, const Collective& call,
                                 const std::string& name) {
  const auto kept = std::make_shared<const Collective>(call);
  for (const std::string& wanted : {name, without_segment(name)}) {
    auto it = select::candidate_called(wanted, hierarchy, *kept);
    if (!it) continue;
    return PlanChoice{
        it->name, "named by ESPALIER_ALGORITHM", {}, {}, [kept, build = it->program_of](Rank rank) {
          return build(rank);
        }};
  }
  return std::nullopt;
}

bool reduces(Operation operation) {
  return operation == Operation::Reduce || operation == Operation::Allreduce ||
         operation == Operation::ReduceScatter || operation == Operation::Scan ||
         operation == Operation::Exscan;
}

/// Machines on which there is something to do for every algorithm: few levels and many, ranks in
/// the order of the machine and not.
std::vector<topology::Machine> sample_machines() {
  return {*topology::parse_synthetic("site:2(1ms) proc:4(1us)"),
          *topology::parse_synthetic("site:2(1ms) machine:2(100us) node:2(10us) proc:2(1us) "
                                     "placement=cyclic")};
}

}  // namespace

bool is_uneven(const topology::Machine& machine) {
  return machine.clusters().size() > 1 || select::has_unequal_senders(machine);
}

std::uint32_t size_class(Bytes bytes) {
  return static_cast<std::uint32_t>(std::bit_width(bytes.value));
}

const Planner::Decision& Planner::decide(const Collective& call) {
  const std::uint32_t bits = size_class(Bytes{call.count * call.element.value});
  const Key key{call.operation, bits, call.commutative};
  const auto found = decided_.find(key);
  if (found != decided_.end()) return found->second;
  if (decided_.size() >= kMost) decided_.clear();
  Collective one = call;  // stands for its class and all roots
  one.root = 0;
  one.element = Bytes{1};
  one.count = bits == 0 ? 0 : std::uint64_t{1} << (bits - 1);
  select::Plan plan =
      with_usable_segments(chooser_.choose(one).plan, chooser_, hierarchy_.machine(), one);
  const Time predicted = chooser_.predict(plan, one);
  return decided_
      .emplace(key, Decision{std::move(plan), predicted, predict_native(hierarchy_, chooser_, one)})
      .first->second;
}

PlanChoice Planner::choose(const Collective& call, const Settings& settings) {
  const bool in_order = bits_ == select::Bits::Reference && reduces(call.operation);
  const bool must_plan = settings.force || in_order;
  const auto named = settings.algorithm.find(call.operation);
  if (named != settings.algorithm.end() && !in_order) {
    if (auto choice = forced(hierarchy_, call, named->second)) return std::move(*choice);
  }
  if (!collective::multilevel_supports(call)) return native("no plan for this operation");
  if (!must_plan && !is_uneven(hierarchy_.machine())) return native("one level only");
  const Decision& decision = decide(call);
  if (!must_plan && decision.native && !is_gain(decision.predicted, *decision.native)) {
    return {"native", "no gain predicted", decision.predicted, decision.native, {}};
  }
  const select::Plan plan = in_elements(decision.plan, Bytes{1}, call.element);
  return {name_of(plan, call), "the shortest predicted time", decision.predicted, decision.native,
          [&hierarchy = hierarchy_, call, plan](Rank rank) {
            return own_part(plan, hierarchy, call, rank);
          }};
}

std::optional<Error> check_algorithms(const Settings& settings) {
  for (const auto& [operation, name] : settings.algorithm) {
    bool found = false;
    std::string some;
    for (const topology::Machine& machine : sample_machines()) {
      const Hierarchy hierarchy(machine);
      for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{1} << 24U}) {
        const Collective call{operation, machine.size(), 0, count, Bytes{1}, true, {}};
        found = found || select::candidate_called(name, hierarchy, call).has_value();
        some = select::candidates(hierarchy, call).back().name;
      }
    }
    if (found) continue;
    return Error{
        "ESPALIER_ALGORITHM",
        fmt::format("there is no algorithm \"{:.60}\" for {}", name, schedule::name_of(operation)),
        fmt::format("espalier plan lists them; \"{}\" is one", some)};
  }
  return std::nullopt;
}

}  // namespace espalier::runtime
