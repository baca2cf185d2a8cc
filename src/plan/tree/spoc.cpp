#include <algorithm>
#include <bit>
#include <vector>

#include "base/contract.hpp"
#include "tree/initiation_trees.hpp"

namespace espalier::tree {
namespace {

// Places of the binomial tree of P, numbered as in shapes.hpp: the parent of place p is p without
// its lowest one-bit 2^j, its descendants are p + 1 ... p + 2^j - 1 as far as there are such, and
// it is served in step log2(P) - j.
struct SpocPlace {
  Rank number;
  Rank descendants;
};

constexpr Rank lowest_bit(Rank place) { return place & (~place + 1); }
constexpr Rank parent_of(Rank place) { return place & (place - 1); }

/// All but the root's, most descendants first, then the later step, then by number.
std::vector<SpocPlace> places_in_order(Rank count) {
  std::vector<SpocPlace> places;
  places.reserve(count);
  for (Rank p = 1; p < count; ++p) places.push_back({p, std::min(lowest_bit(p), count - p) - 1});
  std::sort(places.begin(), places.end(), [](const SpocPlace& a, const SpocPlace& b) {
    if (a.descendants != b.descendants) return a.descendants > b.descendants;
    const Rank a_bit = lowest_bit(a.number), b_bit = lowest_bit(b.number);
    return a_bit != b_bit ? a_bit < b_bit : a.number < b.number;
  });
  return places;
}

bool served_alike(const SpocPlace& a, const SpocPlace& b) {
  return a.descendants == b.descendants && lowest_bit(a.number) == lowest_bit(b.number);
}

}  // namespace

// M. Banikazemi, V. Moorthy, D. Panda: "Efficient collective communication on heterogeneous
// networks of workstations", ICPP 1998, Figure 2, where it is called SPOC. Ours fixes the order of
// ties: of places with equally many descendants the one that is served last has the least time left
// for them, so it gets the fastest rank. Equation (1) there is a bound on it in synchronous steps,
// not the time that it takes.
CommTree spoc(std::span<const Time> send_cost, const Participants& who) {
  expects(send_cost.size() == who.machine_size, "spoc: not one cost for each rank");
  const std::vector<Rank> fastest_first = others_fastest_first(send_cost, who);
  std::vector<SpocPlace> places = places_in_order(who.count());
  std::vector<Rank> rank_at(who.count());
  rank_at[0] = who.root;
  for (std::size_t i = 0; i < places.size();) {
    // A parent has more descendants than its child, so those of this group have their ranks.
    std::size_t end = i + 1;
    while (end < places.size() && served_alike(places[i], places[end])) ++end;
    std::sort(places.begin() + static_cast<std::ptrdiff_t>(i),
              places.begin() + static_cast<std::ptrdiff_t>(end),
              [&](const SpocPlace& a, const SpocPlace& b) {
                return rank_at[parent_of(a.number)] < rank_at[parent_of(b.number)];
              });
    for (; i < end; ++i) rank_at[places[i].number] = fastest_first[i];
  }

  CommTree tree(who.machine_size, who.root);
  for (Rank bit = std::bit_ceil(who.count()) / 2; bit > 0; bit /= 2) {  // step by step
    for (Rank p = bit; p < who.count(); p += 2 * bit) {
      tree.append_child(rank_at[parent_of(p)], rank_at[p]);
    }
  }
  return tree;
}

}  // namespace espalier::tree
