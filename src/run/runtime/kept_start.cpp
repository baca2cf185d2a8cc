#include "runtime/kept_start.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "topology/readers.hpp"
#include "topology/writers.hpp"

namespace espalier::runtime {
namespace {

using nlohmann::json;

constexpr const char* kStartFormat = "espalier-start-2";

std::string text_of(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

std::string to_text(const KeptStart& kept, std::int64_t now) {
  return text_of({{"format", kStartFormat},
                  {"made", now},
                  {"measured", kept.measured},
                  {"decided", kept.decided},
                  {"words", kept.words},
                  {"machine", kept.machine ? topology::write_json(*kept.machine) : ""},
                  {"verdicts", kept.verdicts.to_text()},
                  {"runs", kept.runs.all()}});
}

std::string still_young(const std::string& text, std::int64_t now) try {
  json value = json::parse(text);
  const auto made = value.at("made").get<std::int64_t>();
  const auto is_old = [now](std::int64_t since) {
    return since > now || now - since > kMostSecondsKept;
  };
  if (is_old(made)) return "";
  if (is_old(value.value("measured", made))) value["machine"] = "";
  if (is_old(value.value("decided", made))) value["verdicts"] = Verdicts{}.to_text();
  return text_of(value);
} catch (const std::exception&) {
  return "";
}

bool is_for_all(const std::string& text) try {
  const json value = json::parse(text);
  const auto verdicts = Verdicts::from_text(value.at("verdicts").get<std::string>(), "");
  return !value.at("machine").get<std::string>().empty() || (verdicts && !verdicts->empty());
} catch (const std::exception&) {
  return false;
}

PastRuns past_runs_in(const std::string& text) try {
  PastRuns runs;
  const json value = json::parse(text);
  if (value.at("format") != kStartFormat) return runs;
  for (const auto& [program, seconds] : value.at("runs").items()) {
    runs.note(program, seconds.get<double>());
  }
  return runs;
} catch (const std::exception&) {
  return {};
}

std::optional<KeptStart> kept_from(const std::string& text, Rank size) try {
  const json value = json::parse(text);
  if (value.at("format") != kStartFormat) return std::nullopt;
  auto verdicts = Verdicts::from_text(value.at("verdicts").get<std::string>(), "");
  if (!verdicts) return std::nullopt;
  const auto made = value.at("made").get<std::int64_t>();
  KeptStart kept{{},
                 value.at("words").get<std::vector<std::string>>(),
                 std::move(*verdicts),
                 past_runs_in(text),
                 value.value("measured", made),
                 value.value("decided", made)};
  const auto text_of_machine = value.at("machine").get<std::string>();
  if (text_of_machine.empty()) return kept;
  auto machine = topology::read_json(text_of_machine, "an earlier run");
  if (!machine || machine->size() != size) return std::nullopt;
  kept.machine = std::move(*machine);
  return kept;
} catch (const std::exception&) {
  return std::nullopt;
}

}  // namespace espalier::runtime
