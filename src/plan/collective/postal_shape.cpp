#include "collective/postal_shape.hpp"

#include <algorithm>
#include <array>

#include "base/contract.hpp"
#include "model/machine_models.hpp"

namespace espalier::collective {
namespace {

constexpr std::array kPostal{Shape::Postal2, Shape::Postal3,  Shape::Postal5,
                             Shape::Postal8, Shape::Postal13, Shape::Postal21};
/// Enough for the slowest growth, that of the largest lambda, to pass any number of ranks.
constexpr std::size_t kUnits = 256;

/// [t]: ranks that have the message after t units, at most kNoRank.
using Counts = std::array<std::uint64_t, kUnits>;

constexpr Counts counts_of(Rank lambda) {
  Counts counts{};
  for (std::size_t t = 0; t < kUnits; ++t) {
    counts[t] = t < lambda ? 1 : counts[t - 1] + counts[t - lambda];
    if (counts[t] > kNoRank) counts[t] = kNoRank;
  }
  return counts;
}

constexpr std::array<Counts, kPostal.size()> kCounts = [] {
  std::array<Counts, kPostal.size()> all{};
  for (std::size_t i = 0; i < kPostal.size(); ++i) all[i] = counts_of(lambda_of(kPostal[i]));
  return all;
}();
static_assert(kCounts.back().back() == kNoRank);

const Counts& counts_for(Rank lambda) {
  for (std::size_t i = 0; i < kPostal.size(); ++i) {
    if (lambda_of(kPostal[i]) == lambda) return kCounts[i];
  }
  expects(false, "postal_positions: there is no such shape");
  return kCounts.front();
}

/// The nearest lambda, by ratio; the lower of two.
Shape nearest_shape(std::uint64_t thousandths, Rank members) {
  if (thousandths < 1500) return Shape::Binomial;
  // The last of all others leaves the root in unit members - 2; a child could help from lambda on.
  if (thousandths >= 1000 * std::uint64_t{members - 2}) return Shape::Flat;
  for (std::size_t i = 0; i + 1 < kPostal.size(); ++i) {
    const std::uint64_t low = 1000 * std::uint64_t{lambda_of(kPostal[i])};
    const std::uint64_t high = 1000 * std::uint64_t{lambda_of(kPostal[i + 1])};
    // Between two, the geometric mean is the border.
    if (thousandths * thousandths <= low * high) return kPostal[i];
  }
  return kPostal.back();
}

Shape fitted(const Hierarchy& hierarchy, topology::ClusterId cluster, Bytes bytes) {
  const std::vector<Rank> masters = hierarchy.masters_of_members(cluster, 0);
  if (masters.size() < 3) return Shape::Flat;
  const model::MessageCost cost =
      model::Levels(hierarchy.machine()).cost(masters[0], masters[1], bytes);
  if (cost.sender_busy <= Time{}) return Shape::Flat;
  constexpr std::int64_t kMost = 1'000'000;  // a lambda beyond is flat for any number of ranks
  const std::int64_t ratio = std::min(
      kMost * 1000, 1000 * std::min(cost.delivered.picoseconds, kForever.picoseconds / 1000) /
                        cost.sender_busy.picoseconds);
  return nearest_shape(static_cast<std::uint64_t>(ratio), static_cast<Rank>(masters.size()));
}

}  // namespace

GroupPositions postal_positions(Rank lambda, Rank position, Rank size) {
  const Counts& counts = counts_for(lambda);
  GroupPositions found;
  Rank first = 0;     // of the ranks that are left, which has the message
  Rank left = size;   // ranks from `first` on
  std::size_t t = 0;  // units that are left for them
  while (counts[t] < left) ++t;
  while (left > 1) {
    // The rank itself keeps all that it can serve when it has sent one message.
    const auto kept = static_cast<Rank>(counts[t - 1]);
    const Rank child = first + kept;
    if (position >= child) {
      found.parent = first;
      first = child;
      left -= kept;
      t -= lambda;
      while (t > 0 && counts[t - 1] >= left) --t;
    } else {
      if (position == first) found.children.push_back(child);
      left = kept;
      --t;
    }
  }
  return found;
}

std::vector<Shape> fitted_shapes(const Hierarchy& hierarchy, Bytes bytes) {
  const topology::Machine& machine = hierarchy.machine();
  std::vector<topology::ClusterId> largest(machine.levels().size(), 0);
  std::vector<Rank> members(machine.levels().size(), 0);
  for (topology::ClusterId id = 0; id < machine.clusters().size(); ++id) {
    const topology::Cluster& cluster = machine.clusters()[id];
    if (cluster.member_count <= members[cluster.depth]) continue;
    members[cluster.depth] = cluster.member_count;
    largest[cluster.depth] = id;
  }
  std::vector<Shape> shapes;
  for (const topology::ClusterId id : largest) shapes.push_back(fitted(hierarchy, id, bytes));
  return shapes;
}

Bytes bytes_of_message(const schedule::Collective& call, std::uint64_t segment) {
  return Bytes{(segment == 0 ? call.count : std::min(segment, call.count)) * call.element.value};
}

}  // namespace espalier::collective
