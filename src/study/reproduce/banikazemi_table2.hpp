#pragma once

#include <cstdint>
#include <span>

#include "base/types.hpp"

namespace espalier::reproduce {

/// M. Banikazemi, V. Moorthy, D. Panda: "Efficient collective communication on heterogeneous
/// networks of workstations", ICPP 1998, Table 2: how far FNF is from the optimum, for broadcast
/// and multicast among some of nine nodes whose costs are drawn from {100, 200, ..., 800} us.
/// Source and participants are drawn too, so the costs of n participants are n draws.
///
/// The paper ends at nine. Here it goes on as far as one likes: 10,000 cases of 32 participants
/// take less than a second of one core, and all of them are proven.
struct Table2Row {
  Rank participants = 0;  ///< number of participants, the source among them
  std::uint64_t cases = 0;
  double mean_fnf_us = 0;
  double mean_optimum_us = 0;
  double gap_of_means = 0;  ///< (FNF - optimum) / optimum, of the two means: as in the paper
  double mean_gap = 0;      ///< mean of the gaps of all cases
  double worst_gap = 0;     ///< largest gap of a single case
  double same_latency = 0;  ///< share of the cases in which FNF is optimal
  /// Cases whose optimum was not proven. Their proven lower bounds stand for it in all of the
  /// above, so that no gap is understated.
  std::uint64_t unproven = 0;
  friend bool operator==(const Table2Row&, const Table2Row&) = default;
};

/// One row, on `threads` threads. The same to the last bit for any number of them.
/// @pre participants >= 2, cases and threads >= 1
[[nodiscard]] Table2Row table2_row(Rank participants, std::uint64_t cases, std::uint64_t seed,
                                   unsigned threads);

/// What the paper prints, for 10,000 cases a row.
struct Table2Printed {
  Rank participants;
  double fnf_us;
  double optimum_us;
  double gap_percent;
};
[[nodiscard]] std::span<const Table2Printed> table2_printed();

}  // namespace espalier::reproduce
