#include "bound/needs.hpp"

#include <algorithm>

namespace espalier::bound {
namespace {

using schedule::Collective;
using schedule::Operation;

/// Runs of consecutive ranks of one side; how often a rank of the set is followed by one outside;
/// and elements of all blocks of one side.
struct Sides {
  std::uint64_t runs_in = 0, runs_out = 0;
  std::uint64_t leaves = 0, enters = 0;
  std::uint64_t blocks_in = 0, blocks_out = 0;
};

/// Elements of the block of a rank.
std::uint64_t block_of(const Collective& call, std::size_t rank) {
  return call.irregular() && call.counts.size() == call.size ? call.counts[rank] : call.count;
}

Sides sides_of(const Collective& call, const std::vector<bool>& inside) {
  Sides sides;
  for (std::size_t r = 0; r < inside.size(); ++r) {
    const bool begins = r == 0 || inside[r - 1] != inside[r];
    if (begins) ++(inside[r] ? sides.runs_in : sides.runs_out);
    if (begins && r > 0) ++(inside[r] ? sides.enters : sides.leaves);
    (inside[r] ? sides.blocks_in : sides.blocks_out) += block_of(call, r);
  }
  return sides;
}

/// The same by the ranks inside alone.
/// @param blocks elements of all blocks
Sides sides_of(const Collective& call, const std::vector<bool>& inside, std::span<const Rank> set,
               std::uint64_t blocks) {
  Sides sides;
  for (const Rank r : set) {
    if (r > 0 && !inside[r - 1]) ++sides.enters;
    if (r + 1 < call.size && !inside[r + 1]) ++sides.leaves;
    sides.blocks_in += block_of(call, r);
  }
  sides.blocks_out = blocks - sides.blocks_in;
  sides.runs_in = sides.enters + (inside[0] ? 1 : 0);
  sides.runs_out = sides.leaves + (inside[0] ? 0 : 1);
  return sides;
}

/// @param within number of ranks inside
Crossing alltoall_crossing(const Collective& call, const std::vector<bool>& inside,
                           std::uint64_t within) {
  Crossing need;
  if (!call.irregular()) {
    need.out = need.in = call.count * within * (inside.size() - within);
  } else {
    // Rows and columns of the smaller side only: bounds ask for each rank alone.
    const bool smaller = within * 2 <= inside.size();
    for (std::size_t one = 0; one < inside.size(); ++one) {
      if (inside[one] != smaller) continue;
      for (std::size_t other = 0; other < inside.size(); ++other) {
        if (inside[other] == smaller) continue;
        (smaller ? need.out : need.in) += call.counts[one * inside.size() + other];
        (smaller ? need.in : need.out) += call.counts[other * inside.size() + one];
      }
    }
  }
  need.both = need.out + need.in;
  return need;
}

Crossing one_way(bool out, std::uint64_t elements, std::uint64_t both) {
  return out ? Crossing{elements, 0, both} : Crossing{0, elements, both};
}

Crossing crossing_of(const Collective& call, const std::vector<bool>& inside, const Sides& sides,
                     std::uint64_t within) {
  const bool root_inside = inside[call.root];
  const std::uint64_t n = call.count;
  switch (call.operation) {
    case Operation::Broadcast:
      return one_way(root_inside, n, n);
    case Operation::Reduce: {
      const std::uint64_t runs = root_inside ? sides.runs_out : sides.runs_in;
      return one_way(!root_inside, n, call.commutative ? n : n * runs);
    }
    case Operation::Allreduce: {
      const std::uint64_t runs =
          std::max<std::uint64_t>(2, std::max(sides.runs_in, sides.runs_out));
      return {n, n, call.commutative ? 2 * n : n * runs};
    }
    case Operation::Barrier:
    case Operation::Unknown:
    case Operation::NeighbourAllgather:
    case Operation::NeighbourAlltoall:
      return {};
    case Operation::Gather: {
      const std::uint64_t blocks = root_inside ? sides.blocks_out : sides.blocks_in;
      return one_way(!root_inside, blocks, blocks);
    }
    case Operation::Scatter: {
      const std::uint64_t blocks = root_inside ? sides.blocks_out : sides.blocks_in;
      return one_way(root_inside, blocks, blocks);
    }
    case Operation::Allgather:
      return {sides.blocks_in, sides.blocks_out, sides.blocks_in + sides.blocks_out};
    case Operation::Alltoall:
      return alltoall_crossing(call, inside, within);
    case Operation::ReduceScatter: {  // each block is a reduction to its owner
      const std::uint64_t both =
          call.commutative ? sides.blocks_in + sides.blocks_out
                           : sides.blocks_in * sides.runs_out + sides.blocks_out * sides.runs_in;
      return {sides.blocks_out, sides.blocks_in, both};
    }
    case Operation::Scan:
    case Operation::Exscan:
      return {n * sides.leaves, n * sides.enters, n * (sides.leaves + sides.enters)};
  }
  return {};
}

}  // namespace

bool flows_from_root(Operation operation) {
  return operation == Operation::Broadcast || operation == Operation::Scatter;
}

bool flows_to_root(Operation operation) {
  return operation == Operation::Reduce || operation == Operation::Gather;
}

Crossing crossing(const Collective& call, const std::vector<bool>& inside) {
  const auto within = static_cast<std::uint64_t>(std::count(inside.begin(), inside.end(), true));
  return crossing_of(call, inside, sides_of(call, inside), within);
}

Crossings::Crossings(const Collective& call) : call_(call), inside_(call.size, false) {
  for (Rank r = 0; r < call.size; ++r) blocks_ += block_of(call, r);
}

Crossing Crossings::of(std::span<const Rank> set) {
  for (const Rank r : set) inside_[r] = true;
  const Crossing need =
      crossing_of(call_, inside_, sides_of(call_, inside_, set, blocks_), set.size());
  for (const Rank r : set) inside_[r] = false;
  return need;
}

bool depends(const Collective& call, Rank from, Rank to) {
  if (from == to) return false;
  if (!call.irregular() && call.count == 0 && call.operation != Operation::Barrier) return false;
  const auto block = [&](std::size_t b) { return !call.irregular() || call.counts[b] > 0; };
  switch (call.operation) {
    case Operation::Broadcast:
      return from == call.root;
    case Operation::Scatter:
      return from == call.root && block(to);
    case Operation::Reduce:
      return to == call.root;
    case Operation::Gather:
      return to == call.root && block(from);
    case Operation::Scan:
    case Operation::Exscan:
      return from < to;
    case Operation::Allgather:
      return block(from);
    case Operation::Alltoall:
      return block(std::size_t{from} * call.size + to);
    case Operation::ReduceScatter:
      return block(to);
    case Operation::Unknown:
    case Operation::NeighbourAllgather:
    case Operation::NeighbourAlltoall:
      return false;
    default:
      return true;
  }
}

std::uint64_t combinations(const Collective& call) {
  const std::uint64_t others = call.size - 1;
  switch (call.operation) {
    case Operation::Reduce:
    case Operation::Allreduce:
    case Operation::Scan:
      return call.count * others;
    case Operation::Exscan:
      return others == 0 ? 0 : call.count * (others - 1);
    case Operation::ReduceScatter: {
      std::uint64_t blocks = call.count * call.size;
      if (call.irregular()) {
        blocks = 0;
        for (const std::uint64_t block : call.counts) blocks += block;
      }
      return blocks * others;
    }
    default:
      return 0;
  }
}

}  // namespace espalier::bound
