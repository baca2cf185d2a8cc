#include "mpi/discover_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>

#include "base/json.hpp"
#include "base/units.hpp"
#include "discover/doubts.hpp"
#include "discover/node_record.hpp"
#include "mpi/kept_file.hpp"
#include "mpi/probe_tasks.hpp"
#include "mpi/world_nodes.hpp"
#include "runtime/told_to_mpi.hpp"

namespace espalier::mpi {
namespace {

/// All that a measured machine depends on: the nodes and their processes, the MPI, and what it was
/// told about links.
std::string cache_key(const std::vector<discover::NodeRecord>& records) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(version, &length);
  std::string key = fmt::format("{}\n{}\n{}", ESPALIER_VERSION, version, runtime::told_to_mpi());
  for (discover::NodeRecord record : records) {
    record.memory_latency = Time{};  // measured, not given
    record.load = 0;
    key += to_text(record) + "\n";
  }
  return key;
}

std::vector<std::string> all_words(const discover::Discovered& found) {
  std::vector<std::string> words = found.words;
  words.push_back(
      fmt::format("round trips are explained within {:.1f} % (nine in ten within {:.1f} %)",
                  100 * found.fit.median_error, 100 * found.fit.worst_error));
  words.push_back(fmt::format("{} probes in {}: distances {}, bandwidths {}", found.probes,
                              rounded(found.spent, 3), rounded(found.surveyed, 3),
                              rounded(found.calibrated, 3)));
  for (std::size_t i = 0; i < found.fit.outliers.size() && i < 5; ++i) {
    words.push_back(found.fit.outliers[i]);
  }
  if (!found.complete)
    words.push_back(
        "time was over before all was measured (espalier discover --fresh --seconds 10 goes on)");
  return words;
}

std::vector<discover::NodeLoad> loads_of(std::span<const discover::NodeRecord> records) {
  std::vector<discover::NodeLoad> loads;
  for (const auto& record : records) loads.push_back({record.name, record.load, record.cpu_count});
  return loads;
}

/// Rank 0: from the cache if it still holds, else measured.
class Coordinator {
 public:
  Coordinator(const DiscoverOptions& options, const WorldNodes& nodes)
      : options_(options), nodes_(nodes) {}

  Expected<WorldDiscovery> run() {
    std::vector<int> ranks;
    for (const NodeText& node : nodes_.nodes) ranks.push_back(node.leader);
    MpiProber prober(nodes_.world.get(), std::move(ranks), options_.progress);
    std::vector<discover::NodeRecord> records;
    for (const NodeText& node : nodes_.nodes) {
      auto record = discover::node_record_from(node.text);
      if (!record) return record.error();
      records.push_back(std::move(*record));
    }
    const std::string key = cache_key(records);
    const std::string folder = cache_folder();
    const std::string file = folder.empty() ? "" : discover::cache_file(folder, key);
    if (options_.read_cache && !file.empty()) {
      if (auto known = from_cache(prober, file, key, records)) return std::move(*known);
    }
    auto found = discover::discover(prober, discover::node_infos(records), options_.budget);
    if (!found) return found.error();
    std::vector<std::string> doubts = found->doubts;
    for (std::string& doubt : doubts_of(loads_of(records))) doubts.push_back(std::move(doubt));
    discover::CachedMachine made{std::move(found->machine), all_words(*found), std::time(nullptr),
                                 found->complete && doubts.empty(), doubts};
    const bool is_worth_keeping = found->clusters_resolved && doubts.empty();
    if (options_.write_cache && !file.empty() && is_worth_keeping) {
      if (auto done = write_cache(file, key, made); !done) note(done.error());
    }
    return WorldDiscovery{std::move(made), notes_};
  }

 private:
  std::optional<WorldDiscovery> from_cache(MpiProber& prober, const std::string& file,
                                           const std::string& key,
                                           const std::vector<discover::NodeRecord>& records) {
    auto cached = discover::read_cache(file, key, std::time(nullptr));
    if (!cached) {
      note(cached.error());
      return std::nullopt;
    }
    if (!*cached) return std::nullopt;
    std::size_t processes = 0;
    for (const auto& record : records) processes += record.ranks.size();
    if ((*cached)->machine.size() != processes) {
      note(Error{file, "it has another number of processes", ""});
      return std::nullopt;
    }
    std::vector<Rank> first;
    for (const auto& record : records) first.push_back(record.ranks.front());
    const auto holds = discover::still_holds(prober, (*cached)->machine, first);
    if (!holds || !*holds) {
      notes_.push_back("the network is no longer as it was: measured again");
      return std::nullopt;
    }
    return WorldDiscovery{std::move(**cached), notes_, true};
  }

  void note(const Error& error) {
    notes_.push_back(fmt::format("{}: {}", error.where, error.what));
  }

  const DiscoverOptions& options_;
  const WorldNodes& nodes_;
  std::vector<std::string> notes_;
};

std::string to_text(const Expected<WorldDiscovery>& found) {
  Json value;
  if (found) {
    value = {
        {"seen", to_text(found->seen)}, {"notes", found->notes}, {"cached", found->from_cache}};
  } else {
    value = {
        {"where", found.error().where}, {"what", found.error().what}, {"hint", found.error().hint}};
  }
  return value.dump();
}

Expected<WorldDiscovery> from_text(const std::string& text) {
  const Json value = Json::parse(text);
  if (!value.contains("seen")) {
    const auto text_of = [&](const char* key) { return value.at(key).get<std::string>(); };
    return Error{text_of("where"), text_of("what"), text_of("hint")};
  }
  auto seen = discover::cached_machine_from(value.at("seen").get<std::string>());
  if (!seen) return seen.error();
  return WorldDiscovery{std::move(*seen), value.at("notes").get<std::vector<std::string>>(),
                        value.at("cached").get<bool>()};
}

/// Broadcasts a text from rank 0, at once if it is short. Ranks that wait are asleep.
void broadcast_asleep(std::string& text, MPI_Comm world) {
  struct {
    std::uint64_t length = 0;
    std::array<char, 8184> begin{};
  } first;
  first.length = text.size();
  text.copy(first.begin.data(), first.begin.size());
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibcast(&first, static_cast<int>(sizeof first), MPI_BYTE, 0, world, &request);
  wait_asleep(request);
  text.resize(first.length);
  const std::size_t there = std::min(text.size(), first.begin.size());
  std::copy_n(first.begin.data(), there, text.data());
  if (there == text.size()) return;
  PMPI_Ibcast(text.data() + there, static_cast<int>(text.size() - there), MPI_CHAR, 0, world,
              &request);
  wait_asleep(request);
}

}  // namespace

Expected<WorldDiscovery> discover_world(const DiscoverOptions& options, MPI_Comm over,
                                        std::span<const int> leaders) try {
  const auto found_nodes = find_nodes(over, leaders);
  if (!found_nodes) return found_nodes.error();
  const WorldNodes& nodes = *found_nodes;
  std::string text;
  if (!nodes.nodes.empty()) {
    try {  // the others wait for our answer
      text = to_text(Coordinator(options, nodes).run());
    } catch (const std::exception& bug) {
      text = to_text(Error{"discovery", bug.what(), "please report this"});
    }
  } else if (nodes.is_leader) {
    serve_prober(nodes.world.get());
  }
  broadcast_asleep(text, nodes.world.get());
  auto found = from_text(text);
  if (found) found->waited = nodes.waited;
  return found;
} catch (const std::exception& bug) {
  return Error{"discovery", bug.what(), "please report this"};
}

}  // namespace espalier::mpi
