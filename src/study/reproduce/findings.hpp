#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"
#include "report/table.hpp"

namespace espalier::reproduce {

/// Sentences that put our figures beside what a paper says. Each is computed from the exhibit's own
/// table, so that other figures give another sentence.
using Findings = std::vector<std::string>;

/// Figures 7 to 9: who has the lowest curve, and where two curves are one.
[[nodiscard]] Findings karonis_findings(const report::Table& table);
/// What the barrier of Figure 6 hides of the broadcasts' gain.
[[nodiscard]] Findings karonis_turn_findings(const report::Table& table);
/// Who sends the fewest messages over the wide area, and over each network on the longest way.
[[nodiscard]] Findings karonis_count_findings(const report::Table& table);
/// How multilevel does against two-level trees over figures of the LAN.
[[nodiscard]] Findings karonis_lan_findings(const report::Table& table);

[[nodiscard]] Findings banikazemi_table2_findings(const report::Table& table);
[[nodiscard]] Findings banikazemi_testbed_findings(const report::Table& table);
[[nodiscard]] Findings banikazemi_study_findings(const report::Table& table);
[[nodiscard]] Findings banikazemi_multiple_findings(const report::Table& table);
/// What shared links add to single multicasts.
[[nodiscard]] Findings banikazemi_contention_findings(const report::Table& table);
/// Several multicasts at once, measured: which trees are the fastest.
[[nodiscard]] Findings banikazemi_multiple_lab_findings(const report::Table& table);
/// Communicator::multicast() beside a broadcast that is held to FNF, measured.
[[nodiscard]] Findings banikazemi_multicast_findings(const report::Table& table);
/// Whether round trips show the clusters, raw and without the nodes' own costs.
[[nodiscard]] Findings banikazemi_round_trip_findings(const report::Table& table);
/// Times by acknowledgements, the least of all, beside medians by a common clock.
[[nodiscard]] Findings banikazemi_ack_findings(const report::Table& table);

[[nodiscard]] Findings dichev_switch_findings(const report::Table& table);
[[nodiscard]] Findings dichev_grid_findings(const report::Table& table);

[[nodiscard]] Findings dichev_lab_findings(const report::Table& table);

[[nodiscard]] Findings langer_time_findings(const report::Table& table);
[[nodiscard]] Findings langer_count_findings(const report::Table& table);
[[nodiscard]] Findings langer_split_findings(const report::Table& table);
[[nodiscard]] Findings langer_cause_findings(const report::Table& table);
/// The protocols under SMPI beside their simulation, and which scheme is the fastest there.
[[nodiscard]] Findings langer_smpi_findings(const report::Table& table);
[[nodiscard]] Findings langer_smpi_split_findings(const report::Table& table);
/// Schemes beside MPI_Comm_split and MPI_Comm_create_group, measured.
[[nodiscard]] Findings langer_made_findings(const report::Table& table);
/// Collectives of groups beside those of communicators, measured.
[[nodiscard]] Findings langer_call_findings(const report::Table& table);
/// Of rows by load or number of groups: which scheme is the fastest at either end.
[[nodiscard]] Findings langer_fastest_findings(const report::Table& table, const std::string& key);
/// Messages of Shrink-and-Balance by the formula of section 6, beside the paper's 2.6e5.
[[nodiscard]] std::string langer_formula_finding(Rank processes, Rank members, std::uint64_t fills,
                                                 std::uint64_t moves, std::uint64_t all);

[[nodiscard]] Findings park_example_findings(const report::Table& table);
/// Which four processes come first by burden, and which by bytes alone. Both have a figure for each
/// process.
[[nodiscard]] std::string park_burden_finding(const std::vector<double>& burden,
                                              const std::vector<double>& bytes);
[[nodiscard]] Findings park_program_findings(const report::Table& table);
/// Policies that were measured in a lab.
[[nodiscard]] Findings park_lab_findings(const report::Table& table);
[[nodiscard]] Findings park_class_findings(const report::Table& table);
[[nodiscard]] Findings park_sensitivity_findings(const report::Table& table);

}  // namespace espalier::reproduce
