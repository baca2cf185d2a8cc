#include <fmt/format.h>

#include <algorithm>

#include "reproduce/langer.hpp"
#include "reproduce/on_lab.hpp"

namespace espalier::reproduce {
namespace {

using report::Align;
using report::Cell;
using report::Decimal;

std::vector<Cell> row_of(const TimedSplit& split) {
  std::vector<Cell> row{std::int64_t{split.ranks}, std::int64_t{split.colours}};
  if (split.wrong > 0) {
    row.resize(7, Cell(std::string("WRONG")));
    return row;
  }
  for (const double us : {split.comm_split, split.allgather, split.group}) {
    row.emplace_back(Decimal{us, 1});
  }
  row.emplace_back(Decimal{split.comm_split / split.group, 2});
  row.emplace_back(Decimal{split.allgather / split.group, 2});
  return row;
}

}  // namespace

Expected<std::vector<Exhibit>> langer_here(const HereOptions& options, const TimeSplits& time) {
  Exhibit exhibit;
  exhibit.key = "table1";
  exhibit.title = fmt::format("Table 1 with real MPI: splitting MPI_COMM_WORLD, {}, us",
                              title_of_mpi(options.mpi));
  exhibit.table.columns = {{"ranks", "ranks", Align::Right, false},
                           {"colours", "c", Align::Right, false},
                           {"comm_split_us", "MPI_Comm_split", Align::Right, false},
                           {"allgather_us", "allgather, sort", Align::Right, false},
                           {"rank_and_hash_us", "R&H", Align::Right, false},
                           {"ratio", "x", Align::Right, false},
                           {"best_ratio", "x allgather", Align::Right, false}};
  std::size_t wins = 0, all = 0;
  for (Rank ranks = 2; ranks <= options.most_processes; ranks *= 2) {
    const auto splits = time({options.mpi, ranks, options.quick ? 5U : 20U});
    if (!splits) return splits.error();
    for (const TimedSplit& split : *splits) {
      exhibit.table.rows.push_back(row_of(split));
      wins += split.wrong == 0 && split.group < split.comm_split ? 1 : 0;
      ++all;
    }
  }
  exhibit.notes = {
      fmt::format("Medians of the slowest rank's time, all ranks on the {} cores of this computer. "
                  "Where there are more ranks than cores these are times of the scheduler, which "
                  "differ from run to run. Rank-and-Hash is ahead of MPI_Comm_split in {} of {} "
                  "rows.",
                  options.cores, wins, all),
      "x: MPI_Comm_split over R&H. allgather, sort: what any communicator needs at least, without "
      "the context that MPI_Comm_split has to agree on. What the paper is about begins at sizes "
      "that no computer here has: see table1 without --on."};
  return std::vector<Exhibit>{std::move(exhibit)};
}

}  // namespace espalier::reproduce
