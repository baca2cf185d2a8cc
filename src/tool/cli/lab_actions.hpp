#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/output.hpp"
#include "lab/lab.hpp"

namespace espalier::cli {

/// The options of all actions of `espalier lab`, as written.
struct LabOptions {
  std::string state;
  std::string machine;
  std::string queue;
  std::string host;
  std::string link;
  std::string latency;
  std::string bandwidth;
  std::string loss;
  std::string jitter;
  std::string reorder;
  std::string cross;
  std::string send;
  std::string cpu;
  std::string slow_by;
  std::string hosts;    ///< `lab up`: a file of espalier place
  std::string explain;  ///< `lab run`: value of ESPALIER_EXPLAIN
  std::string profile;
  std::string trace;
  std::string ranks;
  std::string mpi;
  std::vector<std::string> preloads;
  std::vector<std::string> environment;
  std::vector<std::string> with;
  std::vector<std::string> command;
  bool cut = false;
  bool mend = false;
  bool all = false;
  bool reset = false;
  bool json = false;
  bool poll = false;
  bool print = false;
  bool espalier = false;  ///< `lab run`: whether our library is preloaded into the ranks
};

/// The lab that --state names, or the default one.
[[nodiscard]] Expected<lab::OpenLab> lab_of(const LabOptions& options);

Outcome lab_up(const LabOptions& options);
Outcome lab_down(const LabOptions& options);
Outcome lab_run(const LabOptions& options);
Outcome lab_exec(const LabOptions& options);
Outcome lab_set(const LabOptions& options);
Outcome lab_status(const LabOptions& options, const Globals& globals);
Outcome lab_stats(const LabOptions& options, const Globals& globals);

}  // namespace espalier::cli
