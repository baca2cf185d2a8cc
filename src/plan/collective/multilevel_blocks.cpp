#include "collective/multilevel_call.hpp"
#include "collective/tree_gather.hpp"

namespace espalier::collective {

using schedule::Buffer;
using schedule::slice;

void MultilevelCall::gather() {
  const TreeLinks mine = links(call_.root);
  const auto below = bundles(mine, call_.root, 0);
  if (rank_ == call_.root) {
    gather_at_root(program_, mine, below, in_, Buffer::Out, call_.block());
  } else {
    gather_up(program_, mine, below, in_);
  }
}

void MultilevelCall::scatter() {
  const TreeLinks mine = links(call_.root);
  const auto below = bundles(mine, call_.root, 0);
  if (rank_ == call_.root) {
    scatter_from_root(program_, mine, below, in_, call_.block(), out_);
  } else {
    scatter_down(program_, mine, below, out_);
  }
}

/// Gathered within each outermost cluster, exchanged or passed round between their masters, and
/// broadcast down again: what belongs together crosses each channel once for each pair of
/// clusters.
void MultilevelCall::allgather() {
  const TreeLinks mine = links(0, 1);
  const std::uint64_t block = call_.block();
  program_.copy(in_, slice(Buffer::Out, rank_ * block, block));
  // Bundles on their way up are in the order of the tree, which only its own ranks have to know;
  // whole clusters in the order of their ranks, which all know.
  const auto below = bundles(mine, 0, 1);
  std::vector<Rank> own{rank_};
  for (const std::vector<Rank>& ranks : below) own.insert(own.end(), ranks.begin(), ranks.end());
  allgather_up(program_, mine, below, own, block);
  const Participants masters = top_masters();
  const std::vector<std::vector<Rank>> sites = outermost_clusters(hierarchy_.machine()).parts;
  if (masters.me < masters.size()) {
    if (choice_.top == Top::Exchange) {
      exchange_bundles(program_, masters, sites, block);
    } else {
      ring_bundles(program_, masters, sites, block);
    }
  }
  broadcast_bundles(program_, mine, sites, block);
}

void MultilevelCall::alltoall() {
  if (choice_.carriers == Carriers{}) {
    return multilevel_alltoall(program_, hierarchy_, choice_.levels, call_.block());
  }
  aggregated_alltoall(program_, outermost_clusters(hierarchy_.machine()), choice_.carriers,
                      call_.block());
}

}  // namespace espalier::collective
