#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include "model/machine_models.hpp"
#include "reproduce/findings.hpp"
#include "reproduce/langer.hpp"
#include "topology/readers.hpp"

namespace espalier::reproduce {
namespace {

using group::Scheme;
using report::Align;
using report::Cell;
using report::Decimal;
using topology::Machine;

/// One process a host; what a message costs either end and how long it is under way, as fitted to
/// the paper's machine (group/blue_gene.hpp).
Machine hosts(Rank processes) {
  return topology::parse_synthetic(
             fmt::format("node:{}(3us,3Gbit/s,send=4.8us,recv=4.8us)", processes))
      .value();
}

bool asks_for(const SmpiStudyOptions& options, std::string_view part) {
  return options.parts.empty() ||
         std::find(options.parts.begin(), options.parts.end(), part) != options.parts.end();
}

report::Column number_at(std::string key, std::string title) {
  return {std::move(key), std::move(title), Align::Right, false};
}

Error unreadable(const std::string& line) {
  return {"smpi_groups", fmt::format("\"{:.100}\" is not a line of its output", line), ""};
}

/// What bench/smpi/groups.cpp printed of one construction.
struct MadeLine {
  double us = 0;
  std::uint64_t members = 0;
  std::uint64_t memory = 0;
  int wrong = 0;
};

Expected<std::map<std::pair<std::uint64_t, std::string>, MadeLine>> read_made(
    const std::string& output) {
  std::map<std::pair<std::uint64_t, std::string>, MadeLine> made;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, scheme;
    std::uint64_t millionths = 0;
    MadeLine one;
    if (!(words >> kind) || kind != "made") continue;
    if (!(words >> scheme >> millionths >> one.members >> one.us >> one.wrong >> one.memory)) {
      return unreadable(line);
    }
    made[{millionths, scheme}] = one;
  }
  return made;
}

Expected<Exhibit> figure3(const SmpiStudyOptions& options, const RunOnSmpi& run) {
  Exhibit exhibit;
  exhibit.key = "figure3";
  exhibit.title = "Figure 3 by the groups' own code under SMPI, beside our simulation; us";
  exhibit.table.columns = {number_at("processes", "n"), number_at("fraction", "f"),
                           number_at("members", "members")};
  for (const Scheme scheme : paper_schemes()) {
    const std::string key = key_of(scheme);
    exhibit.table.columns.push_back(number_at(key + "_us", std::string(name(scheme))));
    exhibit.table.columns.push_back(number_at(key + "_simulated_us", "simulated"));
  }
  const std::vector<std::uint64_t> fractions{10'000, 100'000, 300'000, 600'000, 900'000};
  for (const Rank processes :
       options.quick ? std::vector<Rank>{64} : std::vector<Rank>{256, 1024, 4096}) {
    const Machine machine = hosts(processes);
    std::vector<std::string> arguments{"made", std::to_string(options.seed)};
    for (const std::uint64_t f : fractions) arguments.push_back(std::to_string(f));
    const auto output = run({machine, arguments});
    if (!output) return output.error();
    const auto made = read_made(*output);
    if (!made) return made.error();
    const model::Levels model(machine);
    for (const std::uint64_t f : fractions) {
      std::vector<Cell> row{std::int64_t{processes}, Decimal{static_cast<double>(f) / 1e6, 2},
                            Cell{}};
      for (const Scheme scheme : paper_schemes()) {
        const auto seen = made->find({f, std::string(name(scheme))});
        if (seen == made->end()) {
          return Error{"smpi_groups", fmt::format("it made no group by {}", name(scheme)),
                       "see what it printed"};
        }
        row[2] = static_cast<std::int64_t>(seen->second.members);
        row.push_back(seen->second.wrong != 0 ? Cell("WRONG", report::Style::Bad)
                                              : Cell(Decimal{seen->second.us, 1}));
        group::Experiment experiment = paper_experiment(processes, f, options.seed);
        experiment.work_per_word = Time{};  // computing takes no time under SMPI
        row.emplace_back(
            Decimal{to_microseconds(group::measure(scheme, experiment, model).finish), 1});
      }
      exhibit.table.rows.push_back(std::move(row));
    }
  }
  exhibit.notes = {
      "Simulated time on hosts of one process each, 3 us and 3 Gbit/s between them, 4.8 us for "
      "each "
      "message at either end, which is what was fitted to the paper's machine. Under SMPI real MPI "
      "messages carry the protocols; nothing is charged for work on words of a message, in the "
      "simulation beside it neither."};
  add_notes(exhibit, langer_smpi_findings(exhibit.table));
  return exhibit;
}

Expected<Exhibit> table1(const SmpiStudyOptions& options, const RunOnSmpi& run) {
  const Rank processes = options.quick ? 64 : 4096;
  Exhibit exhibit;
  exhibit.key = "table1";
  exhibit.title = fmt::format(
      "Table 1 under SMPI: {} ranks, Rank-and-Hash beside SMPI's MPI_Comm_split; us", processes);
  exhibit.table.columns = {number_at("colours", "c"), number_at("comm_split_us", "MPI_Comm_split"),
                           number_at("rank_and_hash_us", "R&H"),
                           number_at("rank_and_hash_simulated_us", "R&H simulated"),
                           number_at("ratio", "x")};
  const Machine machine = hosts(processes);
  const auto output =
      run({machine, {"split", std::to_string(options.seed), "1", "2", "4", "8", "64"}});
  if (!output) return output.error();
  std::istringstream lines(*output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    group::Colour colours = 0;
    double split = 0, made = 0;
    int wrong = 0;
    if (!(words >> kind) || kind != "split") continue;
    if (!(words >> colours >> split >> made >> wrong) || made <= 0) return unreadable(line);
    group::Experiment experiment = paper_experiment(processes, 1'000'000, options.seed);
    experiment.colours = colours;
    experiment.work_per_word = Time{};
    const Time simulated =
        group::measure(Scheme::RankAndHashColours, experiment, model::Levels(machine)).finish;
    exhibit.table.rows.push_back(
        {std::int64_t{colours}, Decimal{split, 1},
         wrong != 0 ? Cell("WRONG", report::Style::Bad) : Cell(Decimal{made, 1}),
         Decimal{to_microseconds(simulated), 1},
         wrong != 0 ? Cell() : Cell(Decimal{split / made, 2})});
  }
  if (exhibit.table.rows.empty()) {
    return Error{"smpi_groups", "it split nothing", "see what it printed"};
  }
  exhibit.notes = {
      "MPI_Comm_split is SimGrid's own: it gathers colours and keys at rank 0, which sorts them "
      "and "
      "answers everybody. Its sort takes no simulated time. So this is no measurement of the "
      "paper's "
      "MPI, whose split took 135 ms at 32,768 processes."};
  add_notes(exhibit, langer_smpi_split_findings(exhibit.table));
  return exhibit;
}

}  // namespace

Expected<std::vector<Exhibit>> langer_on_smpi(const SmpiStudyOptions& options,
                                              const RunOnSmpi& run) {
  std::vector<Exhibit> exhibits;
  const auto add = [&](const char* part, auto make) -> std::optional<Error> {
    if (!asks_for(options, part)) return std::nullopt;
    auto made = make(options, run);
    if (!made) return made.error();
    exhibits.push_back(*std::move(made));
    return std::nullopt;
  };
  if (auto failed = add("figure3", figure3)) return *failed;
  if (auto failed = add("table1", table1)) return *failed;
  return exhibits;
}

}  // namespace espalier::reproduce
