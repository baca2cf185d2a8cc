#include "view/answers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/units.hpp"
#include "report/simulated_plan.hpp"
#include "select/formula.hpp"
#include "sim/simulate_within.hpp"
#include "view/machine_document.hpp"
#include "view/plan_table.hpp"
#include "view/timeline_document.hpp"

namespace espalier::view {
namespace {

using schedule::Collective;
using topology::Machine;

Json call_json(const Collective& call) {
  return {{"operation", name_of(call.operation)},
          {"size_bytes", call.count * call.element.value},
          {"root", call.root},
          {"has_root", has_root(call.operation)},
          {"words", report::call_in_words(call)}};
}

/// A call's time counts from the first rank's entry; the bound is of ranks that enter together.
std::string late_words(const trace::Call& call) {
  const auto [first, last] = std::minmax_element(call.begin.begin(), call.begin.end());
  return fmt::format("rank {} entered last, {} after the first", last - call.begin.begin(),
                     rounded(nanoseconds(*last - *first), 3));
}

/// What the page says of a call that ran.
Json measured_json(const overlay::Overlay& measured) {
  Json largest;
  if (measured.largest) {
    const overlay::Pair& pair = measured.pairs[*measured.largest];
    largest = {{"message", pair.measured},
               {"link", measured.links[pair.link].name},
               {"excess_ps", pair.excess().picoseconds}};
  }
  Json links = Json::array();
  for (const overlay::Link& link : measured.links) {
    links.push_back({{"link", link.name},
                     {"level", link.level},
                     {"messages", link.messages},
                     {"median_excess_ps", link.median_excess.picoseconds}});
  }
  return {{"number", measured.call.number},
          {"plan", measured.plan.name},
          {"residual_ps", measured.residual.picoseconds},
          {"words", overlay::largest_in_words(measured)},
          {"late", measured.call.begin.empty() ? "" : late_words(measured.call)},
          {"largest", largest},
          {"links", links}};
}

/// Whether the schedule of the file is a plan of this call: the call that is shown first. One whose
/// operation is not known stands beside all.
bool is_of_schedule(const Query& query, const Subject& subject) {
  const Query& first = subject.first;
  if (subject.schedule->call.operation == schedule::Operation::Unknown) return true;
  const bool has_size = query.operation != schedule::Operation::Barrier;
  return query.operation == first.operation && (!has_size || query.size == first.size) &&
         (!has_root(query.operation) || query.root == first.root);
}

/// Links are shared exactly if that is as much work as so many messages: a fifth of a second.
constexpr std::uint64_t kSharedExactly = std::uint64_t{1} << 17U;

/// What was measured, and before it the simulation of the same plan, with ranks that enter when
/// they did.
std::string measured_timelines(const overlay::Overlay& measured, const Machine& machine) {
  std::string own = measured_document(measured.call, machine);
  if (!measured.schedule) return own;
  sim::SimOptions options = conditions(true);
  for (const trace::Nanoseconds at : measured.call.begin) {
    options.skew.push_back(nanoseconds(at - begin_of(measured.call)));
  }
  const sim::SimResult simulation = sim::simulate_as_exactly_as(
      sim::Budget(kSharedExactly), *measured.schedule, machine, options);
  return timeline_document(simulation, machine) + "," + own;
}

}  // namespace

/// A machine with some changes, and what is known of it.
struct Answers::Site {
  Site(const Machine& original, const Changes& c)
      : changes(c), machine(changed(original, c)), hierarchy(machine), chooser(hierarchy) {}

  /// The table of this call; that of the last call is kept.
  const PlanTable& table_of(const Collective& call, std::uint64_t messages) {
    if (!last || last->call != call || last->simulated_messages != messages) {
      last = make_table(chooser, call, messages);
    }
    return *last;
  }

