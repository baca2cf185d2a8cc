#include "runtime/choose_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <memory>

#include "collective/multilevel_calls.hpp"
#include "select/candidates.hpp"
#include "topology/synthetic.hpp"

namespace espalier::runtime {

using collective::Hierarchy;
using collective::LevelChoice;
using collective::MultilevelChoice;
using collective::Shape;
using collective::Top;
using schedule::Collective;
using schedule::Operation;

namespace {

/// Below both MPIs' eager limits with room for a header, so that no segment pays for a rendezvous.
constexpr std::uint64_t kSegmentBytes = 16384;

PlanChoice native(std::string why) { return {"native", std::move(why), {}, {}, {}}; }

bool is_operation_without_root(Operation operation) {
  return operation == Operation::Allreduce || operation == Operation::Barrier;
}

/// Karonis's tree: flat among the outermost clusters, so that the slow channel is crossed once, and
/// binomial below.
PlanChoice multilevel(const Hierarchy& hierarchy, const Collective& call) {
  const std::size_t levels = hierarchy.machine().levels().size();
  const std::uint64_t bytes = call.count * call.element.value;
  const std::uint64_t segment =
      bytes <= kSegmentBytes ? 0 : std::max<std::uint64_t>(1, kSegmentBytes / call.element.value);
  MultilevelChoice choice{std::vector<LevelChoice>(levels, {Shape::Binomial, segment}), Top::Tree};
  if (levels > 1) choice.levels.front().shape = Shape::Flat;
  if (is_operation_without_root(call.operation) && call.commutative && levels > 1) {
    choice.top = Top::Exchange;
  }
  std::string name = fmt::format("multilevel {}", choice.top == Top::Exchange ? "exchange/binomial"
                                                  : levels > 1                ? "flat/binomial"
                                                               : "binomial/binomial");
  if (segment != 0) name += fmt::format(" {} B", segment * call.element.value);
  return {name,
          "level by level over the masters of each cluster",
          {},
          {},
          [&hierarchy, call, choice](Rank rank) {
            return multilevel_program(hierarchy, choice, call, rank);
          }};
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
  auto all = select::candidates(hierarchy, *kept);
  for (const std::string& wanted : {name, without_segment(name)}) {
    const auto it = std::find_if(all.begin(), all.end(),
                                 [&](const select::Candidate& c) { return c.name == wanted; });
    if (it == all.end()) continue;
    return PlanChoice{
        it->name, "named by ESPALIER_ALGORITHM", {}, {}, [kept, build = it->program_of](Rank rank) {
          return build(rank);
        }};
  }
  return std::nullopt;
}

bool joins_something(const Hierarchy& hierarchy) {
  return hierarchy.machine().clusters().size() > 1;
}

}  // namespace

std::uint32_t size_class(Bytes bytes) {
  return static_cast<std::uint32_t>(std::bit_width(bytes.value));
}

PlanChoice choose_plan(const Hierarchy& hierarchy, const Collective& call,
                       const Settings& settings) {
  const auto named = settings.algorithm.find(call.operation);
  if (named != settings.algorithm.end()) {
    if (auto choice = forced(hierarchy, call, named->second)) return std::move(*choice);
  }
  if (!collective::multilevel_supports(call)) return native("no plan for this operation");
  if (!settings.force && !joins_something(hierarchy)) return native("one level only");
  return multilevel(hierarchy, call);
}

std::optional<Error> check_algorithms(const Settings& settings) {
  // Four processes on each of two sites: there is something to do for every algorithm.
  const topology::Machine machine = *topology::parse_synthetic("site:2(1ms) proc:4(1us)");
  const Hierarchy hierarchy(machine);
  for (const auto& [operation, name] : settings.algorithm) {
    bool found = false;
    std::string some;
    for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{1} << 24U}) {
      const Collective call{operation, machine.size(), 0, count, Bytes{1}, true, {}};
      for (const select::Candidate& candidate : select::candidates(hierarchy, call)) {
        found = found || candidate.name == name;
        some = candidate.name;
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
