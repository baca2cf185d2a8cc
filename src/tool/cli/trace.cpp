// espalier trace: what ran beside what was simulated, and traces for other tools.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/progress.hpp"
#include "base/units.hpp"
#include "cli/command.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "overlay/otf2.hpp"
#include "overlay/overlay.hpp"
#include "report/json_text.hpp"
#include "report/outline.hpp"
#include "report/simulated_plan.hpp"
#include "report/table.hpp"
#include "report/text.hpp"
#include "trace/json.hpp"

namespace espalier::cli {
namespace {

struct TraceOptions {
  std::string trace;
  int call = -1;
  std::string perfetto;
  std::string otf2;
  bool json = false;
  bool all = false;
};

/// Without --all.
constexpr std::size_t kFewRows = 20;
/// Messages of calls that are simulated; those of further calls are not.
constexpr std::uint64_t kSimulatedMessages = std::uint64_t{1} << 18U;

/// Calls that are looked at, and what they came to.
struct Looked {
  std::vector<std::size_t> calls;  // indices into Trace::calls
  std::vector<overlay::Overlay> overlays;
};

Expected<Looked> look_at(const trace::Trace& trace, const TraceOptions& options) {
  Looked looked;
  std::uint64_t messages = 0;
  Progress progress("simulating", trace.calls.size(), Progress::Told::ByTheClock);
  for (std::size_t c = 0; c < trace.calls.size(); ++c) {
    progress.step();
    if (options.call >= 0 && c != static_cast<std::size_t>(options.call)) continue;
    if (messages > kSimulatedMessages && !options.all) break;
    messages += trace.calls[c].messages.size();
    auto overlay = overlay::overlay_of(trace, c);
    if (!overlay) return overlay.error();
    looked.calls.push_back(c);
    looked.overlays.push_back(*std::move(overlay));
  }
  return looked;
}

std::string about(const trace::Trace& trace) {
  std::uint64_t messages = 0;
  for (const trace::Call& call : trace.calls) messages += call.messages.size();
  std::string text = fmt::format(
      "{}: {} planned calls, {} messages, {} processes\n", report::printable(trace.program),
      report::grouped(trace.calls.size()), report::grouped(messages), trace.size());
  if (!trace.native) {
    text += "native calls are not in a trace: espalier run --explain counts them\n";
  } else if (*trace.native > 0) {
    text +=
        fmt::format("{} native calls of rank 0 are not in it: espalier run --explain tells why\n",
                    report::grouped(*trace.native));
  }
  if (trace.untraced > 0) {
    text += fmt::format("{} planned calls of rank 0 that do not block are not in it\n",
                        report::grouped(trace.untraced));
  }
  if (trace.dropped > 0) {
    text += fmt::format("{} later calls were not taken down: the memory for them was used up\n",
                        report::grouped(trace.dropped));
  }
  if (trace.clocks.kernels > 1) {
    text += fmt::format("{} clocks were compared: no difference below {} is named\n",
                        trace.clocks.kernels, rounded(nanoseconds(trace.clocks.residual), 3));
  }
  return text;
}

using report::Align;
using report::Cell;
using report::Table;

Table call_table(const Looked& looked) {
  Table table{{{"call", "call", Align::Right},
               {"operation", "operation"},
               {"size_bytes", "size", Align::Right},
               {"plan", "plan", Align::Left, 12},
               {"measured_ps", "measured", Align::Right},
               {"simulated_ps", "simulated", Align::Right},
               {"link", "most over", Align::Left, 12},
               {"excess_ps", "longer by", Align::Right}},
              {}};
  for (std::size_t i = 0; i < looked.calls.size(); ++i) {
    const overlay::Overlay& one = looked.overlays[i];
    const schedule::Collective& call = one.plan.call;
    Cell simulated, link, excess;
    if (one.simulated) simulated = Cell{rounded(one.simulated->finish, 3)};
    if (one.largest) {
      const overlay::Pair& pair = one.pairs[*one.largest];
      link = Cell{one.links[pair.link].name};
      excess = Cell{rounded(pair.excess(), 3)};
    }
    table.rows.push_back(
        {static_cast<std::int64_t>(looked.calls[i]), std::string(name_of(call.operation)),
         one.plan.irregular ? Cell{} : Cell{to_string(Bytes{call.count * call.element.value})},
         one.plan.name, rounded(overlay::measured_time(one.call), 3), simulated, link, excess});
  }
  return table;
}

Table link_table(const std::vector<overlay::Link>& links) {
  Table table{{{"link", "link"},
               {"messages", "messages", Align::Right},
               {"median_excess_ps", "longer than simulated, median", Align::Right},
               {"largest_excess_ps", "most", Align::Right}},
              {}};
  for (const overlay::Link& link : links) {
    table.rows.push_back({link.name, static_cast<std::int64_t>(link.messages),
                          rounded(link.median_excess, 3), rounded(link.largest_excess, 3)});
  }
  return table;
}

Table message_table(const overlay::Overlay& one, std::size_t most) {
  Table table{{{"from", "from", Align::Right},
               {"to", "to", Align::Right},
               {"bytes", "bytes", Align::Right},
               {"link", "over"},
               {"begin_ps", "sent at", Align::Right},
               {"measured_ps", "took", Align::Right},
               {"simulated_ps", "simulated", Align::Right},
               {"excess_ps", "longer by", Align::Right}},
              {}};
  std::vector<overlay::Pair> pairs = one.pairs;
  std::stable_sort(pairs.begin(), pairs.end(), [](const overlay::Pair& a, const overlay::Pair& b) {
    return a.excess() > b.excess();
  });
  if (pairs.size() > most) pairs.resize(most);
  for (const overlay::Pair& pair : pairs) {
    const trace::Message& m = one.call.messages[pair.measured];
    table.rows.push_back({std::int64_t{m.from}, std::int64_t{m.to},
                          static_cast<std::int64_t>(m.bytes), one.links[pair.link].name,
                          rounded(nanoseconds(m.send_begin - begin_of(one.call)), 3),
                          rounded(pair.measured_takes, 3), rounded(pair.simulated_takes, 3),
                          rounded(pair.excess(), 3)});
  }
  return table;
}

/// The last rank to enter, if that is worth a line.
std::string late_in_words(const overlay::Overlay& one) {
  const auto latest = std::max_element(one.call.begin.begin(), one.call.begin.end());
  const Time late = nanoseconds(*latest - begin_of(one.call));
  return fmt::format("rank {} entered last, {} after the first\n", latest - one.call.begin.begin(),
                     rounded(late, 3));
}

std::string one_call_text(const overlay::Overlay& one, std::size_t index, bool all,
                          const report::Canvas& canvas) {
  std::string text = fmt::format(
      "\ncall {}: {} along {}, measured {}", index, report::call_in_words(one.plan.call),
      report::printable(one.plan.name), rounded(overlay::measured_time(one.call), 3));
  if (one.simulated) text += fmt::format(", simulated {}", rounded(one.simulated->finish, 3));
  text += "\n" + late_in_words(one);
  if (!one.simulated) return text + "not simulated: " + one.why_not + "\n";
  const std::size_t most = all ? one.pairs.size() : kFewRows;
  text += "\n" + report::to_text(message_table(one, most), canvas);
  if (one.pairs.size() > most) {
    text += fmt::format("{} more messages: --all\n", one.pairs.size() - most);
  }
  return text + "\n" + report::to_text(link_table(one.links), canvas);
}

/// Index into Looked::overlays of the one with the largest excess, of warm-up calls or of all
/// others.
std::optional<std::size_t> worst_of(const trace::Trace& trace, const Looked& looked,
                                    bool warm_ups) {
  std::optional<std::size_t> worst;
  const auto excess = [&](std::size_t i) {
    const overlay::Overlay& one = looked.overlays[i];
    return one.pairs[*one.largest].excess();
  };
  for (std::size_t i = 0; i < looked.overlays.size(); ++i) {
    if (!looked.overlays[i].largest || overlay::is_warm_up(trace, looked.calls[i]) != warm_ups)
      continue;
    if (!worst || excess(i) > excess(*worst)) worst = i;
  }
  return worst;
}

/// "largest difference: ...", over all calls; warm-up calls apart.
std::string largest_of_all(const trace::Trace& trace, const Looked& looked) {
  std::string text;
  const auto add = [&](std::string_view begin, std::size_t i) {
    text += fmt::format("{}: call {}, {}\n", begin, looked.calls[i],
                        largest_in_words(looked.overlays[i]));
  };
  if (const auto usual = worst_of(trace, looked, false)) add("largest difference", *usual);
  if (const auto first = worst_of(trace, looked, true)) {
    add("in the first call along a plan, which opens connections", *first);
  }
  return text.empty() ? "no message took longer than simulated\n" : text;
}

std::string all_calls_text(const trace::Trace& trace, Looked looked, bool all,
                           const report::Canvas& canvas) {
  const auto links = overlay::links_of(looked.overlays);
  Table calls = call_table(looked);
  const std::size_t rest = all || calls.rows.size() <= kFewRows ? 0 : calls.rows.size() - kFewRows;
  calls.rows.resize(calls.rows.size() - rest);
  std::string text = "\n" + report::to_text(calls, canvas);
  if (rest > 0) text += fmt::format("{} more calls: --all\n", rest);
  if (looked.calls.size() < trace.calls.size()) {
    text += fmt::format("{} calls were not simulated: --all\n",
                        trace.calls.size() - looked.calls.size());
  }
  if (!links.empty()) text += "\n" + report::to_text(link_table(links), canvas);
  return text + "\n" + largest_of_all(trace, looked);
}

Json comparison_json(const trace::Trace& trace, const Looked& looked) {
  Json calls = Json::array(), links = Json::array();
  for (std::size_t i = 0; i < looked.calls.size(); ++i) {
    const overlay::Overlay& one = looked.overlays[i];
    Json largest;
    if (one.largest) {
      const overlay::Pair& pair = one.pairs[*one.largest];
      const trace::Message& m = one.call.messages[pair.measured];
      largest = {{"from", m.from},
                 {"to", m.to},
                 {"bytes", m.bytes},
                 {"link", one.links[pair.link].name},
                 {"measured_ps", pair.measured_takes.picoseconds},
                 {"simulated_ps", pair.simulated_takes.picoseconds},
                 {"excess_ps", pair.excess().picoseconds}};
    }
    calls.push_back(
        {{"call", looked.calls[i]},
         {"number", one.call.number},
         {"operation", name_of(one.plan.call.operation)},
         {"size_bytes", one.plan.call.count * one.plan.call.element.value},
         {"root", one.plan.call.root},
         {"plan", one.plan.name},
         {"measured_ps", overlay::measured_time(one.call).picoseconds},
         {"simulated_ps", one.simulated ? Json(one.simulated->finish.picoseconds) : Json()},
         {"why_not_simulated", one.simulated ? Json() : Json(one.why_not)},
         {"largest", largest}});
  }
  for (const overlay::Link& link : overlay::links_of(looked.overlays)) {
    links.push_back({{"link", link.name},
                     {"level", link.level},
                     {"messages", link.messages},
                     {"median_excess_ps", link.median_excess.picoseconds},
                     {"largest_excess_ps", link.largest_excess.picoseconds}});
  }
  return {{"format", "espalier-trace-comparison-1"},
          {"program", trace.program},
          {"processes", trace.size()},
          {"dropped_calls", trace.dropped},
          {"native_calls", trace.native ? Json(*trace.native) : Json()},
          {"untraced_calls", trace.untraced},
          {"clocks", trace.clocks.kernels},
          {"residual_ps", nanoseconds(trace.clocks.residual).picoseconds},
          {"calls", calls},
          {"links", links}};
}

/// What other tools read.
Outcome export_trace(const trace::Trace& trace, const TraceOptions& options) {
  if (options.otf2 == "-") {
    return Failure{{"--otf2", "an archive is a folder, not standard output", "name a folder"}};
  }
  if (!options.otf2.empty()) {
    if (auto wrong = overlay::write_otf2(trace, options.otf2)) return Failure{*wrong};
  }
  if (options.perfetto.empty()) return {};
  const std::string text = trace::write_trace_events(trace);
  if (options.perfetto == "-") return write_output("-", text);
  if (auto failed = replace_output(options.perfetto, text)) return failed;
  return {};
}

Outcome show_trace(const TraceOptions& options, const Globals& globals) {
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  const auto trace = trace::read_file(options.trace);
  if (!trace) return Failure{trace.error()};
  if (options.call >= 0 && static_cast<std::size_t>(options.call) >= trace->calls.size()) {
    return Failure{{"--call", fmt::format("there is no call {}", options.call),
                    trace->calls.empty()
                        ? "no planned call was taken down"
                        : fmt::format("calls are 0 to {}", trace->calls.size() - 1)}};
  }
  if (!options.perfetto.empty() || !options.otf2.empty()) return export_trace(*trace, options);
  auto looked = look_at(*trace, options);
  if (!looked) return Failure{looked.error()};
  if (options.json) return write_output("-", report::json_text(comparison_json(*trace, *looked)));
  std::string text = about(*trace);
  if (looked->calls.empty()) return write_output("-", text);
  if (options.call >= 0) {
    text += one_call_text(looked->overlays.front(), looked->calls.front(), options.all, *canvas);
    text += "\n" + largest_of_all(*trace, *looked);
  } else {
    text += all_calls_text(*trace, *std::move(looked), options.all, *canvas);
  }
  return write_output("-", text);
}

constexpr std::string_view kTraceDescription =
    "Shows what espalier run --trace took down: each planned call, measured and simulated. The "
    "simulation is of the very plan that ran, on the machine that it was made for, with ranks that "
    "enter when they did. A message is longer than simulated where the network is not what the "
    "machine's description says: the link is named.\n\n"
    "A message's time goes from the begin of its send to the end of its receive. The table of "
    "links has the median over all messages between two parts of the machine, the largest "
    "first. The first call along a plan opens connections, so its largest difference has a line "
    "of its own if there are others.\n\n"
    "Calls that Espalier left to the MPI library are not in a trace: run --explain counts them.\n\n"
    "espalier view TRACE draws one call.";

constexpr std::string_view kTraceExamples =
    "espalier run --trace solver.trace -- mpiexec -n 16 ./solver\n"
    "espalier trace solver.trace\n"
    "espalier trace solver.trace --call 3\n"
    "espalier trace solver.trace --perfetto solver.json    (open it in ui.perfetto.dev)\n"
    "espalier trace solver.trace --otf2 solver.otf2; otf2-print solver.otf2/traces.otf2";

}  // namespace

Command trace_command() {
  Manual manual{.name = "trace",
                .tagline = "what ran beside what was simulated, message by message",
                .synopsis =
                    "trace TRACE [--call N] [--all] [--json]\n"
                    "trace TRACE [--perfetto FILE] [--otf2 FOLDER]",
                .description = std::string(kTraceDescription),
                .sections = {},
                .examples = std::string(kTraceExamples)};
  return {
      std::move(manual), [](App& app, const Globals& globals) {
        const auto options = std::make_shared<TraceOptions>();
        app.add_option("TRACE", options->trace, "A file that espalier run --trace wrote.")
            .required();
        const Option call =
            app.add_option("--call", options->call, "Message by message: the call of this number.")
                .type_name("N")
                .whole_number(0, 1'000'000'000);
        const Option all =
            app.add_flag("--all", options->all, "All calls or messages, however many.");
        const Option json =
            app.add_flag("--json", options->json, "As JSON (espalier-trace-comparison-1).");
        app.add_option("--perfetto", options->perfetto,
                       "Write trace-event JSON, for Perfetto; - is standard output.")
            .type_name("FILE")
            .excludes(json)
            .excludes(call)
            .excludes(all);
        app.add_option("--otf2", options->otf2, "Write an OTF2 archive, for Vampir and Scalasca.")
            .type_name("FOLDER")
            .excludes(json)
            .excludes(call)
            .excludes(all);
        return [options, &globals] { return show_trace(*options, globals); };
      }};
}

}  // namespace espalier::cli
