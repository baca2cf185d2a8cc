#include "discover/cache.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text_hash.hpp"
#include "discover/probe_rounds.hpp"
#include "topology/readers.hpp"
#include "topology/writers.hpp"

namespace espalier::discover {
namespace {

constexpr const char* kFormat = "espalier-discovery-1";
constexpr std::uint64_t kLongest = std::uint64_t{64} << 20U;

void add_machine(const CachedMachine& machine, Json& value) {
  value["made"] = machine.made;
  value["complete"] = machine.complete;
  value["words"] = machine.words;
  value["doubts"] = machine.doubts;
  value["machine"] = topology::write_json(machine.machine);
}

Expected<CachedMachine> machine_of(const Json& value, const std::string& file) {
  auto machine = topology::read_json(value.at("machine").get<std::string>(), file);
  if (!machine) return machine.error();
  return CachedMachine{std::move(*machine), value.at("words").get<std::vector<std::string>>(),
                       value.at("made").get<std::int64_t>(), value.value("complete", true),
                       value.value("doubts", std::vector<std::string>{})};
}

Expected<std::optional<CachedMachine>> parse(const std::string& text, const std::string& file,
                                             const std::string& key, std::int64_t now) try {
  const Json value = Json::parse(text);
  if (value.at("format") != kFormat || value.at("key") != key) {
    return Error{file, "it is for other hosts or another version", "it is measured again"};
  }
  const auto made = value.at("made").get<std::int64_t>();
  const bool complete = value.value("complete", true);
  const std::int64_t most = complete ? kCacheSeconds : kCacheSecondsIfIncomplete;
  if (made > now || now - made > most) return std::optional<CachedMachine>{};
  auto machine = machine_of(value, file);
  if (!machine) return machine.error();
  return std::optional<CachedMachine>(std::move(*machine));
} catch (const JsonError&) {
  return Error{file, "it is broken", "it is measured again"};
}

/// Those of the pairs whose round trip is not what the machine says.
Expected<std::vector<NodePair>> pairs_that_differ(Prober& prober, const topology::Machine& machine,
                                                  std::span<const Rank> rank_of_node,
                                                  std::span<const NodePair> pairs, bool is_first) {
  std::vector<Round> rounds;
  for (const PairRound& round : in_rounds(pairs)) {
    rounds.emplace_back();
    for (const auto& [a, b] : round) {
      // Who is told by the first node to answer is there when its message comes; others may wait
      // for each other in the first sample, and have a second.
      rounds.back().push_back({.from = a,
                               .to = b,
                               .repeats = 4,
                               .patience = milliseconds(5),
                               .warms_up = a != 0 || !is_first,
                               .greets = !is_first});
    }
  }
  auto measured = prober.run(rounds);
  if (!measured) return measured.error();
  std::vector<NodePair> off;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    for (std::size_t i = 0; i < rounds[r].size(); ++i) {
      const Rank a = rank_of_node[rounds[r][i].from];
      const Rank b = rank_of_node[rounds[r][i].to];
      const Time expected = 2 * machine.path(a, b).latency + machine.costs(a).send.fixed +
                            machine.costs(a).recv.fixed + machine.costs(b).send.fixed +
                            machine.costs(b).recv.fixed;
      const Time seen = least((*measured)[r][i].samples);
      const Time by = seen > expected ? seen - expected : expected - seen;
      const bool is_near = 2 * seen >= expected && seen <= 2 * expected;
      if (!is_near && by > microseconds(100)) {
        off.emplace_back(rounds[r][i].from, rounds[r][i].to);
      }
    }
  }
  return off;
}

/// start-0123456789abcdef.json or machine-...: what is kept has such names.
bool is_kept_name(std::string_view name) {
  constexpr std::size_t kDigits = 16;
  constexpr std::string_view kEnd = ".json";
  for (const std::string_view begin : {"start-", "machine-"}) {
    if (name.size() == begin.size() + kDigits + kEnd.size() && name.starts_with(begin) &&
        name.ends_with(kEnd)) {
      return name.substr(begin.size(), kDigits).find_first_not_of("0123456789abcdef") ==
             std::string_view::npos;
    }
  }
  return false;
}

/// Kept, or not yet complete. Files of the user's with names like these stay.
bool is_ours(std::string_view name) {
  constexpr std::string_view kUnfinished = ".0123456789abcdef.new";
  if (is_kept_name(name)) return true;
  if (name.size() <= kUnfinished.size() + 1) return false;
  const std::string_view of = name.substr(1, name.size() - 1 - kUnfinished.size());
  return is_kept_name(of) && is_unfinished(name, of);
}

}  // namespace

