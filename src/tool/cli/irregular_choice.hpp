#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "cli/irregular_call.hpp"
#include "collective/hierarchy.hpp"
#include "select/chooser.hpp"
#include "select/counted_runs.hpp"
#include "select/irregular_exchange.hpp"

namespace espalier::cli {

/// What the library does with a call of blocks of unequal lengths, without trials.
struct IrregularRuns {
  std::string mpi;          ///< the value of --mpi; empty: none
  select::PlanChoice runs;  ///< the words of the library; without an MPI: its plan
  /// So many planned calls run along `first` before; 0: none.
  std::uint64_t first_calls = 0;
  std::string first;
  std::string first_row;                   ///< name of `first` in the table; empty: not there
  std::vector<select::Alternative> tries;  ///< what trials compare; empty without an MPI
  Bytes assumed_block;                     ///< the length for which the library predicts
  /// The plan that is compared with native for equal blocks of that length; empty: none is.
  std::string compared;
  std::optional<Time> compared_predicted;
  bool by_lengths = false;  ///< the chooser goes by the very lengths, and so do its times
  bool has_trees = false;   ///< planned calls run along trees by counts
};

/// The plan of an allgatherv or alltoallv that the library takes if it takes one, not simulated
/// yet: by the chooser, for the lengths that all ranks know. @pre the chooser is for the machine of
/// the call; its hierarchy outlives the plan
[[nodiscard]] select::ExchangeChoice chosen_exchange(const IrregularCall& asked,
                                                     select::Chooser& chooser);
[[nodiscard]] IrregularRuns runs_of(const IrregularCall& asked, select::Chooser& chooser,
                                    const std::string& mpi);
/// Scatterv and gatherv: the root chooses among trees, the chooser says whether calls are planned.
[[nodiscard]] IrregularRuns runs_of(const select::CountedRuns& counted, const IrregularCall& asked,
                                    select::Chooser& chooser, const std::string& mpi);

/// "under mpich: native (no gain predicted); predicted for equal blocks of 1 KiB: direct 3 ms,
/// native 3 ms; ...\n": both times are of the same call. Nothing without an MPI.
[[nodiscard]] std::string runs_text(const IrregularRuns& runs);
/// Adds its members to a document.
void add_runs(Json& document, const IrregularRuns& runs);

}  // namespace espalier::cli
