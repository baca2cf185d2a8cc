#include "bound/needs.hpp"

#include <algorithm>

namespace espalier::bound {
namespace {

using schedule::Collective;
using schedule::Operation;

/// Maximal runs of consecutive ranks inside the set.
std::uint64_t runs(const std::vector<bool>& inside) {
  std::uint64_t count = 0;
  for (std::size_t r = 0; r < inside.size(); ++r) {
    if (inside[r] && (r == 0 || !inside[r - 1])) ++count;
  }
  return count;
}

/// Partial results that a set must give away. Of an operation that commutes one carries them all.
/// Of one that does not, ranks outside stand between two runs, so that no function of both runs'
/// values smaller than both serves every value outside: one for each run.
std::uint64_t partials(const Collective& call, const std::vector<bool>& set) {
  return call.commutative ? 1 : runs(set);
}

std::vector<bool> complement(const std::vector<bool>& set) {
  std::vector<bool> other = set;
  other.flip();
  return other;
}

}  // namespace

Crossing crossing(const Collective& call, const std::vector<bool>& inside) {
  const auto within = static_cast<std::uint64_t>(std::count(inside.begin(), inside.end(), true));
  const std::uint64_t without = inside.size() - within;
  const bool root_inside = inside[call.root];
  const std::uint64_t n = call.count;
  switch (call.operation) {
    case Operation::Broadcast:
      return root_inside ? Crossing{n, 0} : Crossing{0, n};
    case Operation::Reduce:
      return root_inside ? Crossing{0, n * partials(call, complement(inside))}
                         : Crossing{n * partials(call, inside), 0};
    case Operation::Allreduce:  // a rank outside needs ours, and the other way round
      return {n, n};
    case Operation::Barrier:
    case Operation::Unknown:
      return {0, 0};
    case Operation::Gather:
      return root_inside ? Crossing{0, n * without} : Crossing{n * within, 0};
    case Operation::Scatter:
      return root_inside ? Crossing{n * without, 0} : Crossing{0, n * within};
    case Operation::Allgather:
      return {n * within, n * without};
    case Operation::Alltoall:
      return {n * within * without, n * within * without};
    case Operation::ReduceScatter:  // a block of each rank outside depends on us: one partial each
      return {n * without, n * within};
    case Operation::Scan:
    case Operation::Exscan: {
      // Whoever outside follows one of ours needs a partial result of ours, and so inwards.
      const auto first =
          static_cast<std::size_t>(std::find(inside.begin(), inside.end(), true) - inside.begin());
      const auto first_out =
          static_cast<std::size_t>(std::find(inside.begin(), inside.end(), false) - inside.begin());
      const auto last = inside.size() - 1 -
                        static_cast<std::size_t>(std::find(inside.rbegin(), inside.rend(), true) -
                                                 inside.rbegin());
      const auto last_out = inside.size() - 1 -
                            static_cast<std::size_t>(
                                std::find(inside.rbegin(), inside.rend(), false) - inside.rbegin());
      return {last_out > first ? n : 0, last > first_out ? n : 0};
    }
  }
  return {};
}

bool depends(const Collective& call, Rank from, Rank to) {
  if (from == to || (call.count == 0 && call.operation != Operation::Barrier)) return false;
  switch (call.operation) {
    case Operation::Broadcast:
    case Operation::Scatter:
      return from == call.root;
    case Operation::Reduce:
    case Operation::Gather:
      return to == call.root;
    case Operation::Scan:
    case Operation::Exscan:
      return from < to;
    case Operation::Unknown:
      return false;
    default:
      return true;
  }
}

}  // namespace espalier::bound
