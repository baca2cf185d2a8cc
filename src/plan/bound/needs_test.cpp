#include "bound/needs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/flat_calls.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::bound {
namespace {

using schedule::Collective;
using schedule::Operation;

// What crosses a border, from the definition of the operations alone: outputs as sums of inputs.
// As many elements must pass as the inputs inside have independent effects on outputs outside.

using Input = std::pair<Rank, std::uint64_t>;  // of a rank, which block
using Output = std::set<Input>;                // the sum of these

std::uint64_t length(const Collective& call, std::uint64_t block) {
  return call.irregular() ? call.counts[block] : call.count;
}

/// Outputs of a rank, by their length in elements.
std::vector<std::pair<std::uint64_t, Output>> outputs(const Collective& call, Rank rank) {
  std::vector<std::pair<std::uint64_t, Output>> all;
  Output sum;
  const auto sum_of = [&](Rank first, Rank end, std::uint64_t block) {
    Output whole;
    for (Rank r = first; r < end; ++r) whole.insert({r, block});
    return whole;
  };
  switch (call.operation) {
    case Operation::Broadcast:
      all.push_back({call.count, {{call.root, 0}}});
      break;
    case Operation::Reduce:
      if (rank == call.root) all.push_back({call.count, sum_of(0, call.size, 0)});
      break;
    case Operation::Allreduce:
      all.push_back({call.count, sum_of(0, call.size, 0)});
      break;
    case Operation::Barrier:
    case Operation::Unknown:
    case Operation::NeighbourAllgather:
    case Operation::NeighbourAlltoall:
      break;
    case Operation::Gather:
    case Operation::Allgather:
      for (Rank r = 0; r < call.size; ++r) {
        const bool has = call.operation == Operation::Allgather || rank == call.root;
        if (has) all.push_back({length(call, r), {{r, 0}}});
      }
      break;
    case Operation::Scatter:
      all.push_back({length(call, rank), {{call.root, rank}}});
      break;
    case Operation::Alltoall:
      for (Rank r = 0; r < call.size; ++r) {
        all.push_back({length(call, std::uint64_t{r} * call.size + rank), {{r, rank}}});
      }
      break;
    case Operation::ReduceScatter:
      all.push_back({length(call, rank), sum_of(0, call.size, rank)});
      break;
    case Operation::Scan:
      all.push_back({call.count, sum_of(0, rank + 1, 0)});
      break;
    case Operation::Exscan:
      all.push_back({call.count, sum_of(0, rank, 0)});
      break;
  }
  return all;
}

/// Elements of a basis of the effects, modulo a prime; all of one length are one element each.
std::uint64_t independent(const std::map<std::uint64_t, std::set<Output>>& by_length) {
  constexpr std::int64_t kPrime = 1'000'003;
  const auto inverse = [](std::int64_t a) {
    std::int64_t result = 1;
    for (std::int64_t e = kPrime - 2; e > 0; e >>= 1) {
      if ((e & 1) != 0) result = result * a % kPrime;
      a = a * a % kPrime;
    }
    return result;
  };
  std::uint64_t elements = 0;
  for (const auto& [length, effects] : by_length) {
    std::vector<std::map<Input, std::int64_t>> rows;
    for (const Output& effect : effects) {
      std::map<Input, std::int64_t> row;
      for (const Input& input : effect) row[input] = 1;
      for (const auto& pivot : rows) {
        const auto it = row.find(pivot.begin()->first);
        if (it == row.end()) continue;
        const std::int64_t factor = it->second * inverse(pivot.begin()->second) % kPrime;
        for (const auto& [input, value] : pivot) {
          std::int64_t& cell = row[input];
          cell = ((cell - factor * value) % kPrime + kPrime) % kPrime;
          if (cell == 0) row.erase(input);
        }
      }
      if (row.empty()) continue;
      rows.push_back(row);
      elements += length;
    }
  }
  return elements;
}

std::uint64_t must_leave(const Collective& call, const std::vector<bool>& from) {
  std::map<std::uint64_t, std::set<Output>> effects;
  for (Rank r = 0; r < call.size; ++r) {
    if (from[r]) continue;
    for (const auto& [elements, output] : outputs(call, r)) {
      Output effect;
      for (const Input& input : output) {
        if (from[input.first]) effect.insert(input);
      }
      if (!effect.empty()) effects[elements].insert(effect);
    }
  }
  return independent(effects);
}

std::vector<bool> random_set(Random& rng, Rank size) {
  for (;;) {
    std::vector<bool> inside(size);
    for (Rank r = 0; r < size; ++r) inside[r] = rng.chance(50);
    const auto count = std::count(inside.begin(), inside.end(), true);
    if (count > 0 && count < static_cast<std::ptrdiff_t>(size)) return inside;
  }
}

TEST(NeedsProperty, AreAsManyElementsAsOutputsOutsideDependOnIndependently) {
  for_all_seeds(3000, [](Random& rng) {
    Collective call = testing_support::random_call(
        rng, static_cast<Operation>(rng.below(schedule::kOperationCount)));
    call.size = static_cast<Rank>(rng.between(2, 10));
    call.root = static_cast<Rank>(rng.below(call.size));
    if (testing_support::has_blocks(call.operation) && rng.chance(50)) {
      call.counts.resize(call.operation == Operation::Alltoall ? call.size * call.size : call.size);
      for (std::uint64_t& count : call.counts) count = rng.below(5);
    }
    std::vector<bool> inside = random_set(rng, call.size);
    const Crossing need = crossing(call, inside);
    ASSERT_EQ(need.out, must_leave(call, inside)) << testing_support::name_of_call(call);
    inside.flip();
    ASSERT_EQ(need.in, must_leave(call, inside)) << testing_support::name_of_call(call);
    ASSERT_GE(need.both, need.out + need.in);
    // The same by the ranks of the set alone, also when it is asked twice.
    inside.flip();
    std::vector<Rank> set;
    for (Rank r = 0; r < call.size; ++r) {
      if (inside[r]) set.push_back(r);
    }
    Crossings crossings(call);
    ASSERT_EQ(crossings.of(set), need) << testing_support::name_of_call(call);
    ASSERT_EQ(crossings.of(set), need) << testing_support::name_of_call(call);
  });
}

// Reductions that do not commute, by trying everything: the result of ranks a .. b on one of the
// sides is a rank's own, or that of a .. m and m + 1 .. b, each from either side.

struct Transfers {
  std::uint64_t out = 0, in = 0;
  friend auto operator<=>(const Transfers&, const Transfers&) = default;
};

class EveryOrder {
 public:
  explicit EveryOrder(const std::vector<bool>& inside) : inside_(inside) {}