  Changes changes;
  Machine machine;
  collective::Hierarchy hierarchy;
  select::Chooser chooser;
  std::optional<PlanTable> last;
};

Answers::Answers(Subject subject) : subject_(std::move(subject)) {}
Answers::~Answers() = default;

Answers::Site& Answers::site_of(const Changes& changes) {
  constexpr std::size_t kKept = 4;  // as many as a file has latencies, and one more
  const auto known = std::find_if(sites_.begin(), sites_.end(),
                                  [&](const auto& site) { return site->changes == changes; });
  if (known != sites_.end()) {
    std::rotate(sites_.begin(), known, known + 1);
  } else {
    sites_.insert(sites_.begin(), std::make_unique<Site>(subject_.machine, changes));
    if (sites_.size() > kKept) sites_.pop_back();
  }
  return *sites_.front();
}

std::string Answers::overview() const {
  Json operations = Json::array();
  for (int o = 0; o < schedule::kOperationCount; ++o) {
    const auto operation = static_cast<schedule::Operation>(o);
    operations.push_back({{"name", name_of(operation)},
                          {"has_root", has_root(operation)},
                          {"has_size", operation != schedule::Operation::Barrier}});
  }
  const Query& first = subject_.first;
  const Json document{{"format", "espalier-view-1"},
                      {"source", subject_.name},
                      {"about", subject_.about.empty() ? Json() : Json(subject_.about)},
                      {"machine", machine_document(subject_.machine)},
                      {"operations", operations},
                      {"schedule", subject_.schedule ? Json(subject_.schedule->algorithm) : Json()},
                      {"first",
                       {{"operation", name_of(first.operation)},
                        {"size_bytes", first.size.value},
                        {"root", first.root},
                        {"plan", first.plan}}}};
  return document.dump();
}

Expected<std::string> Answers::plan(const Query& query) {
  auto made = shown(query);
  if (!made) return made.error();
  return std::move(made->document);
}

Expected<ShownPlan> Answers::shown(const Query& query, const AnswerLimits& limits) {
  const std::uint64_t in_table = query.quick ? 0 : limits.table;
  Site& site = site_of(query.changes);
  const bool from_file = subject_.schedule && query.plan == kFromFile;
  const bool ran = subject_.measured && query.plan == kMeasured;
  const Collective call = from_file ? subject_.schedule->call
                          : ran     ? subject_.measured->plan.call
                                    : call_of(query, site.machine.size());
  const bool is_known = call.operation != schedule::Operation::Unknown;
  Json document{{"format", "espalier-view-plan-1"}, {"call", call_json(call)}};

  std::vector<PlanRow> rows;
  std::optional<select::Plan> plan;
  if (is_known) {
    const PlanTable& table = site.table_of(call, in_table);
    rows = table.rows;
    std::size_t index = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (rows[i].name == query.plan) index = i;
    }
    plan = table.ranked[index].plan;
    document["chosen"] = rows.front().name;
    if (!from_file && !ran && !query.plan.empty() && rows[index].name != query.plan) {
      return Error{"plan", fmt::format("there is no plan \"{:.80}\" for this call", query.plan),
                   "take one of the candidates"};
    }
    document["bound"] = {{"ps", table.bound.picoseconds}, {"because", table.because}};
  } else {
    document["chosen"] = nullptr;
    document["bound"] = nullptr;
  }

  ShownPlan result;
  std::string timeline;
  const bool is_given = from_file || ran;
  const std::string shown_name = is_given ? query.plan : name_of(*plan, call);
  result.messages =
      is_given ? 0 : times_for_table(site.hierarchy, call, in_table).messages_of(*plan);
  if (result.messages > limits.drawn && result.messages <= kMostDrawn) {
    // The guess is far above sometimes.
    result.messages = messages_in(*plan, site.hierarchy, call, limits.drawn);
  }
  document["plan"] = shown_name;
  document["per_level"] =
      is_given ? Json::array() : Json(select::per_level(*plan, site.machine, call));
  document["figures"] = level_figures(site.machine);
  document["messages"] = result.messages;
  document["quick"] = query.quick;
  if (ran) {
    const overlay::Overlay& measured = *subject_.measured;
    result.messages = measured.call.messages.size();
    document["measured"] = measured_json(measured);
    timeline = measured_timelines(measured, site.machine);
    rows.push_back({shown_name, {}, overlay::measured_time(measured.call)});
  } else if (result.messages <= limits.drawn) {
    sim::SimOptions options = conditions(true);
    const sim::Budget budget(kSharedExactly);
    const sim::SimResult simulation =
        from_file ? sim::simulate_as_exactly_as(budget, *subject_.schedule, site.machine, options)
                  : sim::simulate_as_exactly_as(
                        budget, call, candidate_of(*plan, site.hierarchy, call).program_of,
                        site.machine, options);
    result.messages = simulation.messages;
    result.never_ends = from_file && simulation.finish == kForever;
    timeline = timeline_document(simulation, site.machine);
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const PlanRow& one) { return one.name == shown_name; });
    if (row != rows.end()) row->simulated = simulation.finish;
    if (from_file) rows.push_back({shown_name, {}, simulation.finish});
  }
  document["messages"] = result.messages;
  if (subject_.measured && !ran) {
    rows.push_back({std::string(kMeasured), {}, overlay::measured_time(subject_.measured->call)});
  }
  if (subject_.schedule && !from_file && is_of_schedule(query, subject_)) {
    rows.push_back({std::string(kFromFile), {}, {}});
  }
  const std::string chosen = rows.empty() ? "" : rows.front().name;
  sort_rows(rows);
  document["candidates"] = rows_json(rows);
  for (const PlanRow& row : rows) {
    if (!is_known || row.name != chosen) result.others.push_back(row.name);
  }
  result.document = document.dump();
  result.document.pop_back();
  result.document += ",\"timelines\":[" + timeline + "]}";
  result.has_timeline = !timeline.empty();
  return result;
}

}  // namespace espalier::view
