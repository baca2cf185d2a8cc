#include "view/query.hpp"

#include <fmt/format.h>

#include "base/json_reader.hpp"

namespace espalier::view {
namespace {

using topology::Machine;

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40U;
constexpr std::uint64_t kMostThousandths = 1'000'000;
constexpr std::uint64_t kMostMessagePs = 1'000'000'000'000;
constexpr std::size_t kMostChanges = 4096;

class QueryReader : private JsonReader {
 public:
  explicit QueryReader(const Machine& machine)
      : JsonReader("query", "", "see docs/formats.md"), machine_(machine) {}

  using JsonReader::Refused;

  Query read(const LocatedJson& json) const {
    expect_kind(json, Kind::Object, "the query");
    refuse_unknown(
        json, {"operation", "size_bytes", "root", "plan", "quick", "levels", "nodes", "swaps"});
    Query query;
    query.operation = operation(member(json, "operation"));
    query.size = Bytes{number(member(json, "size_bytes"), "size_bytes", kMostBytes)};
    if (query.size.value == 0) refuse(member(json, "size_bytes"), "0 bytes", "send at least 1");
    if (const auto* root = json.find("root")) query.root = rank(*root, "root");
    if (const auto* plan = json.find("plan")) query.plan = text(*plan, "plan");
    if (const auto* quick = json.find("quick")) {
      expect_kind(*quick, Kind::Boolean, "quick");
      query.quick = quick->text == "true";
    }
    each(json, "levels",
         [&](const LocatedJson& one) { query.changes.levels.push_back(level(one)); });
    each(json, "nodes", [&](const LocatedJson& one) { query.changes.nodes.push_back(node(one)); });
    each(json, "swaps", [&](const LocatedJson& one) { query.changes.swaps.push_back(swap(one)); });
    return query;
  }

 private:
  template <typename Read>
  void each(const LocatedJson& json, std::string_view key, Read read) const {
    const LocatedJson* list = json.find(key);
    if (list == nullptr) return;
    if (array(*list, key).items.size() > kMostChanges) {
      refuse(*list, fmt::format("more than {} {}", kMostChanges, key), "");
    }
    for (const LocatedJson& one : list->items) read(one);
  }

  schedule::Operation operation(const LocatedJson& json) const {
    const auto found = schedule::operation_named(text(json, "operation"));
    if (!found) refuse(json, fmt::format("there is no operation \"{}\"", json.text), "");
    return *found;
  }

  Rank rank(const LocatedJson& json, std::string_view name) const {
    return static_cast<Rank>(number(json, name, machine_.size() - 1));
  }

  topology::LevelScale level(const LocatedJson& json) const {
    expect_kind(json, Kind::Object, "a level");
    refuse_unknown(json, {"level", "latency", "bandwidth"});
    const auto thousandths = [&](std::string_view key) {
      const LocatedJson& value = member(json, key);
      const std::uint64_t found = number(value, key, kMostThousandths);
      if (found == 0) refuse(value, fmt::format("{} times 0", key), "");
      return static_cast<std::uint32_t>(found);
    };
    return {static_cast<std::uint32_t>(
                number(member(json, "level"), "level", machine_.levels().size() - 1)),
            thousandths("latency"), thousandths("bandwidth")};
  }

  topology::MessageCost node(const LocatedJson& json) const {
    expect_kind(json, Kind::Object, "a node");
    refuse_unknown(json, {"rank", "message_ps"});
    return {rank(member(json, "rank"), "rank"),
            Time{static_cast<std::int64_t>(
                number(member(json, "message_ps"), "message_ps", kMostMessagePs))}};
  }

  std::pair<Rank, Rank> swap(const LocatedJson& json) const {
    if (array(json, "a swap").items.size() != 2) refuse(json, "a swap has two ranks", "");
    return {rank(json.items[0], "rank"), rank(json.items[1], "rank")};
  }

  const Machine& machine_;
};

}  // namespace

Machine changed(const Machine& machine, const Changes& changes) {
  Machine result = changes.nodes.empty() ? machine : with_message_costs(machine, changes.nodes);
  for (const topology::LevelScale& scale : changes.levels) {
    result = scale_level(std::move(result), scale);
  }
  if (changes.swaps.empty()) return result;
  std::vector<topology::Leaf> leaves(result.placement().begin(), result.placement().end());
  for (const auto& [a, b] : changes.swaps) std::swap(leaves[a], leaves[b]);
  return with_placement(std::move(result), leaves);
}

Expected<Query> read_query(std::string_view json, const Machine& machine) {
  auto parsed = parse_located_json(json, "query");
  if (!parsed) return parsed.error();
  try {
    return QueryReader(machine).read(*parsed);
  } catch (const QueryReader::Refused& refused) {
    return refused.error;
  }
}

schedule::Collective call_of(const Query& query, Rank ranks) {
  constexpr std::uint64_t kElement = 8;
  const Rank root = has_root(query.operation) ? query.root : 0;
  if (query.operation == schedule::Operation::Barrier) {
    return {query.operation, ranks, root, 0, Bytes{1}, true, {}};
  }
  if (!reduces(query.operation)) {
    return {query.operation, ranks, root, query.size.value, Bytes{1}, true, {}};
  }
  return {query.operation, ranks, root, (query.size.value + kElement - 1) / kElement,
          Bytes{kElement}, true,  {}};
}

}  // namespace espalier::view
