#include "reproduce/langer_lab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "reproduce/findings.hpp"
#include "topology/readers.hpp"

namespace espalier::reproduce {
namespace {

using report::Align;
using report::Cell;
using report::Decimal;

constexpr const char* kPlaces[] = {"communicator", "group", "group-along-topology"};

Cell us_cell(double us, unsigned wrong) {
  if (wrong != 0) return {"WRONG", report::Style::Bad};
  return Decimal{us, 0};
}

/// What bench/mpi/groups.cpp printed.
struct GroupTimes {
  std::vector<std::pair<std::string, Cell>> made;
  std::vector<std::pair<std::string, std::map<std::string, Cell>>> called;  // call -> place -> time
};

Expected<GroupTimes> read_times(const std::string& output) {
  GroupTimes times;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, what, place, bytes;
    double us = 0;
    unsigned wrong = 0;
    words >> kind;
    if (kind == "made" && words >> what >> us >> wrong) {
      times.made.emplace_back(what, us_cell(us, wrong));
    } else if (kind == "called" && words >> what >> bytes >> place >> us >> wrong) {
      const std::string call = what == "barrier" ? what : fmt::format("{} {} B", what, bytes);
      auto it = times.called.begin();
      while (it != times.called.end() && it->first != call) ++it;
      if (it == times.called.end()) it = times.called.insert(it, {call, {}});
      it->second[place] = us_cell(us, wrong);
    } else if (kind == "made" || kind == "called") {
      return Error{"espalier-groups", fmt::format("\"{}\" is not a line of its output", line), ""};
    }
  }
  if (times.made.empty() || times.called.empty()) {
    return Error{"espalier-groups", "it timed nothing", "see what it printed"};
  }
  return times;
}

/// @param where "24 ranks on two sites"
Exhibit made_exhibit(const GroupTimes& times, const std::string& mpi, const std::string& where) {
  Exhibit exhibit;
  exhibit.key = "made";
  exhibit.title = fmt::format("Making a group of six tenths of {}, measured with {}, us", where,
                              title_of_mpi(mpi));
  exhibit.table.columns = {{"made_by", "made by", Align::Left, 0},
                           {"time_us", "time", Align::Right, 0}};
  for (const auto& [what, time] : times.made) exhibit.table.rows.push_back({what, time});
  exhibit.notes = langer_made_findings(exhibit.table);
  return exhibit;
}

Exhibit called_exhibit(const GroupTimes& times, const std::string& mpi, const std::string& where) {
  Exhibit exhibit;
  exhibit.key = "called";
  exhibit.title =
      fmt::format("Collectives on a group of six tenths of {}, {}, us", where, title_of_mpi(mpi));
  exhibit.table.columns = {{"call", "call", Align::Left, 0},
                           {"communicator_us", "communicator", Align::Right, 0},
                           {"group_us", "group", Align::Right, 0},
                           {"along_us", "group along topology", Align::Right, 0}};
  for (const auto& [call, by_place] : times.called) {
    std::vector<Cell> row{call};
    for (const char* place : kPlaces) {
      row.push_back(by_place.count(place) > 0 ? by_place.at(place) : Cell());
    }
    exhibit.table.rows.push_back(std::move(row));
  }
  exhibit.notes = langer_call_findings(exhibit.table);
  return exhibit;
}

}  // namespace

Expected<std::vector<Exhibit>> langer_on_lab(const LabStudyOptions& options, const RunOnLab& run) {
  const auto machine = topology::parse_synthetic(
      fmt::format("site:2(10ms,100Mbit/s,name=wan) machine:2(250us,1Gbit/s,name=lan) proc:{}",
                  options.processes.value_or(options.quick ? 3 : 6)));
  if (!machine) return machine.error();
  const int repeats = options.quick ? 3 : 9;
  const auto outputs =
      run({*machine, options.mpi, {{"espalier-groups", {std::to_string(repeats)}, 0}}});
  if (!outputs) return outputs.error();
  const auto times = read_times(outputs->front());
  if (!times) return times.error();
  const std::string where = fmt::format("{} ranks on two sites", machine->size());
  std::vector<Exhibit> exhibits;
  if (wants(options, "made")) {
    exhibits.push_back(made_exhibit(*times, options.mpi, where));
    add_notes(
        exhibits.back(),
        {fmt::format("10 ms and 100 Mbit/s between two sites of two machines each, 250 us and "
                     "1 Gbit/s inside a site. Medians of {}, {}. along-topology: a second "
                     "pass over a group that is there.",
                     repeats, description_of(measure::Clocks::Shared))});
  }
  if (wants(options, "called")) {
    exhibits.push_back(called_exhibit(*times, options.mpi, where));
  }
  return exhibits;
}

Expected<std::vector<Exhibit>> langer_groups_here(const HereOptions& options, const RunHere& run) {
  const Rank ranks = std::min(options.most_processes, 4 * options.cores);
  const int repeats = options.quick ? 5 : 15;
  const auto output = run({options.mpi, "espalier-groups", {std::to_string(repeats)}, ranks});
  if (!output) return output.error();
  const auto times = read_times(*output);
  if (!times) return times.error();
  const std::string where = fmt::format("{} ranks on this computer", ranks);
  std::vector<Exhibit> exhibits{made_exhibit(*times, options.mpi, where),
                                called_exhibit(*times, options.mpi, where)};
  add_notes(exhibits.front(),
            {fmt::format("Medians of {}, {}, on {} core{}: with more ranks than cores these are "
                         "times of the scheduler, which differ from run to run. along-topology: a "
                         "second pass over a group that is there.",
                         repeats, description_of(measure::Clocks::Shared), options.cores,
                         options.cores == 1 ? "" : "s")});
  return exhibits;
}

}  // namespace espalier::reproduce
