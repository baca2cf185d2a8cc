#pragma once

#include <string>
#include <vector>

#include "reproduce/on_lab.hpp"
#include "tree/comm_tree.hpp"

namespace espalier::reproduce {

/// Figure 10 of banikazemi1998 with real MPI: several multicasts at once among 16 hosts, a quarter
/// or half of them fast, speed factor 4, 1 KB; along binomial trees, SPOC's, FNF's, and trees that
/// are built together.
Expected<Exhibit> banikazemi_multiple_on_lab(const LabStudyOptions& options, const RunOnLab& run);

/// Table 1 with real MPI: round trips between hosts whose sends cost what the paper's workstations
/// needed, in three clusters.
Expected<Exhibit> banikazemi_round_trips_on_lab(const LabStudyOptions& options,
                                                const RunOnLab& run);

/// A tree as bench/mpi/trees.cpp reads it: "0>3,0>5,3>7", senders in preorder.
[[nodiscard]] std::string text_of(const tree::CommTree& tree);

}  // namespace espalier::reproduce
