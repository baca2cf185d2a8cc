#include "runtime/named_clusters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/contract.hpp"
#include "base/file.hpp"
#include "topology/machine_spec.hpp"
#include "topology/usual_figures.hpp"

namespace espalier::runtime {
namespace {

using topology::MemberSpec;

constexpr const char* kVariable = "ESPALIER_CLUSTERS";
// cluster_text() tells of files by these, behind a "[".
constexpr std::string_view kUnreadable = " cannot be read";
constexpr std::string_view kEmptyFile = "an empty file";
constexpr const char* kForm = "write names from the outermost inwards, such as anl/sp2";

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool may_stand_in_names(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && c != '[' && c != ']' && c != ',';
}

/// A cluster while processes are put into it.
struct Grown {
  std::string name;
  std::vector<Grown> clusters;                        // in the order in which ranks name them
  std::map<int, std::vector<std::uint64_t>> by_node;  // ranks, by the leader of their node
};

Grown& child_of(Grown& cluster, const std::string& name) {
  for (Grown& inner : cluster.clusters) {
    if (inner.name == name) return inner;
  }
  cluster.clusters.push_back({name, {}, {}});
  return cluster.clusters.back();
}

/// Level by level what is joined there: clusters, nodes or processes, the first of these that is.
enum class Joined : std::uint8_t { Cluster, Node, Process };

class Speller {
 public:
  explicit Speller(std::size_t ranks) { listed_.resize(ranks); }

  MemberSpec spell(const Grown& cluster, std::size_t depth) {
    MemberSpec spec;
    spec.name = cluster.name;
    for (const Grown& inner : cluster.clusters) {
      note(depth, Joined::Cluster);
      spec.members.push_back(spell(inner, depth + 1));
    }
    for (const auto& [leader, ranks] : cluster.by_node) {
      note(depth, Joined::Node);
      note(depth + 1, Joined::Process);
      MemberSpec node;
      node.members.emplace_back();
      node.members.back().count = ranks.size();
      for (const std::uint64_t rank : ranks) listed_[rank] = next_leaf_++;
      spec.members.push_back(std::move(node));
    }
    return spec;
  }
  [[nodiscard]] std::vector<topology::LevelSpec> levels() const {
    std::vector<topology::LevelSpec> named;
    for (std::size_t l = 0; l < joined_.size(); ++l) {
      const std::string number = l == 0 ? "" : fmt::format("{}", l + 1);
      switch (joined_[l]) {
        case Joined::Cluster:
          named.push_back({{"network" + number, "cluster" + number}, {}, {}});
          break;
        case Joined::Node:
          named.push_back({{"network" + number, "node"}, {}, {}});
          break;
        case Joined::Process:
          named.push_back({{"memory", "process"}, {}, {}});
          break;
      }
    }
    return named;
  }
  [[nodiscard]] std::vector<std::uint64_t> listed() const { return listed_; }

 private:
  void note(std::size_t level, Joined what) {
    if (joined_.size() <= level) joined_.resize(level + 1, Joined::Process);
    joined_[level] = std::min(joined_[level], what);
  }

  std::vector<Joined> joined_;
  std::vector<std::uint64_t> listed_;
  std::uint64_t next_leaf_ = 0;
};

/// Some ranks name clusters and some do not.
std::optional<Error> missing(std::span<const std::string> texts) {
  const auto has_none = [](const std::string& text) { return text.empty(); };
  const auto first = std::find_if(texts.begin(), texts.end(), has_none);
  if (first == texts.end()) return std::nullopt;
  const auto count = std::count_if(texts.begin(), texts.end(), has_none);
  return Error{kVariable,
               fmt::format("{} of {} processes name no clusters, rank {} the first of them", count,
                           texts.size(), first - texts.begin()),
               "set it on all hosts, or on none"};
}

}  // namespace

Expected<std::vector<std::string>> clusters_from(std::string_view text) {
  const auto refused = [&](const std::string& what) { return Error{kVariable, what, kForm}; };
  if (text.size() > kMostClusterText) {
    return refused(
        fmt::format("{} characters; at most {} are read", text.size(), kMostClusterText));
  }
  if (text.starts_with('[') && (text.ends_with(kUnreadable) || text.substr(1) == kEmptyFile)) {
    return Error{kVariable, std::string(text.substr(1)),
                 "after @ name a file whose first line has names, such as anl/sp2"};
  }
  std::vector<std::string> names;
  for (std::string_view left = text;;) {
    const std::size_t slash = std::min(left.find('/'), left.size());
    const std::string_view name = without_blanks(left.substr(0, slash));
    if (name.empty()) return refused(fmt::format("\"{}\" has an empty name", text));
    if (!std::all_of(name.begin(), name.end(), may_stand_in_names)) {
      return refused("names have no brackets, commas and control characters");
    }
    names.emplace_back(name);
    if (slash == left.size()) break;
    left.remove_prefix(slash + 1);
  }
  if (names.size() > kMostNamedClusters) {
    return refused(fmt::format("{} clusters inside each other; at most {} are known", names.size(),
                               kMostNamedClusters));
  }
  return names;
}

std::string cluster_text(const std::string& value) {
  if (!value.starts_with('@')) return value;
  const auto text = read_named_file(value.substr(1), {.refuses_foreign = true});
  // What begins with "[" is refused by everybody, so all ranks hear of it.
  if (!text) return fmt::format("[{:.200}{}", value.substr(1), kUnreadable);
  const std::string line = text->substr(0, text->find('\n'));
  return line.empty() ? fmt::format("[{}", kEmptyFile) : line.substr(0, kMostClusterText + 1);
}

Expected<topology::Machine> machine_of_clusters(std::span<const std::string> texts,
                                                std::span<const int> leaders) {
  expects(texts.size() == leaders.size() && !texts.empty(),
          "machine_of_clusters: not a text and a leader for each rank");
  if (auto wrong = missing(texts)) return *std::move(wrong);
  Grown whole;
  for (std::size_t rank = 0; rank < texts.size(); ++rank) {
    const auto names = clusters_from(texts[rank]);
    if (!names) {
      Error error = names.error();
      error.what = fmt::format("rank {}: {}", rank, error.what);
      return error;
    }
    Grown* cluster = &whole;
    for (const std::string& name : *names) cluster = &child_of(*cluster, name);
    cluster->by_node[leaders[rank]].push_back(rank);
  }
  Speller speller(texts.size());
  topology::MachineSpec spec;
  spec.where = kVariable;
  spec.name = "named clusters";
  spec.whole = speller.spell(whole, 0);
  spec.levels = speller.levels();
  spec.placement = topology::PlacementKind::Listed;
  spec.listed = speller.listed();
  auto machine = build_machine(spec);
  if (!machine) return machine.error();
  return topology::with_usual_figures(*std::move(machine)).machine;
}

}  // namespace espalier::runtime
