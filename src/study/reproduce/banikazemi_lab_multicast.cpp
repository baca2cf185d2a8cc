#include <fmt/format.h>

#include <array>

#include "reproduce/banikazemi_lab.hpp"
#include "reproduce/findings.hpp"

namespace espalier::reproduce {
namespace {

using measure::MeasuredCall;
using report::Align;
using report::Cell;
using report::Decimal;
using schedule::Operation;

enum MulticastStack : std::size_t { kMpiItself, kHeldToFnf, kOwnChoice };

/// A broadcast on a communicator of the members, then multicast() to the same ranks; for each
/// source and size.
std::vector<MeasuredCall> multicasts_of(const Placement& placement, bool quick) {
  std::vector<MeasuredCall> calls;
  for (const Rank root : {placement.fast_source, placement.random_source}) {
    for (const std::uint64_t size : quick ? std::vector<std::uint64_t>{4, 4096}
                                          : std::vector<std::uint64_t>{4, 1024, 4096, 16384}) {
      MeasuredCall call{Operation::Broadcast, Bytes{size}, root, placement.members};
      calls.push_back(call);
      call.is_multicast = true;
      calls.push_back(call);
    }
  }
  return calls;
}

report::Column multicast_column(std::string key, std::string title) {
  return {std::move(key), std::move(title), Align::Right, false};
}

void add_multicast_rows(Exhibit& exhibit, const measure::Bench& bench, Rank fast) {
  for (std::size_t c = 0; c + 1 < bench.calls.size(); c += 2) {
    const measure::MeasuredTimes& fnf = bench.measured[kHeldToFnf][c];
    const measure::MeasuredTimes& ours = bench.measured[kOwnChoice][c + 1];
    const bool is_right = fnf.wrong == 0 && ours.wrong == 0;
    exhibit.table.rows.push_back(
        {static_cast<std::int64_t>(bench.calls[c].members.size()), std::int64_t{fast},
         std::string(c < bench.calls.size() / 2 ? "fast" : "random"),
         static_cast<std::int64_t>(bench.calls[c].size.value),
         time_cell(bench.measured[kMpiItself][c], 1), time_cell(fnf, 1), time_cell(ours, 1),
         is_right ? Cell(Decimal{ours.summary.median / fnf.summary.median, 3}) : Cell()});
  }
}

}  // namespace

Expected<Exhibit> banikazemi_multicasts_on_lab(const LabStudyOptions& options,
                                               const MeasureOnLab& measure) {
  Exhibit exhibit;
  exhibit.key = "multicast";
  exhibit.title = "Multicasts among 8 of 16 unequal hosts by Communicator::multicast(); us";
  exhibit.table.columns = {multicast_column("nodes", "nodes"),
                           multicast_column("fast", "fast"),
                           {"source", "source", Align::Left, false},
                           multicast_column("size_bytes", "size"),
                           multicast_column("native_us", title_of_mpi(options.mpi)),
                           multicast_column("fnf_us", "FNF, forced"),
                           multicast_column("multicast_us", "multicast()"),
                           multicast_column("multicast_over_fnf", "over FNF")};
  const int repeats = options.quick ? 7 : 11;
  for (const Rank fast : {2U, 4U, 8U}) {
    const Placement placement = random_placement(options.seed, fast);
    const auto bench =
        measure({lab_testbed(placement.fast),
                 {native_stack(options.mpi), espalier_stack("fnf", "FNF", options.mpi, "fnf"),
                  espalier_stack("chosen", "Espalier's choice", options.mpi, "")},
                 multicasts_of(placement, options.quick),
                 repeats});
    if (!bench) return bench.error();
    add_multicast_rows(exhibit, *bench, fast / 2);
  }
  exhibit.notes = {fmt::format(
      "Measured with {} in a lab, one rank a host; medians of {}, {}. The MPI's own broadcast and "
      "the one held to FNF run on a communicator of the members; multicast() is called by all 16 "
      "ranks and needs none.",
      title_of_mpi(options.mpi), repeats, description_of(measure::Clocks::Shared))};
  add_notes(exhibit, banikazemi_multicast_findings(exhibit.table));
  return exhibit;
}

}  // namespace espalier::reproduce
