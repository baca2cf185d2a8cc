#include "place/load_inventory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <functional>
#include <iterator>
#include <map>
#include <span>

#include "base/file.hpp"
#include "base/nearest.hpp"
#include "topology/load_machine.hpp"
#include "topology/readers.hpp"
#include "topology/usual_figures.hpp"

namespace espalier::place {
namespace {

/// "4" of "slots=4" or "n1:4"; 0 if it is no number from 1 on.
std::uint32_t count_of(std::string_view text) {
  std::uint32_t n = 0;
  const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), n);
  return code == std::errc() && stop == text.data() + text.size() && n < (1U << 20) ? n : 0;
}

std::vector<std::string_view> words_of(std::string_view line) {
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  for (std::size_t at = line.find_first_not_of(" \t\r"); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t\r", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(" \t\r", end);
  }
  return words;
}

}  // namespace

/// What a key is near to; nothing if it is one of a launcher's, or like none of them.
std::string misspelt_key(std::string_view key) {
  const std::vector<std::string> known{"slots", "max_slots", "max-slots",
                                       "ifhn",  "binding",   "user"};
  if (std::find(known.begin(), known.end(), key) != known.end()) return "";
  return nearest(key, known);
}

Expected<map::Inventory> read_hostfile(std::string_view text, const std::string& file) {
  InventorySpec spec;
  spec.where = file;
  spec.name = file;
  std::map<std::string, std::size_t, std::less<>> known;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const auto words = words_of(text.substr(at, end - at));
    at = end + 1;
    ++number;
    if (words.empty()) continue;
    const std::string where = fmt::format("{}:{}", file, number);
    const std::string_view name = words[0].substr(0, words[0].find(':'));
    bool are_given = name.size() < words[0].size();
    std::uint32_t slots = are_given ? count_of(words[0].substr(name.size() + 1)) : 1;
    for (const std::string_view word : std::span(words).subspan(1)) {
      if (word.rfind("slots=", 0) == 0) {
        if (are_given) {
          return Error{where,
                       fmt::format("its slots are given twice, \"{}\" too", word.substr(0, 60)),
                       "give them once: n1 slots=4"};
        }
        are_given = true;
        slots = count_of(word.substr(6));
      } else if (word.find('=') == std::string_view::npos) {
        return Error{where, fmt::format("\"{}\" is not KEY=VALUE", word.substr(0, 60)),
                     "n1 slots=4"};
      } else if (const std::string meant = misspelt_key(word.substr(0, word.find('=')));
                 !meant.empty()) {
        return Error{where, fmt::format("there is no \"{}\"", word.substr(0, 60)),
                     fmt::format("did you mean {}=?", meant)};
      }
    }
    if (!is_host_name(name))
      return Error{where, fmt::format("\"{}\" is no name of a host", words[0].substr(0, 60)),
                   "a line for each host: n1 slots=4"};
    if (slots == 0) {
      return Error{where, fmt::format("host {} has slots that are no number from 1 on", name),
                   "n1 slots=4"};
    }
    const auto [it, is_new] = known.emplace(std::string(name), spec.hosts.size());
    if (is_new) {
      map::Host host;
      host.name = std::string(name);
      host.slots = host.cores = slots;
      spec.hosts.push_back({where, std::move(host)});
    } else {
      map::Host& host = spec.hosts[it->second].host;
      host.slots = host.cores = host.slots + slots;
    }
  }
  return build_inventory(std::move(spec));
}

Expected<map::Inventory> parse_inventory(const std::string& text, const std::string& file,
                                         const std::vector<LinkSpec>& forecast) {
  if (text.find("espalier-inventory") != std::string::npos) {
    return read_inventory_json(text, file, forecast);
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') {
    return read_sinfo_json(text, file, forecast);
  }
  if (text.find("SwitchName=") != std::string::npos) return read_scontrol_topology(text, file);
  return read_hostfile(text, file);
}

namespace {

constexpr std::string_view kInventories =
    "an inventory is a file (JSON, sinfo's, a hostfile; - is standard input), or a machine: a "
    "file, or a line such as \"site:2(30ms) proc:16(5us)\"";
/// One of them is at the beginning of each large file.
constexpr std::array<std::string_view, 8> kSigns{
    "espalier-inventory", "espalier-machine-", "<platform", "<topology",
    "SwitchName=",        "\"nodes\"",         "\"sinfo\"", "slots="};

Expected<map::Inventory> of_machine(Expected<topology::LoadedMachine> machine) {
  if (!machine) return machine.error();
  map::Inventory inventory = map::inventory_of(std::move(machine->machine));
  inventory.notes = std::move(machine->notes);
  return inventory;
}

/// From a file, a pipe or standard input; read once, since a pipe can be read only once.
Expected<map::Inventory> of_text(const std::string& text, const std::string& file,
                                 const std::vector<LinkSpec>& forecast) {
  const bool is_machine = text.find("espalier-machine-") != std::string::npos ||
                          text.find("<platform") != std::string::npos ||
                          text.find("<topology") != std::string::npos ||
                          (topology::looks_synthetic(text) && text.find('(') != std::string::npos);
  if (!is_machine) return parse_inventory(text, file, forecast);
  return of_machine(topology::parse_machine(text, file));
}

}  // namespace

Expected<map::Inventory> load_inventory(const std::string& argument,
                                        const std::vector<LinkSpec>& forecast) {
  std::error_code error;
  const bool is_file = argument == "-" || std::filesystem::exists(argument, error);
  bool takes_forecast = false;
  Expected<map::Inventory> inventory = Error{};
  if (is_file) {
    const auto text = read_named_file(argument, {.takes_pipes = true, .signs = kSigns});
    if (!text) return Error{text.error().where, text.error().what, std::string(kInventories)};
    takes_forecast = text->find("espalier-inventory") != std::string::npos ||
                     text->find("\"sinfo\"") != std::string::npos ||
                     text->find("\"partitions\"") != std::string::npos;
    inventory = of_text(*text, argument == "-" ? "standard input" : argument, forecast);
  } else {
    inventory = of_machine(topology::load_machine(argument));
    if (!inventory && inventory.error().what.ends_with("no machine")) {
      return Error{"inventory", inventory.error().what, std::string(kInventories)};
    }
  }
  if (!inventory) return inventory;
  if (!forecast.empty() && !takes_forecast) {
    return Error{"--weather", "this inventory has no named clusters whose links could be forecast",
                 "write an espalier-inventory-1 (docs/formats.md), or leave --weather out"};
  }
  auto assumed = topology::with_usual_figures(std::move(inventory->machine));
  inventory->machine = std::move(assumed.machine);
  inventory->has_assumed_figures = !assumed.note.empty();
  if (!assumed.note.empty()) inventory->notes.push_back(std::move(assumed.note));
  return inventory;
}

}  // namespace espalier::place
