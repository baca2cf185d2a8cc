#pragma once

#include <memory>
#include <string>

#include "base/expected.hpp"
#include "cli/output.hpp"
#include "model/cost_model.hpp"
#include "report/timed_tree.hpp"
#include "topology/machine.hpp"
#include "tree/algorithm.hpp"
#include "tree/participants.hpp"

namespace espalier::cli {

class App;

/// The options of all commands that plan along one tree, as written; empty ones were not given.
struct RequestOptions {
  std::string machine;
  std::string root;
  std::string to;
  std::string size;
  std::string model;
  std::string arity;
  std::string operation;
};
void declare(App& app, RequestOptions& options);

/// RequestOptions, understood: a collective on a machine under a model.
struct TreePlanRequest {
  std::unique_ptr<const topology::Machine>
      owner;  ///< owner of `machine`, at a fixed address: the model refers to it
  const topology::Machine& machine;
  std::unique_ptr<model::CostModel> model;
  tree::Participants who;
  Bytes size;
  Rank arity = 2;
  schedule::Operation operation = schedule::Operation::Broadcast;
};
Expected<TreePlanRequest> understand(const RequestOptions& options);

/// Reads a machine as it is described; what its reader wants to tell goes to standard error.
/// @param where the option's name, for errors
Expected<topology::Machine> machine_from(const std::string& argument, const std::string& where);
/// The same for commands that predict times: a machine without latencies gets those of an ordinary
/// cluster, and a note on standard error says so.
Expected<topology::Machine> timed_machine_from(const std::string& argument,
                                               const std::string& where);
/// timed_machine_from() from the text of a file. @param name of the file, for errors and notes
Expected<topology::Machine> timed_machine_of(const std::string& text, const std::string& name);

/// The algorithm of this name; the error lists those that there are.
Expected<const tree::Algorithm*> algorithm_from(const std::string& name);

/// The algorithm's tree and its times. A reduction is planned as a broadcast backwards in time:
/// who receives and combines fast comes first. An error if the algorithm refuses the model.
Expected<report::TimedTree> plan(const TreePlanRequest& request, const tree::Algorithm& algorithm);

}  // namespace espalier::cli