  /// All numbers of partial results that may cross for a .. b to be on a side.
  const std::set<Transfers>& ways(Rank a, Rank b, bool side) {
    auto& known = known_[{a, b, side}];
    if (!known.empty()) return known;
    std::set<Transfers> found;
    for (const bool at : {side, !side}) {
      const Transfers moved{at && !side ? 1U : 0U, !at && side ? 1U : 0U};
      if (a == b) {
        if (inside_[a] == at) found.insert(moved);
        continue;
      }
      for (Rank m = a; m < b; ++m) {
        for (const Transfers& left : made(a, m, at)) {
          for (const Transfers& right : made(m + 1, b, at)) {
            found.insert({left.out + right.out + moved.out, left.in + right.in + moved.in});
          }
        }
      }
    }
    return known_[{a, b, side}] = found;
  }

 private:
  std::set<Transfers> made(Rank a, Rank b, bool side) { return ways(a, b, side); }

  std::vector<bool> inside_;
  std::map<std::tuple<Rank, Rank, bool>, std::set<Transfers>> known_;
};

TEST(Needs, OfOrderedReductionsAreTheLeastOfAllOrders) {
  for (Rank size = 2; size <= 8; ++size) {
    for (std::uint32_t set = 1; set + 1 < (1U << size); ++set) {
      std::vector<bool> inside(size);
      for (Rank r = 0; r < size; ++r) inside[r] = (set >> r & 1U) != 0;
      EveryOrder orders(inside);
      for (const Rank root : {Rank{0}, size / 2, size - 1}) {
        Transfers least{size, size};
        std::uint64_t both = 2 * size;
        for (const Transfers& t : orders.ways(0, size - 1, inside[root])) {
          least = {std::min(least.out, t.out), std::min(least.in, t.in)};
          both = std::min(both, t.out + t.in);
        }
        const Crossing need =
            crossing({Operation::Reduce, size, root, 1, Bytes{8}, false, {}}, inside);
        ASSERT_EQ(need, (Crossing{least.out, least.in, both})) << "set " << set << " of " << size;
      }
    }
  }
}

}  // namespace
}  // namespace espalier::bound
