#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <map>
#include <memory>
#include <thread>

#include "base/json.hpp"
#include "base/nearest.hpp"
#include "base/units.hpp"
#include "cli/call_options.hpp"
#include "cli/command.hpp"
#include "cli/manual.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/rank_list.hpp"
#include "report/figures.hpp"
#include "report/json_text.hpp"
#include "report/plot.hpp"
#include "report/table.hpp"
#include "weather/history.hpp"
#include "weather/probe.hpp"

namespace espalier::cli {
namespace {

struct WeatherOptions {
  std::string action;
  std::string history;
  std::vector<std::string> samples;
  std::string here;
  std::vector<std::string> to;
  std::string bytes;
  std::string port;
  std::string since;
  std::string svg;
  std::string every;
  std::string times;
  bool once = false;
  bool json = false;
};

Time time_of(double seconds) { return Time{static_cast<std::int64_t>(seconds * 1e12)}; }
Bandwidth bandwidth_of(double bits) { return Bandwidth{static_cast<std::uint64_t>(bits)}; }

/// "A,B,12ms,8Mbit/s"
Expected<weather::Sample> sample_from(const std::string& text, std::int64_t now) {
  std::vector<std::string> words;
  std::size_t at = 0;
  for (std::size_t comma = text.find(','); comma != std::string::npos;
       at = comma + 1, comma = text.find(',', at)) {
    words.push_back(text.substr(at, comma - at));
  }
  words.push_back(text.substr(at));
  const Error wrong{"--sample", fmt::format("\"{}\" is no measurement", text),
                    "CLUSTER,CLUSTER,LATENCY[,BANDWIDTH], all above 0: A,B,12ms,8Mbit/s"};
  if (words.size() != 3 && words.size() != 4) return wrong;
  auto latency = parse_time(words[2]);
  auto bandwidth =
      words.size() == 4 ? parse_bandwidth(words[3]) : Expected<Bandwidth>(Bandwidth{0});
  if (!latency || !bandwidth || bandwidth->unlimited() || *latency == Time{}) return wrong;
  return weather::Sample{now, words[0], words[1], to_seconds(*latency),
                         static_cast<double>(bandwidth->bits_per_second)};
}

struct ProbeTarget {
  std::string cluster;
  std::string host;
  std::uint16_t port = 0;
  weather::ProbeLimits limits;
};

/// "B=host:port"
Expected<ProbeTarget> target_from(const std::string& text, const WeatherOptions& options) {
  const std::size_t equals = text.find('=');
  const std::size_t colon = text.rfind(':');
  auto bytes = parse_bytes(given_or(options.bytes, "256KiB"));
  if (!bytes) return Error{"--bytes", bytes.error().what, bytes.error().hint};
  if (options.here.empty()) {
    return Error{"--to", "--here is missing: the cluster of this host",
                 "--here A --to B=b1.example.org:7411"};
  }
  if (equals == std::string::npos || equals == 0 || colon == std::string::npos ||
      colon <= equals + 1) {
    return Error{"--to", fmt::format("\"{}\" is not CLUSTER=HOST:PORT", text),
                 "--here A --to B=b1.example.org:7411"};
  }
  if (text.substr(0, equals) == options.here) {
    return Error{"--to", fmt::format("\"{}\" is the cluster of this host", options.here),
                 "measure the way to another one: --here A --to B=b1.example.org:7411"};
  }
  auto port = parse_rank(text.substr(colon + 1), 65536);
  if (!port || *port == 0) return Error{"--to", "no port from 1 to 65535", "B=b1:7411"};
  weather::ProbeLimits limits;
  limits.bytes = bytes->value;
  return ProbeTarget{text.substr(0, equals), text.substr(equals + 1, colon - equals - 1),
                     static_cast<std::uint16_t>(*port), limits};
}

/// Adds what there is to measure to the history. A host that does not answer does not keep the
/// others from being recorded: it fails only if none answers.
Outcome record_once(const WeatherOptions& options) {
  const std::int64_t now = std::time(nullptr);
  std::vector<weather::Sample> samples;
  for (const std::string& text : options.samples) {
    auto sample = sample_from(text, now);
    if (!sample) return Failure{sample.error()};
    samples.push_back(*sample);
  }
  std::vector<ProbeTarget> targets;
  for (const std::string& text : options.to) {
    auto target = target_from(text, options);
    if (!target) return Failure{target.error()};
    targets.push_back(*std::move(target));
  }
  std::vector<Error> silent;
  for (const ProbeTarget& target : targets) {
    const auto probed = weather::probe(target.host, target.port, target.limits);
    if (!probed) {
      silent.push_back(probed.error());
      continue;
    }
    samples.push_back({now, options.here, target.cluster, probed->latency, probed->bandwidth});
  }
  if (samples.empty() && !silent.empty()) {
    for (std::size_t i = 1; i < silent.size(); ++i) write_message(to_string(silent[i]) + "\n");
    return Failure{silent.front()};
  }
  for (const Error& error : silent) write_message(to_string(error) + "\n");
  if (samples.empty()) {
    return Failure{
        {"record", "nothing to record", "--sample A,B,12ms,8Mbit/s or --here A --to B=host:port"}};
  }
  const auto notes = weather::add_samples(options.history, samples);
  if (!notes) return Failure{notes.error()};
  for (const std::string& note : *notes) write_message(fmt::format("note: {}\n", note));
  std::string text;
  for (const weather::Sample& s : samples) {
    text += fmt::format("{} - {}: {}, {}\n", s.a, s.b, rounded(time_of(s.latency)),
                        s.bandwidth > 0 ? report::rounded(bandwidth_of(s.bandwidth))
                                        : std::string("bandwidth not measured"));
  }
  return write_output("-", text);
}

/// Measures again and again; a host that does not answer now may do so later.
Outcome record_often(WeatherOptions options) {
  const auto every = parse_time(options.every);
  if (!every || *every < seconds(1)) {
    return Failure{{"--every", fmt::format("\"{}\" is no time of 1 s or more", options.every),
                    "--every 10min"}};
  }
  auto times = parse_rank(given_or(options.times, "0"), 1U << 30);
  if (!times) return Failure{{"--times", "no number", "--times 144"}};
  auto next = std::chrono::steady_clock::now();
  Outcome last;
  for (std::uint32_t done = 0; *times == 0 || done < *times; ++done) {
    if (done > 0) {
      next += std::chrono::nanoseconds(every->picoseconds / 1000);
      std::this_thread::sleep_until(next);
    }
    last = record_once(options);
    // Samples that were given were measured once. Without hosts to probe there is nothing more.
    options.samples.clear();
    if (!last && options.to.empty()) return last;
    if (!last) continue;
    if (done == 0) return last;  // it was never right: most likely a wrong command line
    write_message(to_string(last->error) + "\n");
  }
  return last;
}

Outcome record(const WeatherOptions& options) {
  return options.every.empty() ? record_once(options) : record_often(options);
}

report::Table forecast_table(const std::vector<weather::LinkForecast>& links) {
  using report::Align;
  report::Table table{{{"a", "between"},
                       {"b", "and"},
                       {"samples", "samples", Align::Right},
                       {"last", "", Align::Right},
                       {"latency_ps", "latency", Align::Right},
                       {"latency_error_ps", "error", Align::Right},
                       {"latency_method", "by"},
                       {"bandwidth_bits_per_second", "", Align::Right},
                       {"", "bandwidth", Align::Right},
                       {"bandwidth_error_percent", "error %", Align::Right},
                       {"bandwidth_method", "by"}},
                      {}};
  for (const weather::LinkForecast& l : links) {
    const bool has = !l.bandwidth.method.empty();
    table.rows.push_back(
        {l.a, l.b, static_cast<std::int64_t>(l.samples), l.last, time_of(l.latency.value),
         time_of(l.latency.mean_error), l.latency.method,
         has ? report::Cell{static_cast<std::int64_t>(l.bandwidth.value)} : report::Cell{},
         has ? report::Cell{report::rounded(bandwidth_of(l.bandwidth.value))} : report::Cell{},
         has ? report::Cell{report::Decimal{100 * l.bandwidth.mean_error / l.bandwidth.value, 1}}
             : report::Cell{},
         l.bandwidth.method});
  }
  return table;
}

/// A unit of time in which a history is a few numbers long.
struct HistoryUnit {
  std::string_view name;
  double seconds;
};
HistoryUnit unit_of(double seconds) {
  constexpr std::array kUnits{HistoryUnit{"days", 86'400}, HistoryUnit{"hours", 3'600},
                              HistoryUnit{"minutes", 60}};
  for (const HistoryUnit& unit : kUnits) {
    if (seconds >= 2 * unit.seconds) return unit;
  }
  return {"seconds", 1};
}

/// "2026-11-17 02:15 UTC"
std::string moment(std::int64_t when) {
  const auto seconds = static_cast<std::time_t>(when);
  std::tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return "the first measurement";
  std::array<char, 40> text{};
  (void)std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts);
  return text.data();
}

/// Time goes from left to right. Measurements of one moment stand side by side, in their order.
std::string plot(const std::vector<weather::Sample>& samples) {
  const auto [first, last] = std::minmax_element(
      samples.begin(), samples.end(), [](const auto& a, const auto& b) { return a.when < b.when; });
  const double span = static_cast<double>(last->when - first->when);
  const HistoryUnit unit = unit_of(span);
  report::LineChart chart;
  chart.title = "latency between clusters";
  chart.x = {span == 0 ? fmt::format("measurements of {}, in their order", moment(first->when))
                       : fmt::format("{} since {}", unit.name, moment(first->when)),
             report::Scale::Linear, report::Unit::Number, false};
  chart.y = {"latency", report::Scale::Linear, report::Unit::Seconds, true};
  std::map<std::string, report::Series> series;
  for (const weather::Sample& s : samples) {
    report::Series& one = series[fmt::format("{} - {}", s.a, s.b)];
    one.label = fmt::format("{} - {}", s.a, s.b);
    const double x = span == 0 ? static_cast<double>(one.points.size() + 1)
                               : static_cast<double>(s.when - first->when) / unit.seconds;
    one.points.push_back({x, s.latency});
  }
  for (auto& [name, one] : series) chart.series.push_back(std::move(one));
  return report::line_chart(chart);
}

Outcome show_weather(const WeatherOptions& options, const Globals& globals) {
  auto canvas = choose_canvas(globals.canvas, look_around());
  if (!canvas) return Failure{canvas.error()};
  auto since = parse_time(given_or(options.since, "720h"));
  if (!since) return Failure{{"--since", since.error().what, since.error().hint}};
  weather::HistoryRead read = weather::read_history(options.history);
  for (const std::string& note : read.notes) write_message(fmt::format("note: {}\n", note));
  if (read.wrong && read.samples.empty()) return Failure{*read.wrong};
  const std::int64_t oldest = std::time(nullptr) - static_cast<std::int64_t>(to_seconds(*since));
  const std::size_t all = read.samples.size();
  std::erase_if(read.samples, [&](const weather::Sample& s) { return s.when < oldest; });
  if (read.samples.size() < all) {
    write_message(fmt::format("note: {} measurements are older than {} and left out\n",
                              all - read.samples.size(), given_or(options.since, "720h")));
  }
  const report::Table table = forecast_table(weather::forecast_links(read.samples, oldest));
  if (!options.svg.empty()) {
    if (read.samples.empty()) return Failure{{options.history, "nothing to draw", "record first"}};
    if (Outcome bad = write_output(options.svg, plot(read.samples))) return bad;
  }
  std::string text =
      table.rows.empty() ? std::string("no measurements\n") : report::to_text(table, *canvas);
  if (options.json) {
    Json json;
    json["format"] = "espalier-weather-1";
    json["links"] = report::to_json(table);
    text = report::json_text(json);
  }
  if (options.svg != "-") {
    if (Outcome bad = write_output("-", text)) return bad;
  }
  // What could be read was shown; yet it is not all.
  return read.wrong ? Outcome(Failure{*read.wrong, kExitInternal}) : Outcome();
}

Outcome answer(const WeatherOptions& options) {
  auto port = parse_rank(given_or(options.port, "0"), 65536);
  if (!port) return Failure{{"--port", "no port from 0 to 65535", "--port 7411"}};
  const auto served = weather::answer_probes(
      static_cast<std::uint16_t>(*port), options.once ? 1 : 0,
      [](std::uint16_t at, void*) { write_message(fmt::format("answering on port {}\n", at)); },
      nullptr);
  if (!served) return Failure{served.error()};
  return {};
}

/// Options of other actions are refused, not passed over.
std::optional<Error> of_other_action(const WeatherOptions& options) {
  struct OptionOfAction {
    const char* name;
    bool is_given;
    std::string_view action;
  };
  const std::array all{OptionOfAction{"--sample", !options.samples.empty(), "record"},
                       OptionOfAction{"--here", !options.here.empty(), "record"},
                       OptionOfAction{"--to", !options.to.empty(), "record"},
                       OptionOfAction{"--bytes", !options.bytes.empty(), "record"},
                       OptionOfAction{"--every", !options.every.empty(), "record"},
                       OptionOfAction{"--times", !options.times.empty(), "record"},
                       OptionOfAction{"--port", !options.port.empty(), "answer"},
                       OptionOfAction{"--once", options.once, "answer"},
                       OptionOfAction{"--since", !options.since.empty(), "show"},
                       OptionOfAction{"--json", options.json, "show"},
                       OptionOfAction{"--svg", !options.svg.empty(), "show"}};
  if (options.action == "answer" && !options.history.empty()) {
    return Error{"--history", "espalier weather answer keeps nothing", "leave it out"};
  }
  for (const OptionOfAction& one : all) {
    if (!one.is_given || one.action == options.action) continue;
    return Error{one.name, fmt::format("it is an option of espalier weather {}", one.action),
                 "leave it out"};
  }
  if (!options.times.empty() && options.every.empty()) {
    return Error{"--times", "it is recorded once without --every", "--every 10min"};
  }
  if (!options.every.empty() && options.to.empty()) {
    return Error{"--every", "nothing is measured without --to",
                 "--here A --to B=b1.example.org:7411"};
  }
  if ((!options.bytes.empty() || !options.here.empty()) && options.to.empty()) {
    return Error{options.here.empty() ? "--bytes" : "--here", "nothing is measured without --to",
                 "--here A --to B=b1.example.org:7411"};
  }
  return std::nullopt;
}

Outcome weather_now(const WeatherOptions& options, const Globals& globals) {
  const bool is_known =
      options.action == "record" || options.action == "show" || options.action == "answer";
  if (const auto wrong = is_known ? of_other_action(options) : std::nullopt) {
    return Failure{*wrong};
  }
  WeatherOptions kept = options;
  if (kept.history.empty()) kept.history = "weather.db";
  if (options.action == "record") return record(kept);
  if (options.action == "show") return show_weather(kept, globals);
  if (options.action == "answer") return answer(options);
  return Failure{
      {"ACTION", fmt::format("there is no \"{}\"", options.action),
       did_you_mean(options.action, std::vector<std::string>{"record", "show", "answer"}) +
           "known: record, show, answer"}};
}

constexpr std::string_view kWeatherDescription =
    "Keeps measurements of the links between clusters in an SQLite file, and forecasts them as the "
    "Network Weather Service did: last value, means, medians and exponential smoothing over "
    "several "
    "windows; for each link the one with the least error so far decides. record adds measurements: "
    "given ones, or of TCP round trips and one bounded transfer to a host where answer runs. show "
    "prints forecasts with their errors, or plots. espalier place --weather uses them.";

constexpr std::string_view kWeatherExamples =
    "espalier weather answer --port 7411\n"
    "espalier weather record --history w.db --here A --to B=b1:7411\n"
    "espalier weather record --history w.db --here A --to B=b1:7411 --every 10min\n"
    "espalier weather record --history w.db --sample A,B,12ms,8Mbit/s\n"
    "espalier weather show --history w.db --since 24h\n"
    "espalier weather show --history w.db --svg weather.svg";

}  // namespace

