#include <fmt/format.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/nearest.hpp"
#include "doctor/checks.hpp"
#include "runtime/named_algorithms.hpp"
#include "runtime/named_clusters.hpp"
#include "runtime/setting_names.hpp"
#include "runtime/settings.hpp"
#include "runtime/verdicts.hpp"
#include "topology/load_machine.hpp"

namespace espalier::doctor {
namespace {

constexpr const char* kSettingsArea = "settings";
constexpr std::string_view kPrefix = "ESPALIER_";

/// The complaint of the runtime about this variable alone, if it has one.
std::optional<Error> refusal(const std::string& name, const std::string& value) {
  const auto settings =
      runtime::read_settings([&](const std::string& asked) -> std::optional<std::string> {
        return asked == name ? std::optional(value) : std::nullopt;
      });
  if (!settings) return settings.error();
  if (name == "ESPALIER_MACHINE" && !value.empty()) {
    const auto machine = topology::load_machine(value);
    if (!machine) return machine.error();
  }
  if (name == "ESPALIER_VERDICTS" && !value.empty()) {
    const auto verdicts = runtime::read_verdicts(value);
    if (!verdicts) return verdicts.error();
  }
  if (name == "ESPALIER_CLUSTERS" && !value.empty()) {
    const auto clusters = runtime::clusters_from(runtime::cluster_text(value));
    if (!clusters) return clusters.error();
  }
  return std::nullopt;
}

bool names_output(const std::string& name, const std::string& value) {
  if (value.empty()) return false;
  return name == "ESPALIER_PROFILE" || name == "ESPALIER_VERDICTS" || name == "ESPALIER_TRACE" ||
         (name == "ESPALIER_EXPLAIN" && value != "0" && value != "1");
}

Finding check_known(const std::string& name, const std::string& value) {
  if (auto error = refusal(name, value)) {
    // A broken file of verdicts and wrong clusters are passed over; all else makes everything
    // native.
    const bool is_harmless = name == "ESPALIER_VERDICTS" || name == "ESPALIER_CLUSTERS";
    const std::string from = error->where == name ? "" : error->where + ": ";
    return {kSettingsArea, is_harmless ? Severity::Warning : Severity::Problem, name,
            from + error->what,
            error->hint.empty() ? "set it as docs/reference/variables.md says, or unset it"
                                : error->hint};
  }
  if (names_output(name, value) && !is_writable_file(value)) {
    return {kSettingsArea, Severity::Warning, name, fmt::format("\"{}\" cannot be written", value),
            "name a file in a folder that you may write to"};
  }
  if (name == "ESPALIER_DISABLE" && value == "1") {
    return {kSettingsArea, Severity::Warning, name, "everything is native", "unset it"};
  }
  return {kSettingsArea, Severity::Ok, name, fmt::format("= {}", value), ""};
}

}  // namespace

Findings wrong_algorithms(const std::string& value) {
  Findings all;
  for (const auto& wrong : runtime::read_algorithms(value).wrong) {
    const Error error = with_names(wrong);
    all.push_back({kSettingsArea, Severity::Problem, error.where, error.what, error.hint});
  }
  return all;
}

Findings unknown_settings(const Environment& environment) {
  std::vector<std::string> known = runtime::setting_names();
  for (std::string& name : known)
    name.erase(0, kPrefix.size());  // all share the prefix, which must not count as likeness
  Findings all;
  for (const auto& [name, value] : environment) {
    if (!name.starts_with(kPrefix)) continue;
    const std::string rest = name.substr(kPrefix.size());
    if (std::find(known.begin(), known.end(), rest) != known.end()) continue;
    const std::string meant = nearest(rest, known);
    all.push_back(
        {kSettingsArea, Severity::Warning, name, "there is no such variable, and it does nothing",
         meant.empty() ? "unset it; docs/reference/variables.md lists those that there are"
                       : fmt::format("did you mean {}{}?", kPrefix, meant)});
  }
  return all;
}

Findings check_settings(const Environment& environment) {
  const std::vector<std::string> known = runtime::setting_names();
  Findings all = unknown_settings(environment);
  for (const auto& [name, value] : environment) {
    // The lab sets its own in the processes that it starts.
    if (name.starts_with("ESPALIER_LAB_")) continue;
    if (std::find(known.begin(), known.end(), name) == known.end()) continue;
    Findings wrong = name == "ESPALIER_ALGORITHM" ? wrong_algorithms(value) : Findings{};
    if (wrong.empty()) wrong.push_back(check_known(name, value));
    append(all, std::move(wrong));
  }
  if (all.empty())
    all.push_back({kSettingsArea, Severity::Ok, "ESPALIER_*", "none is set: all as usual", ""});
  return all;
}

}  // namespace espalier::doctor