std::string to_text(const CachedMachine& machine) {
  Json value;
  add_machine(machine, value);
  return value.dump();
}

Expected<CachedMachine> cached_machine_from(const std::string& text) {
  return machine_of(Json::parse(text), "discovery");
}

std::string cache_folder(const std::string& xdg_cache_home, const std::string& home) {
  if (xdg_cache_home.starts_with('/')) return xdg_cache_home + "/espalier";
  if (home.starts_with('/')) return home + "/.cache/espalier";
  return "";
}

std::string cache_file(const std::string& folder, const std::string& key) {
  return fmt::format("{}/machine-{:016x}.json", folder, hash_of(key));
}

Expected<std::optional<CachedMachine>> read_cache(const std::string& file, const std::string& key,
                                                  std::int64_t now) {
  auto text = read_own_file(file, kLongest);
  if (!text) return Error{file, text.error().what, "it is measured again"};
  if (!*text) return std::optional<CachedMachine>{};
  return parse(**text, file, key, now);
}

void remove_old_files(const std::string& folder, std::int64_t now) {
  namespace fs = std::filesystem;
  constexpr int kMostFiles = 512;
  std::error_code failed;
  fs::directory_iterator at(folder, failed);
  for (int i = 0; !failed && at != fs::directory_iterator() && i < kMostFiles; ++i) {
    const std::string path = at->path().string(), name = at->path().filename().string();
    at.increment(failed);
    struct stat there {};
    if (!is_ours(name) || ::lstat(path.c_str(), &there) != 0) continue;
    if (now - there.st_mtime > kCacheSeconds) remove_own_file(path);
  }
}

void prepare_folder_of(const std::string& file, std::int64_t now) {
  namespace fs = std::filesystem;
  std::error_code failed;
  const fs::path folder = fs::path(file).parent_path();
  if (fs::create_directories(folder, failed)) {
    fs::permissions(folder, fs::perms::owner_all, failed);
  }
  remove_old_files(folder.string(), now);
}

Expected<bool> write_cache(const std::string& file, const std::string& key,
                           const CachedMachine& machine) {
  Json value{{"format", kFormat}, {"key", key}};
  add_machine(machine, value);
  const std::string text = value.dump(1) + "\n";
  prepare_folder_of(file, machine.made);
  if (auto wrong = replace_own_file(file, text, 0600, Keep::Durably)) return *std::move(wrong);
  return true;
}

Expected<bool> still_holds(Prober& prober, const topology::Machine& machine,
                           std::span<const Rank> rank_of_node) {
  expects(rank_of_node.size() == prober.size(), "still_holds: not a rank for each node");
  // Every level is crossed once, from the first node where it has one: it is the one that asks.
  std::vector<NodePair> pairs;
  std::vector<bool> crossed(machine.levels().size() + 1);
  const auto cross = [&](Node a, Node b) {
    const std::uint32_t level = machine.path(rank_of_node[a], rank_of_node[b]).level;
    if (crossed[level]) return;
    crossed[level] = true;
    pairs.emplace_back(a, b);
  };
  for (Node i = 1; i < rank_of_node.size(); ++i) cross(0, i);
  for (Node i = 1; i + 1 < rank_of_node.size(); ++i) cross(i, i + 1);
  // What is off may have waited for a connection: such pairs are asked once more.
  for (const bool is_first : {true, false}) {
    auto off = pairs_that_differ(prober, machine, rank_of_node, pairs, is_first);
    if (!off) return off.error();
    if (off->empty()) return true;
    pairs = std::move(*off);
  }
  return false;
}

}  // namespace espalier::discover
