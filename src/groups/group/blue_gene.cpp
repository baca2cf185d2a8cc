#include "group/blue_gene.hpp"

#include <algorithm>
#include <cmath>

#include "group/allgather_sort.hpp"

namespace espalier::group {
namespace {

model::LevelLogGP two_levels(Rank processes, Time overhead, Time latency) {
  const model::LogGPParameters node{nanoseconds(500), overhead, overhead,
                                    bytes_per_second(1'000'000'000)};
  const model::LogGPParameters torus{latency, overhead, overhead, bytes_per_second(375'000'000)};
  return {processes, {{4, node}, {std::max<Rank>(processes, 8), torus}}};
}

/// For a report: the only place of this room with floating point.
Time sort_time(Rank processes, Colour colours) {
  const double part = double(processes) / colours;
  const double steps = part > 1 ? part * std::log2(part) : 0;
  return Time{static_cast<std::int64_t>(steps * double(kBlueGeneSort.picoseconds))};
}

}  // namespace

model::LevelLogGP blue_gene(Rank processes, HandlerCosts costs) {
  return two_levels(processes, costs.overhead, costs.latency);
}

model::LevelLogGP blue_gene_mpi(Rank processes) {
  return two_levels(processes, nanoseconds(700), nanoseconds(1194));
}

Time calibrated_comm_split(Rank processes, Colour colours) {
  return ring_allgather_time(processes, blue_gene_mpi(processes)) + sort_time(processes, colours);
}

Time best_comm_split(Rank processes, Colour colours) {
  return allgather_time(processes, blue_gene_mpi(processes)) + sort_time(processes, colours);
}

}  // namespace espalier::group
