#include "view/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "bound/lower_bound.hpp"
#include "report/simulated_plan.hpp"
#include "select/formula.hpp"
#include "select/simulated_times.hpp"
#include "sim/simulate.hpp"
#include "view/machine_document.hpp"
#include "view/timeline_document.hpp"

namespace espalier::view {
namespace {

using Json = nlohmann::ordered_json;
using schedule::Collective;
using topology::Machine;

/// Messages that are simulated for times of plans that are not shown: some ten milliseconds.
constexpr std::uint64_t kTableMessages = std::uint64_t{1} << 16U;

sim::SimOptions conditions(const Machine& machine, bool trace) {
  constexpr Rank kExactUpTo = 256;  // as espalier simulate
  sim::SimOptions options;
  options.trace = trace;
  options.sharing =
      machine.size() > kExactUpTo ? sim::Sharing::OneBottleneck : sim::Sharing::ExactMaxMin;
  return options;
}

Json call_json(const Collective& call) {
  return {{"operation", name_of(call.operation)},
          {"size_bytes", call.count * call.element.value},
          {"root", call.root},
          {"has_root", has_root(call.operation)},
          {"words", report::call_in_words(call)}};
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
          {"largest", largest},
          {"links", links}};
}

/// What was measured, and before it the simulation of the same plan, with ranks that enter when
/// they did.
std::string measured_timelines(const overlay::Overlay& measured, const Machine& machine) {
  std::string own = measured_document(measured.call, machine);
  if (!measured.schedule) return own;
  sim::SimOptions options = conditions(machine, true);
  for (const trace::Nanoseconds at : measured.call.begin) {
    options.skew.push_back(nanoseconds(at - begin_of(measured.call)));
  }
  return timeline_document(sim::simulate(*measured.schedule, machine, options), machine) + "," +
         own;
}

/// What is known of a plan that stands in the table.
struct Row {
  std::string name;
  std::optional<Time> predicted;
  std::optional<Time> simulated;
};

Json rows_json(std::vector<Row> rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    const auto known = [](const Row& row) { return row.simulated ? row.simulated : row.predicted; };
    return known(a).value_or(kForever) < known(b).value_or(kForever);
  });
  const auto time = [](const std::optional<Time>& t) {
    return t && *t != kForever ? Json(t->picoseconds) : Json(nullptr);
  };
  Json list = Json::array();
  for (const Row& row : rows) {
    list.push_back({{"plan", row.name},
                    {"kind", plan_kind(row.name)},
                    {"predicted_ps", time(row.predicted)},
                    {"simulated_ps", time(row.simulated)}});
  }
  return list;
}

}  // namespace

/// A machine with some changes, and what is known of it.
struct Answers::Site {
  Site(const Machine& original, const Changes& c)
      : changes(c), machine(changed(original, c)), hierarchy(machine), chooser(hierarchy) {}

  Changes changes;
  Machine machine;
  collective::Hierarchy hierarchy;
  select::Chooser chooser;
};

std::string plan_kind(const std::string& plan) {
  const std::size_t first = plan.find_first_of(" /");
  if (first == std::string::npos) return plan;
  const std::string word = plan.substr(0, first);
  const std::string second =
      plan.substr(first + 1, plan.find_first_of(" /", first + 1) - first - 1);
  return second == "exchange" ? word + " " + second : word;
}

Machine as_planned(Machine machine) {
  const auto is_alone = [](const topology::Cluster& one) { return one.member_count == 1; };
  if (std::none_of(machine.clusters().begin(), machine.clusters().end(), is_alone)) return machine;
  std::vector<Rank> everybody(machine.size());
  std::iota(everybody.begin(), everybody.end(), Rank{0});
  return topology::restrict_machine(machine, everybody);
}

Answers::Answers(Subject subject) : subject_(std::move(subject)) {}
Answers::~Answers() = default;

