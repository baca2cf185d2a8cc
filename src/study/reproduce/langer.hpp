#pragma once

#include <vector>

#include "group/blue_gene.hpp"
#include "group/experiment.hpp"
#include "reproduce/on_here.hpp"
#include "reproduce/paper.hpp"

namespace espalier::reproduce {

/// One simulated construction of a group.
struct GroupRun {
  group::Scheme scheme = group::Scheme::RankAndHash;
  group::Experiment experiment;
  group::HandlerCosts costs = {};
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

/// Times over processes and fractions.
[[nodiscard]] Exhibit langer_figure3(const PaperOptions& options);
/// Why Shrink-and-Balance is not always slower here: figure 3 with other costs of messages.
[[nodiscard]] Exhibit langer_cause(const PaperOptions& options);
/// Message counts over the fraction, by the centralized scheme's.
[[nodiscard]] Exhibit langer_figure4(const PaperOptions& options);
/// The counts that section 6 states, by kind.
[[nodiscard]] Exhibit langer_messages(const PaperOptions& options);

/// Rank-and-Hash against MPI_Comm_split, over the number of colours.
[[nodiscard]] Exhibit langer_table1(const PaperOptions& options);
/// Space, time, messages and message size: exponents measured and stated.
[[nodiscard]] Exhibit langer_table2(const PaperOptions& options);
/// What the paper left open: many groups at once.
[[nodiscard]] Exhibit langer_many(const PaperOptions& options);
/// What the paper left open: groups under other traffic.
[[nodiscard]] Exhibit langer_traffic(const PaperOptions& options);

/// Figure 3 and Table 1 by the groups' own code under SimGrid's SMPI, thousands of ranks, beside
/// the simulation of the same machine.
Expected<std::vector<Exhibit>> langer_on_smpi(const SmpiStudyOptions& options,
                                              const RunOnSmpi& run);

/// Table 1 with real MPI, at the sizes that this computer bears.
Expected<std::vector<Exhibit>> langer_here(const HereOptions& options, const TimeSplits& time);

}  // namespace espalier::reproduce
