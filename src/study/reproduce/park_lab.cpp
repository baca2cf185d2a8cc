#include "reproduce/park_lab.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "base/contract.hpp"
#include "place/portfolio.hpp"
#include "profile/workload.hpp"
#include "reproduce/findings.hpp"
#include "reproduce/park.hpp"

namespace espalier::reproduce {
namespace {

using report::Align;
using report::Cell;
using report::Decimal;

constexpr Rank kLabProcesses = 16;
constexpr double kMflops = 200;  // of a host of speed 1
constexpr std::array kPolicies{"none", "sorted", "full", "ours"};

/// The placement of each policy, as leaves: the job's 16 first, then the hosts that are not used.
std::array<std::vector<topology::Leaf>, kPolicies.size()> leaves_of_policies(
    const map::Inventory& inventory, const std::string& program) {
  const auto profile = profile::make_workload(
      program + ".W", kLabProcesses, {.heavy_factor = program == "lu" ? kParkHeavyFactor : 0});
  expects(profile.has_value(), "park: a workload that there is not");
  const auto problem = make_problem(inventory, *profile, {});
  expects(problem.has_value(), "park: the machine is too small");
  const place::Answer answer = place::place_processes(*problem, {.search_steps = 400'000});
  std::array<std::vector<topology::Leaf>, kPolicies.size()> all;
  const std::array names{std::string("sequential"), std::string("sorted"), std::string("full"),
                         answer.candidates[answer.chosen].name};
  for (std::size_t p = 0; p < kPolicies.size(); ++p) {
    for (const place::Candidate& candidate : answer.candidates) {
      if (candidate.name != names[p]) continue;
      std::set<topology::Leaf> left;
      for (topology::Leaf leaf = 0; leaf < inventory.machine.size(); ++leaf) left.insert(leaf);
      all[p].clear();
      for (const std::uint32_t slot : candidate.placement) {
        all[p].push_back(problem->slots[slot].leaf);
        left.erase(all[p].back());
      }
      all[p].insert(all[p].end(), left.begin(), left.end());
    }
    expects(!all[p].empty(), "park: a policy that there is not");
  }
  return all;
}

/// The processors of the paper's Table 1, by their clocks, in the order of its rows. Which of its
/// universities is which cluster of Figure 4 the paper does not say.
map::Inventory with_unequal_hosts(map::Inventory inventory) {
  const std::map<std::string, std::uint64_t> megahertz{
      {"A", 1000}, {"B", 1600}, {"C", 2000}, {"D", 850}, {"E", 1700}};
  for (map::Host& host : inventory.hosts) {
    host.speed_millionths = 1'000'000 * megahertz.at(host.cluster) / 2000;
  }
  return inventory;
}

/// What each rank computes a second, as the programs take it: "200,200,85".
std::string speeds_of(const map::Inventory& inventory, const std::vector<topology::Leaf>& leaves) {
  std::vector<double> speeds;
  for (Rank rank = 0; rank < kLabProcesses; ++rank) {
    for (const map::Host& host : inventory.hosts) {
      if (host.first_leaf != leaves[rank]) continue;
      speeds.push_back(kMflops * static_cast<double>(host.speed_millionths) / 1e6);
    }
  }
  expects(speeds.size() == kLabProcesses, "park: a host has several slots");
  return fmt::format("{}", fmt::join(speeds, ","));
}

/// "lu.W on 16: 4.512345 s, 0 wrong": the seconds.
Expected<double> seconds_in(const std::string& output) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    double seconds = 0;
    unsigned wrong = 1;
    const auto colon = line.find(": ");
    if (colon == std::string::npos || line.find(" wrong") == std::string::npos) continue;
    if (std::sscanf(line.c_str() + colon + 2, "%lf s, %u wrong", &seconds, &wrong) == 2) {
      if (wrong == 0) return seconds;
      return Error{"reproduce", fmt::format("a program computed wrongly: {}", line), ""};
    }
  }
  return Error{"reproduce", "a program did not say how long it took", "see what it printed"};
}

struct MeasuredMean {
  double mean = 0;
  double half = 0;  ///< half the width of the 95 % interval
};

MeasuredMean mean_of_runs(const std::vector<double>& values) {
  // Student's t of 97.5 % for 1, 2, ... degrees of freedom.
  constexpr std::array kStudent{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
  const auto n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double v : values) sum += v;
  for (const double v : values) squares += (v - sum / n) * (v - sum / n);
  if (values.size() < 2) return {sum / n, 0};
  const double t = kStudent[std::min(values.size() - 2, kStudent.size() - 1)];
  return {sum / n, t * std::sqrt(squares / (n - 1) / n)};
}

/// One program under one policy: what each run took.
Expected<std::vector<double>> run_policy(const map::Inventory& inventory,
                                         const std::vector<topology::Leaf>& leaves,
                                         const std::string& program, std::size_t runs,
                                         const LabStudyOptions& options, const RunOnLab& run) {
  std::vector<std::string> arguments{"W", "--asleep", speeds_of(inventory, leaves)};
  if (program == "lu") {
    for (const char* word : {"--steps", "1", "--heavy", "1"}) arguments.emplace_back(word);
  }
  const LabRunRequest request{
      with_placement(inventory.machine, leaves), options.mpi,
      std::vector<LabProgram>(runs, {"espalier-npb-" + program, arguments, kLabProcesses})};
  const auto outputs = run(request);
  if (!outputs) return outputs.error();
  std::vector<double> seconds;
  for (const std::string& output : *outputs) {
    const auto took = seconds_in(output);
    if (!took) return took.error();
    seconds.push_back(*took);
  }
  return seconds;
}

Exhibit empty_park_exhibit() {
  Exhibit exhibit;
  exhibit.table.columns = {{"program", "program", Align::Left, 0}};
  for (const char* policy : kPolicies) {
    exhibit.table.columns.push_back({fmt::format("{}_s", policy), policy, Align::Right, 0});
    exhibit.table.columns.push_back({fmt::format("{}_95_s", policy), "+-", Align::Right, 0});
  }
  for (const char* over : {"none", "sorted"}) {
    exhibit.table.columns.push_back(
        {fmt::format("{}_over_full", over), fmt::format("{}/full", over), Align::Right, 0});
  }
  exhibit.table.columns.push_back({"paper_none_over_full", "paper", Align::Right, 0});
  return exhibit;
}

/// Programs under each policy on these hosts.
Expected<Exhibit> measured_policies(const map::Inventory& inventory,
                                    const std::vector<std::string>& programs, std::size_t runs,
                                    const LabStudyOptions& options, const RunOnLab& run) {
  Exhibit exhibit = empty_park_exhibit();
  for (const std::string& program : programs) {
    const auto leaves = leaves_of_policies(inventory, program);
    std::array<std::vector<double>, kPolicies.size()> seconds;
    // Half of the runs in one order of the policies, half in the other: what drifts meanwhile,
    // drifts for all.
    for (const bool again : {false, true}) {
      const std::size_t now = again ? runs / 2 : runs - runs / 2;
      for (std::size_t i = 0; now > 0 && i < kPolicies.size(); ++i) {
        const std::size_t p = again ? kPolicies.size() - 1 - i : i;
        const auto took = run_policy(inventory, leaves[p], program, now, options, run);
        if (!took) return took.error();
        seconds[p].insert(seconds[p].end(), took->begin(), took->end());
      }
    }
    std::vector<Cell> row{program + ".W"};
    std::vector<double> means;
    for (const auto& of_policy : seconds) {
      const MeasuredMean mean = mean_of_runs(of_policy);
      row.emplace_back(Decimal{mean.mean, 3});
      row.emplace_back(Decimal{mean.half, 3});
      means.push_back(mean.mean);
    }
    row.emplace_back(Decimal{means[0] / means[2], 2});
    row.emplace_back(Decimal{means[1] / means[2], 2});
    row.push_back(program == "lu"   ? Cell(Decimal{2.0, 1})
                  : program == "mg" ? Cell(Decimal{1.8, 1})
                  : program == "ep" ? Cell(Decimal{1.0, 1})
                                    : Cell());
    exhibit.table.rows.push_back(std::move(row));
  }
  exhibit.notes = {fmt::format(
      "Means of {} runs; +- is half of the 95 % interval of the mean. none: hosts in the "
      "order of the inventory. LU runs 1 % of its time steps, with channels inserted as "
      "in the paper. Computation is slept, at {} Mflop/s on a host of speed 1{}.",
      runs, kMflops,
      options.cores < inventory.hosts.size()
          ? fmt::format(": {} cores are no {} hosts", options.cores, inventory.hosts.size())
          : "")};
  add_notes(exhibit, park_lab_findings(exhibit.table));
  return exhibit;
}

}  // namespace

Expected<std::vector<Exhibit>> park_on_lab(const LabStudyOptions& options, const RunOnLab& run) {
  const map::Inventory inventory = park_inventory();
  std::vector<Exhibit> exhibits;
  if (wants(options, "figure5")) {
    auto exhibit =
        measured_policies(inventory, {"lu", "mg", "is", "ep"}, options.quick ? 2 : 5, options, run);
    if (!exhibit) return exhibit.error();
    exhibit->key = "figure5";
    exhibit->title =
        fmt::format("Figure 5: four programs of class W on 16 of 20 hosts, measured with {}, s",
                    title_of_mpi(options.mpi));
    add_notes(*exhibit, {"The machine is fitted to LU of class C (data/park2004): what is measured "
                         "here is whether real MPI does as predicted on it, not what the paper's "
                         "machine was."});
    exhibits.push_back(*std::move(exhibit));
  }
  if (wants(options, "table1")) {
    auto exhibit = measured_policies(with_unequal_hosts(inventory), {"lu", "ep"},
                                     options.quick ? 2 : 3, options, run);
    if (!exhibit) return exhibit.error();
    exhibit->key = "table1";
    exhibit->title =
        fmt::format("Table 1: the same with hosts as fast as the paper's, measured with {}, s",
                    title_of_mpi(options.mpi));
    add_notes(*exhibit,
              {"Speeds by the clocks of Table 1: A 1 GHz, B 1.6, C 2 (speed 1), D 0.85, E 1.7. "
               "Which university is which cluster the paper does not say. Its policies know no "
               "speeds, ours does."});
    exhibits.push_back(*std::move(exhibit));
  }
  return exhibits;
}

}  // namespace espalier::reproduce