Answers::Site& Answers::site_of(const Changes& changes) {
  if (!site_ || site_->changes != changes) {
    site_ = std::make_unique<Site>(subject_.machine, changes);
  }
  return *site_;
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
  Site& site = site_of(query.changes);
  const bool from_file = subject_.schedule && query.plan == kFromFile;
  const bool ran = subject_.measured && query.plan == kMeasured;
  const Collective call = from_file ? subject_.schedule->call
                          : ran     ? subject_.measured->plan.call
                                    : call_of(query, site.machine.size());
  const bool is_known = call.operation != schedule::Operation::Unknown;
  Json document{{"format", "espalier-view-plan-1"}, {"call", call_json(call)}};

  std::vector<Row> rows;
  std::optional<select::Plan> shown;
  select::SimulatedTimes times(site.hierarchy, call, query.quick ? 0 : kTableMessages,
                               conditions(site.machine, false));
  if (is_known) {
    const select::Plan chosen = *site.chooser.choose(call, select::WhichPlan::Best).plan;
    shown = chosen;
    std::vector<select::Choice> ranked =
        select::ranking(site.hierarchy, site.chooser.predictor().cost_view(), call);
    std::erase_if(ranked, [&](const select::Choice& one) { return one.plan == chosen; });
    ranked.insert(ranked.begin(), {chosen, site.chooser.predictor()(chosen, call)});
    for (const select::Choice& one : ranked) {
      rows.push_back({name_of(one.plan, call), one.predicted, times.of(one.plan)});
      if (rows.back().name == query.plan) shown = one.plan;
    }
    document["chosen"] = rows.front().name;
    if (!from_file && !ran && !query.plan.empty() && name_of(*shown, call) != query.plan) {
      return Error{"plan", fmt::format("there is no plan \"{:.80}\" for this call", query.plan),
                   "take one of the candidates"};
    }
    const bound::LowerBound least = bound::lower_bound(site.machine, call);
    document["bound"] = {{"ps", least.value.picoseconds},
                         {"because", describe(least.witness, site.machine)}};
  } else {
    document["chosen"] = nullptr;
    document["bound"] = nullptr;
  }

  std::string timeline;
  const bool is_given = from_file || ran;
  const std::string shown_name = is_given ? query.plan : name_of(*shown, call);
  const std::uint64_t messages = is_given ? 0 : times.messages_of(*shown);
  document["plan"] = shown_name;
  document["per_level"] =
      is_given ? Json::array() : Json(select::per_level(*shown, site.machine, call));
  document["figures"] = level_figures(site.machine);
  document["messages"] = messages;
  document["quick"] = query.quick;
  if (ran) {
    const overlay::Overlay& measured = *subject_.measured;
    document["messages"] = measured.call.messages.size();
    document["measured"] = measured_json(measured);
    timeline = measured_timelines(measured, site.machine);
    rows.push_back({shown_name, {}, overlay::measured_time(measured.call)});
  } else if (messages <= kMostDrawn) {
    const sim::SimResult result =
        from_file ? sim::simulate(*subject_.schedule, site.machine, conditions(site.machine, true))
                  : sim::simulate(call, candidate_of(*shown, site.hierarchy, call).program_of,
                                  site.machine, conditions(site.machine, true));
    document["messages"] = result.messages;
    timeline = timeline_document(result, site.machine);
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const Row& one) { return one.name == shown_name; });
    if (row != rows.end()) row->simulated = result.finish;
    if (from_file) rows.push_back({shown_name, {}, result.finish});
  }
  if (subject_.measured && !ran) {
    rows.push_back({std::string(kMeasured), {}, overlay::measured_time(subject_.measured->call)});
  }
  if (subject_.schedule && !from_file) rows.push_back({std::string(kFromFile), {}, {}});
  document["candidates"] = rows_json(std::move(rows));
  std::string text = document.dump();
  text.pop_back();
  return text + ",\"timelines\":[" + timeline + "]}";
}

}  // namespace espalier::view
