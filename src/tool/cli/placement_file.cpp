#include "cli/placement_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/units.hpp"
#include "cli/example_machines.hpp"
#include "cli/output.hpp"
#include "place/load_inventory.hpp"
#include "topology/views.hpp"

namespace espalier::cli {
namespace {

struct PlacementFile {
  std::vector<std::string> hosts;  ///< [rank]
  Json document;
};

/// "predicted 1.2 s", as the file has it; empty: it does not say.
std::string time_in_words(const Json& document, const char* member, std::string_view what) {
  const Json value = document.value(member, Json());
  constexpr double kMost = 9e18;
  const double picoseconds = value.is_number() ? value.get<double>() : -1;
  if (!(picoseconds >= 0 && picoseconds <= kMost)) return "";
  return fmt::format(", {} {}", what, rounded(Time{static_cast<std::int64_t>(picoseconds)}, 3));
}

std::string in_words(const PlacementFile& placed) {
  const std::set<std::string> hosts(placed.hosts.begin(), placed.hosts.end());
  const Json profile = placed.document.value("profile", Json());
  return fmt::format(
      "placement{}: {} process{} on {} host{}{}{}",
      profile.is_string() ? fmt::format(" of {:.60}", profile.get<std::string>()) : "",
      placed.hosts.size(), placed.hosts.size() == 1 ? "" : "es", hosts.size(),
      hosts.size() == 1 ? "" : "s", time_in_words(placed.document, "predicted_ps", "predicted"),
      time_in_words(placed.document, "sequential_ps", "as listed"));
}

Expected<PlacementFile> read_placement(const std::string& text, const std::string& file) {
  const Error broken{file, "it is no whole placement", "write it again: espalier place --json"};
  const auto json = Json::read(text);
  if (!json || !json->is_object() || json->value("format", Json()) != kPlacementFormat)
    return broken;
  const Json ranks = json->value("ranks", Json());
  if (!ranks.is_array() || ranks.empty()) return broken;
  PlacementFile placed{{}, *json};
  std::vector<std::string>& hosts = placed.hosts;
  for (const Json& one : ranks) {
    const bool is_whole = one.is_object() && one.contains("rank") && one.contains("host") &&
                          one["rank"] == hosts.size() && one["host"].is_string();
    if (!is_whole) {
      return Error{
          file, fmt::format("\"ranks\": rank {} has no host, or is not in its place", hosts.size()),
          broken.hint};
    }
    hosts.push_back(one["host"].get<std::string>());
  }
  return placed;
}

}  // namespace

Expected<PlacedProgram> program_of_placement(const std::string& text, const std::string& file,
                                             const std::string& inventory) {
  const auto placed = read_placement(text, file);
  if (!placed) return placed.error();
  const auto there = place::load_inventory(file_of_machine(inventory), {});
  if (!there) return there.error();
  for (const std::string& note : there->notes) write_message(fmt::format("note: {}\n", note));
  std::map<std::string, std::uint32_t> taken;
  std::vector<Rank> places;
  for (const std::string& wanted : placed->hosts) {
    const auto host = std::find_if(there->hosts.begin(), there->hosts.end(),
                                   [&](const map::Host& one) { return one.name == wanted; });
    if (host == there->hosts.end()) {
      return Error{"--machine",
                   fmt::format("there is no host \"{:.60}\", which the placement uses", wanted),
                   "name the inventory that the placement was made for"};
    }
    const std::uint32_t slot = taken[wanted]++;
    if (slot >= host->slots) {
      return Error{"--machine",
                   fmt::format("host {:.60} has {} slots; the placement puts more processes there",
                               wanted, host->slots),
                   "name the inventory that the placement was made for"};
    }
    places.push_back(host->first_leaf + slot);
  }
  return PlacedProgram{topology::restrict_machine(there->machine, places), in_words(*placed)};
}

}  // namespace espalier::cli
