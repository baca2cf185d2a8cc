// Allgathervs along one tree that goes by the lengths of all blocks, as entries of the table: one
// for each builder of trees. Their parameter is the length from which on a block flows by itself.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>

#include "collective/entries.hpp"
#include "collective/irregular_allgather.hpp"
#include "collective/name_reader.hpp"
#include "model/machine_models.hpp"
#include "tree/irregular_algorithm.hpp"
#include "tree/tree_time.hpp"

namespace espalier::collective {

using cost::CostView;
using cost::Picos;
using schedule::Collective;
using schedule::Operation;

namespace {

constexpr std::string_view kSuffix = " by counts";

/// What is tried as the length of a block that flows by itself, in bytes.
constexpr std::array<std::uint64_t, 3> kLongFrom{256 * 1024, 32 * 1024, 4 * 1024};

/// With more ranks some builders take long.
constexpr Rank kByCountsUpTo = 512;

/// 0: none flows by itself.
std::uint64_t elements_of_long(const Parameters& parameters) {
  return std::get<LevelChoice>(parameters).segment;
}

/// How many blocks have so many elements at least.
std::uint32_t long_blocks(const Collective& call, std::uint64_t elements) {
  if (elements == 0) return 0;
  return static_cast<std::uint32_t>(
      std::count_if(call.counts.begin(), call.counts.end(),
                    [&](std::uint64_t count) { return count >= elements; }));
}

bool refuses_counts(const Hierarchy&, const Collective& call, const Parameters&) {
  return !call.irregular() || call.size > kByCountsUpTo;
}

/// All blocks together; then some blocks by themselves, named by the shortest of them.
std::vector<Parameters> proposals_by_counts(const Hierarchy&, const Collective& call) {
  std::vector<Parameters> all{LevelChoice{Shape::Flat, 0}};
  for (const std::uint64_t from : kLongFrom) {
    std::uint64_t shortest = 0;
    for (const std::uint64_t count : call.counts) {
      const bool is_long = count > 0 && count * call.element.value >= from;
      if (is_long && (shortest == 0 || count < shortest)) shortest = count;
    }
    const Parameters found = LevelChoice{Shape::Flat, shortest};
    if (found != all.back()) all.push_back(found);
  }
  return all;
}

std::vector<Bytes> bytes_of_blocks(const Collective& call, std::uint64_t least) {
  std::vector<Bytes> bytes;
  for (const std::uint64_t count : call.counts) {
    bytes.push_back({std::max(least, count * call.element.value)});
  }
  return bytes;
}

/// From the rank with the longest block. Everybody is in the tree: whoever has nothing gets
/// everything all the same.
tree::CommTree tree_by_counts(std::string_view builder, const topology::Machine& machine,
                              const Collective& call) {
  const std::vector<Bytes> bytes = bytes_of_blocks(call, 1);
  const auto longest = std::max_element(call.counts.begin(), call.counts.end());
  const auto root = static_cast<Rank>(longest - call.counts.begin());
  const tree::Participants who = tree::with_blocks(bytes, root);
  const model::Levels levels(machine);
  const std::vector<Rank> kinds = model::kinds_of(machine);
  return tree::find_irregular_algorithm(builder)->build({who, bytes, levels, kinds}, machine);
}

/// All blocks up to the root, then all of them down to everybody.
Picos time_by_counts(std::string_view builder, const topology::Machine& machine,
                     const Collective& call) {
  const model::Levels levels(machine);
  const tree::CommTree tree = tree_by_counts(builder, machine, call);
  const std::vector<Bytes> bytes = bytes_of_blocks(call, 0);
  Bytes all;
  for (const Bytes block : bytes) all.value += block.value;
  const Time time = gather_time(tree, levels, bytes) + broadcast_time(tree, levels, all);
  return static_cast<Picos>(time.picoseconds);
}

PartOf parts_by_counts(std::string_view builder, const topology::Machine& machine,
                       const Collective& call, const Parameters& parameters) {
  const std::uint64_t from = elements_of_long(parameters);
  const Bytes long_from{from == 0 ? ~std::uint64_t{0} : from * call.element.value};
  const auto plan = std::make_shared<const IrregularAllgather>(
      tree_by_counts(builder, machine, call), call, long_from);
  return [plan](Rank rank) { return plan->program_of(rank); };
}

std::string text_by_counts(const Collective& call, const Parameters& parameters) {
  const std::uint32_t blocks = long_blocks(call, elements_of_long(parameters));
  if (blocks == 0) return "";
  return blocks == 1 ? std::string(", 1 block by itself")
                     : fmt::format(", {} blocks by themselves", blocks);
}

std::optional<Parameters> read_by_counts(NameReader& reader, const Hierarchy&) {
  if (reader.at_end()) return LevelChoice{Shape::Flat, 0};
  const auto blocks = reader.take(", ") ? reader.take_number() : std::nullopt;
  const Collective& call = reader.call();
  if (!blocks || *blocks == 0 || *blocks > call.counts.size()) return std::nullopt;
  if (!reader.take(*blocks == 1 ? " block by itself" : " blocks by themselves")) return {};
  std::vector<std::uint64_t> counts = call.counts;
  std::sort(counts.begin(), counts.end(), std::greater<>());
  const std::uint64_t shortest = counts[*blocks - 1];
  if (long_blocks(call, shortest) != *blocks) return std::nullopt;
  return LevelChoice{Shape::Flat, shortest};
}

constexpr std::array<std::string_view, 9> kNames{
    "linear by counts",       "binomial by counts",    "minimum-first by counts",
    "model-traeff by counts", "clustered-1 by counts", "clustered-2 by counts",
    "clustered-4 by counts",  "clustered-8 by counts", "clustered-traeff-1 by counts"};

template <std::size_t kIndex>
constexpr std::string_view kBuilder = kNames[kIndex].substr(0,
                                                            kNames[kIndex].size() - kSuffix.size());

template <std::size_t kIndex>
constexpr Algorithm by_counts() {
  return {.name = kNames[kIndex],
          .source = "one tree that goes by the lengths; long blocks each by itself",
          .operations = {Operation::Allgather},
          .traits = {.keeps_rank_order = true, .knows_machine = true},
          .refuses = refuses_counts,
          .propose = proposals_by_counts,
          .build =
              [](const Hierarchy& hierarchy, const Collective& call, const Parameters& parameters) {
                return parts_by_counts(kBuilder<kIndex>, hierarchy.machine(), call, parameters);
              },
          .estimate =
              [](const CostView& cost_view, const Hierarchy&, const Collective& call,
                 const Parameters&) {
                return time_by_counts(kBuilder<kIndex>, cost_view.machine(), call);
              },
          .text = text_by_counts,
          .read = read_by_counts};
}

}  // namespace

constexpr Algorithm kLinearByCounts = by_counts<0>();
constexpr Algorithm kBinomialByCounts = by_counts<1>();
constexpr Algorithm kMinimumFirstByCounts = by_counts<2>();
constexpr Algorithm kModelTraeffByCounts = by_counts<3>();
constexpr Algorithm kClustered1ByCounts = by_counts<4>();
constexpr Algorithm kClustered2ByCounts = by_counts<5>();
constexpr Algorithm kClustered4ByCounts = by_counts<6>();
constexpr Algorithm kClustered8ByCounts = by_counts<7>();
constexpr Algorithm kClusteredTraeff1ByCounts = by_counts<8>();

}  // namespace espalier::collective
