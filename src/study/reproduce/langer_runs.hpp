#pragma once

#include <vector>

#include "group/experiment.hpp"

namespace espalier::reproduce {

/// One simulated construction of a group.
struct GroupRun {
  group::Scheme scheme = group::Scheme::RankAndHash;
  group::Experiment experiment;
};

/// Simulates all runs on the paper's machine, several at a time. Results are in the order of
/// `runs`.
[[nodiscard]] std::vector<group::Measurement> measure_all(const std::vector<GroupRun>& runs);

/// The schemes of the paper's figures, in their order.
[[nodiscard]] const std::vector<group::Scheme>& paper_schemes();
/// An experiment as in the paper: degree 3, and the work on words of blue_gene.hpp.
[[nodiscard]] group::Experiment paper_experiment(Rank processes, std::uint64_t millionths,
                                                 std::uint64_t seed);
/// "rank_and_hash": the scheme as part of a key.
[[nodiscard]] std::string key_of(group::Scheme scheme);

}  // namespace espalier::reproduce