Command weather_command() {
  Manual manual{.name = "weather",
                .tagline = "measure the links between clusters, and forecast them",
                .synopsis =
                    "weather record [--sample A,B,LATENCY[,BANDWIDTH]]... [--here A --to "
                    "B=HOST:PORT]... [--every TIME "
                    "[--times N]]\n"
                    "weather show [--since TIME] [--json|--svg FILE]\n"
                    "weather answer [--port N] [--once]",
                .description = std::string(kWeatherDescription),
                .sections = {},
                .examples = std::string(kWeatherExamples)};
  return {
      std::move(manual), [](App& app, const Globals& globals) {
        const auto options = std::make_shared<WeatherOptions>();
        app.add_option("ACTION", options->action, "record, show or answer.").required();
        app.add_option("--history", options->history, "The file. Default: weather.db.")
            .type_name("FILE");
        app.add_option("--sample", options->samples, "A measurement of your own; may be repeated.")
            .type_name("SAMPLE")
            .repeated();
        app.add_option("--here", options->here, "The cluster that this host is in.")
            .type_name("CLUSTER");
        app.add_option("--to", options->to,
                       "A cluster, and a host of it that answers; may be repeated.")
            .type_name("CLUSTER=HOST:PORT")
            .repeated();
        app.add_option("--bytes", options->bytes,
                       "Of the transfer that bandwidth is taken from; 0: none. Default: 256KiB.")
            .type_name("BYTES");
        app.add_option("--every", options->every,
                       "Measure again after each such time, until it is ended. A host that does "
                       "not answer is tried again the next time.")
            .type_name("TIME");
        app.add_option("--times", options->times, "With --every: only so often.").type_name("N");
        app.add_option("--port", options->port, "To answer on. Default: any free one.")
            .type_name("N");
        app.add_flag("--once", options->once, "Answer one prober, then end.");
        app.add_option("--since", options->since, "Older measurements are left out. Default: 720h.")
            .type_name("TIME");
        const Option json =
            app.add_flag("--json", options->json, "Write JSON (espalier-weather-1).");
        app.add_option("--svg", options->svg, "Plot the measurements to FILE.")
            .type_name("FILE")
            .excludes(json);
        return [options, &globals] { return weather_now(*options, globals); };
      }};
}

}  // namespace espalier::cli
