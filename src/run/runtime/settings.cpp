#include "runtime/settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/units.hpp"
#include "runtime/named_algorithms.hpp"

namespace espalier::runtime {

namespace {

Expected<bool> read_switch(const Environment& environment, const std::string& name, bool usual) {
  const auto value = environment(name);
  if (!value || value->empty()) return usual;
  if (*value == "0") return false;
  if (*value == "1") return true;
  return Error{name, fmt::format("\"{:.60}\" is neither 0 nor 1", *value),
               fmt::format("set it to {}, or unset it", usual ? 0 : 1)};
}

Expected<SharedMemory> read_shared(const Environment& environment, const std::string& name) {
  const std::string value = environment(name).value_or("");
  if (value.empty()) return SharedMemory::Tried;
  if (value == "0") return SharedMemory::Never;
  if (value == "1") return SharedMemory::Always;
  if (value == "tried") return SharedMemory::Tried;
  return Error{name, fmt::format("\"{:.60}\" is none of 0, 1 and tried", value),
               "set it to one of these, or unset it"};
}

Expected<int> read_log(const Environment& environment) {
  const auto value = environment("ESPALIER_LOG");
  if (!value || value->empty()) return 0;
  if (value->size() == 1 && *value >= "0" && *value <= "2") return value->front() - '0';
  return Error{"ESPALIER_LOG", fmt::format("\"{:.60}\" is no log level", *value),
               "0 is silent, 1 tells what was decided at start, 2 every new plan"};
}

Expected<NonBlocking> read_nonblocking(const Environment& environment) {
  const auto value = environment("ESPALIER_NONBLOCKING");
  if (!value || value->empty() || *value == "measured") return NonBlocking::Measured;
  if (*value == "0") return NonBlocking::Native;
  if (*value == "1") return NonBlocking::Planned;
  return Error{"ESPALIER_NONBLOCKING",
               fmt::format("\"{:.60}\" is none of 0, 1 and measured", *value),
               "measured plans what is measured to gain, 1 all that can be planned"};
}

}  // namespace

Expected<Settings> read_settings(const Environment& environment) {
  Settings settings;
  struct Switch {
    const char* name;
    bool Settings::*member;
  };
  for (const Switch& one :
       {Switch{"ESPALIER_DISABLE", &Settings::disabled}, Switch{"ESPALIER_FORCE", &Settings::force},
        Switch{"ESPALIER_REPRODUCIBLE", &Settings::reproducible},
        Switch{"ESPALIER_REORDER", &Settings::reorder},
        Switch{"ESPALIER_DISCOVER", &Settings::discover},
        Switch{"ESPALIER_CACHE", &Settings::cache}, Switch{"ESPALIER_TRIAL", &Settings::trial},
        Switch{"ESPALIER_PROGRESS_THREAD", &Settings::progress_thread}}) {
    const Expected<bool> value = read_switch(environment, one.name, settings.*one.member);
    if (!value) return value.error();
    settings.*one.member = *value;
  }
  const Expected<NonBlocking> nonblocking = read_nonblocking(environment);
  if (!nonblocking) return nonblocking.error();
  settings.nonblocking = *nonblocking;
  const Expected<SharedMemory> shared = read_shared(environment, "ESPALIER_SHARED");
  if (!shared) return shared.error();
  settings.shared = *shared;
  const Expected<SharedMemory> one_copy = read_shared(environment, "ESPALIER_ONE_COPY");
  if (!one_copy) return one_copy.error();
  settings.one_copy = *one_copy;
  const Expected<int> log = read_log(environment);
  if (!log) return log.error();
  settings.log = *log;
  settings.explain = environment("ESPALIER_EXPLAIN").value_or("");
  if (settings.explain == "0") settings.explain.clear();
  settings.trace = environment("ESPALIER_TRACE").value_or("");
  settings.machine = environment("ESPALIER_MACHINE").value_or("");
  settings.verdicts = environment("ESPALIER_VERDICTS").value_or("");
  settings.algorithm = read_algorithms(environment("ESPALIER_ALGORITHM").value_or("")).known;
  struct Limit {
    const char* name;
    Bytes Settings::*member;
    const char* hint;
  };
  for (const Limit& one :
       {Limit{"ESPALIER_MEMORY", &Settings::bundle_limit, "write it as 64MiB, or unset it"},
        Limit{"ESPALIER_SHARED_MEMORY", &Settings::shared_limit,
              "write it as 4MiB, or unset it"}}) {
    const auto value = environment(one.name);
    if (!value || value->empty()) continue;
    const Expected<Bytes> limit = parse_bytes(*value);
    if (!limit) {
      return Error{one.name, fmt::format("\"{:.60}\" is no number of bytes", *value), one.hint};
    }
    settings.*one.member = *limit;
  }
  return settings;
}

bool is_named_native(const Settings& settings, schedule::Operation operation) {
  const auto named = settings.algorithm.find(operation);
  if (named == settings.algorithm.end() || named->second != kNativeName) return false;
  return !(settings.reproducible && schedule::reduces(operation));
}

bool names_a_plan(const Settings& settings) {
  return std::any_of(settings.algorithm.begin(), settings.algorithm.end(),
                     [](const auto& named) { return named.second != kNativeName; });
}

std::optional<Error> contradiction(const Settings& agreed, const Environment& environment) {
  const Expected<Settings> read = read_settings(environment);
  if (!read) return read.error();
  const Settings own = settings_from_text(to_text(*read));  // through text, as the agreed ones
  const auto differs = [&](const char* name, const auto& here, const auto& there) {
    return !environment(name).value_or("").empty() && !(here == there);
  };
  for (const auto& [name, is_different] :
       {std::pair{"ESPALIER_MACHINE", differs("ESPALIER_MACHINE", own.machine, agreed.machine)},
        std::pair{"ESPALIER_ALGORITHM",
                  differs("ESPALIER_ALGORITHM", own.algorithm, agreed.algorithm)},
        std::pair{"ESPALIER_MEMORY",
                  differs("ESPALIER_MEMORY", own.bundle_limit, agreed.bundle_limit)},
        std::pair{"ESPALIER_FORCE", differs("ESPALIER_FORCE", own.force, agreed.force)},
        std::pair{"ESPALIER_REPRODUCIBLE",
                  differs("ESPALIER_REPRODUCIBLE", own.reproducible, agreed.reproducible)},
        std::pair{"ESPALIER_REORDER", differs("ESPALIER_REORDER", own.reorder, agreed.reorder)},
        std::pair{"ESPALIER_DISCOVER", differs("ESPALIER_DISCOVER", own.discover, agreed.discover)},
        std::pair{"ESPALIER_TRIAL", differs("ESPALIER_TRIAL", own.trial, agreed.trial)},
        std::pair{"ESPALIER_NONBLOCKING",
                  differs("ESPALIER_NONBLOCKING", own.nonblocking, agreed.nonblocking)},
        std::pair{"ESPALIER_SHARED", differs("ESPALIER_SHARED", own.shared, agreed.shared)},
        std::pair{"ESPALIER_ONE_COPY", differs("ESPALIER_ONE_COPY", own.one_copy, agreed.one_copy)},
        std::pair{"ESPALIER_SHARED_MEMORY",
                  differs("ESPALIER_SHARED_MEMORY", own.shared_limit, agreed.shared_limit)},
        std::pair{"ESPALIER_DISABLE", differs("ESPALIER_DISABLE", own.disabled, false)}}) {
    if (!is_different) continue;
    return Error{name, fmt::format("\"{:.60}\" here, but not on rank 0", *environment(name)),
                 "set it alike for all processes, or for rank 0 only"};
  }
  return std::nullopt;
}

Settings planning_settings(Settings settings) {
  const Settings usual;
  settings.log = usual.log;
  settings.explain = usual.explain;
  settings.verdicts = usual.verdicts;
  settings.cache = usual.cache;
  return settings;
}

std::string to_text(const Settings& settings) {
  Json json = {{"disabled", settings.disabled},
               {"force", settings.force},
               {"reproducible", settings.reproducible},
               {"reorder", settings.reorder},
               {"log", settings.log},
               {"explain", settings.explain},
               {"trace", settings.trace},
               {"machine", settings.machine},
               {"discover", settings.discover},
               {"cache", settings.cache},
               {"trial", settings.trial},
               {"nonblocking", static_cast<int>(settings.nonblocking)},
               {"shared", static_cast<int>(settings.shared)},
               {"one_copy", static_cast<int>(settings.one_copy)},
               {"verdicts", settings.verdicts},
               {"shared_memory", settings.shared_limit.value},
               {"memory", settings.bundle_limit.value},
               {"algorithm", Json::object()}};
  for (const auto& [operation, name] : settings.algorithm) {
    json["algorithm"][std::string(schedule::name_of(operation))] = name;
  }
  // Whatever bytes the environment holds: they are for people, not for planning.
  return json.dump();
}

Settings settings_from_text(const std::string& text) {
  const Json json = Json::parse(text);
  Settings settings;
  settings.disabled = json.at("disabled").get<bool>();
  settings.force = json.at("force").get<bool>();
  settings.reproducible = json.at("reproducible").get<bool>();
  settings.reorder = json.at("reorder").get<bool>();
  settings.log = json.at("log").get<int>();
  settings.explain = json.at("explain").get<std::string>();
  settings.trace = json.at("trace").get<std::string>();
  settings.machine = json.at("machine").get<std::string>();
  settings.discover = json.at("discover").get<bool>();
  settings.cache = json.at("cache").get<bool>();
  settings.trial = json.at("trial").get<bool>();
  settings.nonblocking = static_cast<NonBlocking>(json.at("nonblocking").get<int>());
  settings.shared = static_cast<SharedMemory>(json.at("shared").get<int>());
  settings.one_copy = static_cast<SharedMemory>(json.at("one_copy").get<int>());
  settings.shared_limit.value = json.at("shared_memory").get<std::uint64_t>();
  settings.verdicts = json.at("verdicts").get<std::string>();
  settings.bundle_limit.value = json.at("memory").get<std::uint64_t>();
  for (const auto& [name, algorithm] : json.at("algorithm").items()) {
    settings.algorithm[schedule::called_operation_named(name).value()] =
        algorithm.get<std::string>();
  }
  return settings;
}

}  // namespace espalier::runtime
