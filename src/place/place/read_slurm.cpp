#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/located_json.hpp"
#include "place/load_inventory.hpp"
#include "topology/readers.hpp"

namespace espalier::place {
namespace {

using Kind = LocatedJson::Kind;

std::uint32_t number_or(const LocatedJson* json, std::uint32_t fallback) {
  if (json == nullptr) return fallback;
  if (json->kind == Kind::Object) return number_or(json->find("number"), fallback);
  std::uint32_t n = 0;
  const char* end = json->text.data() + json->text.size();
  const auto [stop, code] = std::from_chars(json->text.data(), end, n);
  return code == std::errc() && stop == end && n < (1U << 20) ? n : fallback;
}

/// A string, or the first string in an array, as it is written: names keep their case.
std::string name_in(const LocatedJson* json) {
  if (json == nullptr) return "";
  if (json->kind == Kind::Array) return json->items.empty() ? "" : name_in(&json->items[0]);
  return json->kind == Kind::String ? json->text : "";
}

/// The same in small letters: words for states are written either way.
std::string word_of(const LocatedJson* json) {
  std::string word = name_in(json);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word;
}

/// Slurm 22.05 keeps what is wrong with a node apart, as flags; later ones put all words into one
/// list. An idle node may be drained.
bool is_out_of_use(const LocatedJson* words) {
  if (words == nullptr || words->kind != Kind::Array) return false;
  for (const LocatedJson& item : words->items) {
    const std::string word = word_of(&item);
    for (const std::string_view bad :
         {"drain", "fail", "down", "maint", "not_responding", "reboot", "invalid"}) {
      if (word.starts_with(bad)) return true;
    }
  }
  return false;
}

map::HostState state_of(const LocatedJson* state, const LocatedJson* flags) {
  if (is_out_of_use(state) || is_out_of_use(flags)) return map::HostState::Down;
  const std::string word = word_of(state);
  if (word.rfind("idle", 0) == 0 || word.rfind("mix", 0) == 0) return map::HostState::Free;
  return word.rfind("alloc", 0) == 0 ? map::HostState::Busy : map::HostState::Down;
}

void add(InventorySpec& spec, std::string where, const std::string& name, std::string partition,
         std::uint32_t cpus, std::uint32_t busy, map::HostState state) {
  for (const HostSpec& known : spec.hosts) {
    if (known.host.name == name) return;  // the host is in several partitions: the first one counts
  }
  map::Host host;
  host.name = name;
  host.cluster = std::move(partition);
  host.cores = std::max<std::uint32_t>(1, cpus);
  host.slots = std::max<std::uint32_t>(1, cpus > busy ? cpus - busy : 0);
  host.state = cpus > busy || state == map::HostState::Down ? state : map::HostState::Busy;
  spec.hosts.push_back({std::move(where), std::move(host)});
}

}  // namespace

Expected<map::Inventory> read_sinfo_json(std::string_view text, const std::string& file,
                                         const std::vector<LinkSpec>& forecast) {
  auto json = parse_located_json(text, file);
  if (!json) return json.error();
  InventorySpec spec;
  spec.where = file;
  spec.name = "slurm";
  const auto at = [&](const LocatedJson& item) { return fmt::format("{}:{}", file, item.line); };
  if (const LocatedJson* nodes = json->find("nodes"); nodes && nodes->kind == Kind::Array) {
    for (const LocatedJson& node : nodes->items) {
      const LocatedJson* name = node.find("name");
      if (name == nullptr || name->kind != Kind::String) {
        return Error{at(node), "a node without a name", "is this what sinfo --json printed?"};
      }
      add(spec, at(node), name->text, name_in(node.find("partitions")),
          number_or(node.find("cpus"), 1), number_or(node.find("alloc_cpus"), 0),
          state_of(node.find("state"), node.find("state_flags")));
    }
  } else if (const LocatedJson* rows = json->find("sinfo"); rows && rows->kind == Kind::Array) {
    for (const LocatedJson& row : rows->items) {
      const LocatedJson* list = row.find("nodes");
      const LocatedJson* names = list == nullptr ? nullptr : list->find("nodes");
      const LocatedJson* cpus = row.find("cpus");
      const LocatedJson* node = row.find("node");
      const LocatedJson* partition = row.find("partition");
      if (names == nullptr || cpus == nullptr || node == nullptr) continue;
      const auto count = static_cast<std::uint32_t>(std::max<std::size_t>(1, names->items.size()));
      for (const LocatedJson& name : names->items) {
        add(spec, at(row), name.text, partition ? name_in(partition->find("name")) : "",
            number_or(cpus->find("total"), count) / count,
            number_or(cpus->find("allocated"), 0) / count, state_of(node->find("state"), nullptr));
      }
    }
  } else {
    return Error{file, "neither \"nodes\" nor \"sinfo\", nor a \"format\" of ours",
                 "is this what sinfo --json printed? Ours begins with \"format\": "
                 "\"espalier-inventory-1\" (docs/formats.md)"};
  }
  if (auto bad = apply_forecast(forecast, spec)) return *bad;
  return build_inventory(std::move(spec));
}

Expected<map::Inventory> read_scontrol_topology(std::string_view text, const std::string& file) {
  // The file's grammar, but with the level, and with all nodes below named on every switch.
  std::string conf;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::size_t switches = line.find(" Switches=");
    const bool has_switches =
        switches != std::string_view::npos &&
        line.find_first_not_of(" \r", switches + 10) != std::string_view::npos;
    for (std::size_t word = line.find_first_not_of(' '); word != std::string_view::npos;) {
      const std::size_t stop = std::min(line.find(' ', word), line.size());
      const std::string_view one = line.substr(word, stop - word);
      const bool dropped = one.rfind("Level=", 0) == 0 || one == "Switches=" || one == "Nodes=" ||
                           (has_switches && one.rfind("Nodes=", 0) == 0);
      if (!dropped) conf += std::string(one) + " ";
      word = line.find_first_not_of(' ', stop);
    }
    conf += '\n';
    at = end + 1;
  }
  auto read = topology::read_slurm_topology(conf, file);
  if (!read) return read.error();
  map::Inventory inventory = map::inventory_of(std::move(read->machine));
  inventory.notes = std::move(read->notes);
  return inventory;
}

}  // namespace espalier::place
