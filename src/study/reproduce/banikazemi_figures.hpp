#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace espalier::reproduce {

/// M. Banikazemi, V. Moorthy, D. Panda: "Efficient collective communication on heterogeneous
/// networks of workstations", ICPP 1998. Table 2 is in banikazemi_table2.hpp.
///
/// All means are over seeded random cases; "default" is MPICH's binomial tree by node number.

/// Figure 1: eight workstations, nodes 1 and 6 at 100 us, the others at 300, source 1.
struct Figure1 {
  Time binomial, spoc, fnf, optimum;
};
[[nodiscard]] Figure1 figure1();

/// Which node the source is: a fast one, or any.
enum class Source : std::uint8_t { Fast, Random };

/// Mean latencies of one experiment and what they mean.
struct Improvement {
  double default_us = 0;
  double spoc_us = 0;
  double fnf_us = 0;
  double best_spoc_factor = 0;  ///< largest gain of SPOC over the default in a single case
  double best_fnf_factor = 0;   ///< largest gain of FNF over the default in a single case
  [[nodiscard]] double spoc_factor() const { return default_us / spoc_us; }
  [[nodiscard]] double fnf_factor() const { return default_us / fnf_us; }
};

/// Figures 4 to 6: SGI workstations on ATM, round trips of 1380 and 2960 us (ratio 2.15).
struct TestbedRow {
  int figure = 4;
  Rank nodes = 16;  ///< number of nodes that take part
  Rank fast = 8;    ///< number of those nodes that are fast
  Bytes size;
  Source source = Source::Fast;
  Improvement result;
};
/// Figure 4 (broadcast on 16 nodes with 2, 4, 8 fast), 5 (8-node multicast with 1, 2, 4 fast), 6
/// (multicast to 4, 8, 16 nodes, half of them fast); 4 B to 4 KB.
[[nodiscard]] std::vector<TestbedRow> figures4to6(std::uint64_t seed, unsigned cases);

/// Figures 7 to 9: the simulated testbed of 64 nodes (hnow_network.hpp).
struct StudyRow {
  int speed_factor = 4;
  int percent_fast = 25;
  Bytes size;
  Rank destinations = 63;
  Source source = Source::Fast;
  Improvement result;
};
/// Speed factors 2, 4, 6 x 10, 25, 50 % fast x 64 B, 1 KB, 4 KB x 4 to 63 destinations x fast and
/// random source. As in the paper each point is the mean over 10 sets of nodes on each of 10
/// networks.
[[nodiscard]] std::vector<StudyRow> figures7to9(std::uint64_t seed);

/// Figure 10: several multicasts at once.
struct MultipleRow {
  int percent_fast = 25;
  Rank sources = 4;
  Rank destinations = 16;
  double rotated_us = 0;  ///< binomial tree numbered from the source on, as in MPI_Bcast
  double sorted_us = 0;   ///< binomial tree: source, then destinations by node number
  double spoc_us = 0;
  double fnf_us = 0;
  double joint_us = 0;  ///< our trees, which are built together; never slower than FNF
};
/// Speed factor 4, 1 KB; 25 and 50 % fast; 4, 16, 32, 64 sources; 4 to 63 destinations. A time
/// ends with the last multicast, and is a mean over `cases`. The paper does not state how its
/// default tree orders the nodes, and that decides: numbered from the source on, the load spreads;
/// by node number, it gathers on the first nodes.
[[nodiscard]] std::vector<MultipleRow> figure10(std::uint64_t seed, unsigned cases);

}  // namespace espalier::reproduce
