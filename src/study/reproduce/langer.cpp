#include "reproduce/langer.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

#include "group/blue_gene.hpp"
#include "reproduce/langer_lab.hpp"
#include "reproduce/paper.hpp"

namespace espalier::reproduce {

std::vector<group::Measurement> measure_all(const std::vector<GroupRun>& runs) {
  std::vector<group::Measurement> results(runs.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < runs.size(); i = next++) {
      const auto& [scheme, experiment, costs] = runs[i];
      results[i] =
          group::measure(scheme, experiment, group::blue_gene(experiment.processes, costs));
    }
  };
  std::vector<std::thread> helpers;
  const unsigned threads = std::min(8U, std::max(1U, std::thread::hardware_concurrency()));
  for (unsigned t = 1; t < threads; ++t) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  return results;
}

const std::vector<group::Scheme>& paper_schemes() {
  static const std::vector<group::Scheme> kSchemes{
      group::Scheme::Centralized, group::Scheme::ShrinkAndBalance, group::Scheme::RankAndHash};
  return kSchemes;
}

group::Experiment paper_experiment(Rank processes, std::uint64_t millionths, std::uint64_t seed) {
  group::Experiment experiment;
  experiment.processes = processes;
  experiment.degree = 3;
  experiment.millionths = millionths;
  experiment.seed = seed;
  experiment.work_per_word = group::kBlueGeneWord;
  return experiment;
}

std::string key_of(group::Scheme scheme) {
  std::string key(name(scheme));
  std::replace(key.begin(), key.end(), '-', '_');
  return key;
}

namespace {

Expected<std::vector<Exhibit>> measured_here(const HereOptions& options, const HereAccess& here) {
  const auto asked = [&](const char* part) {
    return options.parts.empty() ||
           std::find(options.parts.begin(), options.parts.end(), part) != options.parts.end();
  };
  std::vector<Exhibit> exhibits;
  if (asked("table1")) {
    auto splits = langer_here(options, here.time_splits);
    if (!splits) return splits.error();
    exhibits = *std::move(splits);
  }
  if (!asked("made") && !asked("called")) return exhibits;
  auto groups = langer_groups_here(options, here.run);
  if (!groups) return groups.error();
  for (Exhibit& exhibit : *groups) {
    if (asked(exhibit.key.c_str())) exhibits.push_back(std::move(exhibit));
  }
  return exhibits;
}

}  // namespace

Paper langer() {
  return {
      "langer",
      "langer2012",
      "A. Langer, R. Venkataraman, L. Kale, \"Scalable algorithms for constructing balanced "
      "spanning trees on system-ranked process groups\", EuroMPI 2012",
      {{"figure3", "time over processes and the fraction of members", langer_figure3},
       {"cause", "why figure 3 differs: other costs of messages", langer_cause},
       {"figure4", "message counts over the fraction", langer_figure4},
       {"messages", "the counts of section 6, by kind", langer_messages},
       {"table1", "against MPI_Comm_split, over the colours", langer_table1},
       {"table2", "growth of space, time and messages", langer_table2},
       {"many", "many groups at once (not in the paper)", langer_many},
       {"traffic", "under other traffic (not in the paper)", langer_traffic}},
      {{"made", "all schemes beside MPI_Comm_split and MPI_Comm_create_group"},
       {"called", "collectives of groups, along the topology too, beside the MPI's own"}},
      [](const LabStudyOptions& options, const LabAccess& lab) {
        return langer_on_lab(options, lab.run);
      },
      {{"table1", "MPI_Comm_split, an allgather and a sort, and Rank-and-Hash"},
       {"made", "all schemes beside MPI_Comm_split and MPI_Comm_create_group"},
       {"called", "collectives of groups beside the MPI's own"}},
      measured_here,
      {{"figure3", "Figure 3 by the groups' own code, up to 4,096 ranks, beside the simulation"},
       {"table1", "Table 1 the same way, beside SMPI's MPI_Comm_split"}},
      langer_on_smpi,
      nullptr,
      /*has_random_cases=*/true,
      /*lab_takes_processes=*/true};
}

}  // namespace espalier::reproduce
