// The one table of algorithms. Builder, estimate, proposals and name of each stand in its own file.
// Of equally good plans the first in this table is taken.
#include "collective/entries.hpp"

namespace espalier::collective {

AlgorithmTable algorithms() {
  static constexpr const Algorithm* kTable[]{
      &kMultilevel,
      &kStriped,
      &kTwoLevel,
      &kFlatTree,
      &kChainTree,
      &kBinomialTree,
      &kQuadnomialTree,
      &kOctonomialTree,
      &kFastestNodeFirst,
      &kSpoc,
      &kEdgeFirst,
      &kEdgeFirstScatter,
      &kEdgeFirstByCluster,
      &kSearchedTree,
      &kEdgeFirstAllreduce,
      &kEdgeFirstBothWays,
      &kScatterRing,
      &kScatterDoubling,
      &kDoubleTree,
      &kBinomialInTurn,
      &kRabenseifnerReduce,
      &kLinearGather,
      &kLinearScatter,
      &kBinomialGather,
      &kBinomialScatter,
      &kDisseminationBarrier,
      &kButterflyBarrier,
      &kRingAllgather,
      &kBruckAllgather,
      &kRecursiveDoublingAllgather,
      &kNeighbourExchange,
      &kDirectAllgather,
      &kGatherBroadcast,
      &kLinearByCounts,
      &kBinomialByCounts,
      &kMinimumFirstByCounts,
      &kModelTraeffByCounts,
      &kClustered1ByCounts,
      &kClustered2ByCounts,
      &kClustered4ByCounts,
      &kClustered8ByCounts,
      &kClusteredTraeff1ByCounts,
      &kDirectAlltoall,
      &kPairwiseAlltoall,
      &kBruckAlltoall,
      &kRecursiveDoublingAllreduce,
      &kRabenseifnerAllreduce,
      &kRingAllreduce,
      &kDirectAllreduce,
      &kRecursiveHalving,
      &kButterflyReduceScatter,
      &kRingReduceScatter,
      &kPairwiseReduceScatter,
      &kDirectReduceScatter,
      &kRecursiveDoublingScan,
      &kLinearScan,
      &kBinomialScan,
      &kDirectScan,
      &kRecursiveDoublingExscan,
      &kLinearExscan,
      &kBinomialExscan,
      &kDirectExscan,
      &kFixedOrder,
  };
  return kTable;
}

AlgorithmTable tree_algorithms() {
  static constexpr const Algorithm* kTable[]{
      &kMultilevel,     &kFlatTree,           &kChainTree,        &kBinomialTree,
      &kQuadnomialTree, &kOctonomialTree,     &kFastestNodeFirst, &kSpoc,
      &kEdgeFirst,      &kEdgeFirstByCluster, &kSearchedTree,
  };
  return kTable;
}

}  // namespace espalier::collective
