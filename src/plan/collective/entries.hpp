#pragma once

#include "collective/algorithm.hpp"

namespace espalier::collective {

// The entries of the table. Each stands in the file of its algorithm.

extern const Algorithm kMultilevel, kStriped, kTwoLevel, kFixedOrder;
extern const Algorithm kFlatTree, kChainTree, kBinomialTree, kQuadnomialTree, kOctonomialTree;
extern const Algorithm kFastestNodeFirst, kSpoc, kEdgeFirst, kEdgeFirstScatter, kEdgeFirstByCluster,
    kSearchedTree, kEdgeFirstAllreduce, kEdgeFirstBothWays;
extern const Algorithm kScatterRing, kScatterDoubling, kDoubleTree, kBinomialInTurn,
    kRabenseifnerReduce, kLinearGather, kLinearScatter, kBinomialGather, kBinomialScatter,
    kDisseminationBarrier, kButterflyBarrier, kRingAllgather, kBruckAllgather,
    kRecursiveDoublingAllgather, kNeighbourExchange, kDirectAllgather, kGatherBroadcast,
    kDirectAlltoall, kPairwiseAlltoall, kBruckAlltoall, kRecursiveDoublingAllreduce,
    kRabenseifnerAllreduce, kRingAllreduce, kDirectAllreduce, kRecursiveHalving,
    kButterflyReduceScatter, kRingReduceScatter, kPairwiseReduceScatter, kDirectReduceScatter,
    kRecursiveDoublingScan, kLinearScan, kBinomialScan, kDirectScan, kRecursiveDoublingExscan,
    kLinearExscan, kBinomialExscan, kDirectExscan;

extern const Algorithm kLinearByCounts, kBinomialByCounts, kMinimumFirstByCounts,
    kModelTraeffByCounts, kClustered1ByCounts, kClustered2ByCounts, kClustered4ByCounts,
    kClustered8ByCounts, kClusteredTraeff1ByCounts;

inline constexpr Operations kAnyOperation{
    schedule::Operation::Broadcast,     schedule::Operation::Reduce,
    schedule::Operation::Allreduce,     schedule::Operation::Barrier,
    schedule::Operation::Gather,        schedule::Operation::Scatter,
    schedule::Operation::Allgather,     schedule::Operation::Alltoall,
    schedule::Operation::ReduceScatter, schedule::Operation::Scan,
    schedule::Operation::Exscan};

}  // namespace espalier::collective
