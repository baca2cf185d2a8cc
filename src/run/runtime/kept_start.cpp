#include "runtime/kept_start.hpp"

#include <utility>

#include "base/json.hpp"
#include "topology/readers.hpp"
#include "topology/writers.hpp"

namespace espalier::runtime {
namespace {

constexpr const char* kStartFormat = "espalier-start-2";

std::string whole_text(const KeptStart& kept, std::int64_t now) {
  Json runs = Json::object();
  for (const auto& [program, seconds] : kept.runs.all()) runs[program] = seconds;
  return Json{{"format", kStartFormat},
              {"made", now},
              {"measured", kept.measured},
              {"decided", kept.decided},
              {"words", kept.words},
              {"machine", kept.machine ? topology::write_json(*kept.machine) : ""},
              {"verdicts", kept.verdicts.to_text()},
              {"runs", runs}}
      .dump();
}

PastRuns runs_in(const Json& value) {
  PastRuns runs;
  for (const auto& [program, seconds] : value.at("runs").items()) {
    runs.note(program, seconds.get<double>());
  }
  return runs;
}

}  // namespace

std::string to_text(const KeptStart& kept, std::int64_t now) {
  std::string text = whole_text(kept, now);
  if (text.size() <= kLongestKept) return text;
  KeptStart less = kept;
  less.verdicts = {};
  text = whole_text(less, now);
  if (text.size() <= kLongestKept) return text;
  less.machine.reset();
  less.words.clear();
  return whole_text(less, now);
}

YoungStart still_young(std::string text, std::int64_t now) try {
  Json value = Json::parse(text);
  if (value.at("format") != kStartFormat) return {};
  const auto made = value.at("made").get<std::int64_t>();
  const auto is_old = [now](std::int64_t since) {
    return since > now || now - since > kMostSecondsKept;
  };
  if (is_old(made)) return {};
  const std::string none = Verdicts{}.to_text();
  bool is_changed = false;
  const auto drop_if_old = [&](const char* since, const char* part, const std::string& without) {
    if (value.at(part) == without || !is_old(value.value(since, made))) return;
    value[part] = without;
    is_changed = true;
  };
  drop_if_old("measured", "machine", "");
  drop_if_old("decided", "verdicts", none);
  YoungStart young{"", runs_in(value)};
  if (value.at("machine") == "" && value.at("verdicts") == none) return young;
  young.for_all = is_changed ? value.dump() : std::move(text);
  return young;
} catch (const std::exception&) {
  return {};
}

std::optional<KeptStart> kept_from(const std::string& text, Rank size) try {
  const Json value = Json::parse(text);
  if (value.at("format") != kStartFormat) return std::nullopt;
  auto verdicts = Verdicts::from_text(value.at("verdicts").get<std::string>(), "");
  if (!verdicts) return std::nullopt;
  const auto made = value.at("made").get<std::int64_t>();
  KeptStart kept{{},
                 value.at("words").get<std::vector<std::string>>(),
                 std::move(*verdicts),
                 runs_in(value),
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
