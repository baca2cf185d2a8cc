#pragma once

#include <string>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "formats/load_schedule.hpp"
#include "report/text.hpp"
#include "schedule/schedule.hpp"
#include "sim/options.hpp"
#include "topology/machine.hpp"

namespace espalier::cli {

class App;

/// --counts and what goes with it: scatterv and gatherv of blocks whose lengths are known.
struct CountsOptions {
  std::string counts;
  std::string memory = "64MiB";
  std::string model;  ///< name of the cost model of trees; empty: levels
  [[nodiscard]] bool given() const { return !counts.empty(); }
};
/// @pre the command's other options are declared: those that do not go with --counts exclude it
void declare(App& app, CountsOptions& options);

/// A call with --counts, as written.
struct IrregularCallOptions {
  std::string operation;  ///< scatter, scatterv, gather or gatherv
  std::string machine;
  std::string root;
  std::string size;  ///< mean length of the blocks
  CountsOptions counts;
};

/// How a table is written.
enum class TableForm { Text, Json, Csv };

/// `espalier plan --counts`: says at once which plan the library takes, then simulates every plan.
/// The chosen one is verified unless it has too many messages (is_verified).
struct IrregularPlanOptions : IrregularCallOptions {
  TableForm form = TableForm::Text;
  bool all = false;
  std::string mpi;       ///< the MPI library of --mpi; empty: none
  std::string schedule;  ///< file to write the chosen plan to; empty for none
  formats::Form schedule_form{};
};
[[nodiscard]] Outcome plan_irregular(const IrregularPlanOptions& options,
                                     const report::Canvas& canvas);

/// `espalier simulate --counts`: the plan that `espalier plan` chooses, or the one of this name.
/// @param conditions links will be shared as in the table of `espalier plan`
[[nodiscard]] Expected<schedule::Schedule> irregular_schedule(const IrregularCallOptions& options,
                                                              const topology::Machine& machine,
                                                              const std::string& name,
                                                              sim::SimOptions& conditions);

/// `espalier compare --counts`: the trees of the papers and ours side by side.
[[nodiscard]] Outcome compare_irregular(const IrregularCallOptions& options, TableForm form,
                                        const report::Canvas& canvas);

/// `espalier tree --counts`: the tree of one algorithm, who holds what and when.
[[nodiscard]] Outcome draw_irregular(const IrregularCallOptions& options,
                                     const std::string& algorithm, TableForm form,
                                     const report::Canvas& canvas);

}  // namespace espalier::cli
