#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "schedule/collective.hpp"
#include "topology/machine.hpp"

namespace espalier::reproduce {

/// K. Dichev, V. Rychkov, A. Lastovetsky, EuroMPI 2010: 14 nodes on one switch, and 39 nodes of 5
/// clusters on 2 sites. The paper states neither latencies nor bandwidths nor how ranks lay on the
/// nodes, so that they are varied here.

/// One scatterv or gatherv of the experiment.
struct DichevCase {
  std::string network;       ///< "switch", "WAN 10 ms 1 Gbit/s"
  std::string placement;     ///< "block", "cyclic", "random"
  std::string distribution;  ///< distribution of lengths, by its name in select::counts_from()
  Bytes mean;
  topology::Machine machine;
  schedule::Collective call;
};
/// Both operations, lengths by CPU speed and with larger ratios, 10 KB to 1 MB on average.
[[nodiscard]] std::vector<DichevCase> dichev_switch(std::uint64_t seed);
/// Three WANs, three placements, both operations, lengths by CPU speed, 1 KB to 1 MB on average.
[[nodiscard]] std::vector<DichevCase> dichev_grid(std::uint64_t seed);

/// The trees of the paper and their originals, as irregular_algorithm.hpp calls them.
inline constexpr std::array kDichevTrees{"linear",        "binomial", "minimum-first",
                                         "maximum-first", "traeff",   "model-traeff"};

/// The times of one case.
struct DichevRow {
  std::array<Time, kDichevTrees.size()> tree;  ///< times with blocking calls, as in the paper
  Time ours;                                   ///< time of the plan that select would take
  std::string plan;                            ///< name of that plan
  [[nodiscard]] Time of(std::string_view name) const;
  /// Time saved against the original tree, in per cent of the original's time.
  [[nodiscard]] double minimum_first_gain() const;
  [[nodiscard]] double maximum_first_gain() const;
  [[nodiscard]] double traeff_gain() const;
};
/// Simulates all trees as SMPI would run them. @param trials steps of the local search for our plan
[[nodiscard]] DichevRow dichev_row(const DichevCase& one, std::uint32_t trials);

}  // namespace espalier::reproduce
