#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "measure/bench_table.hpp"
#include "reproduce/exhibit.hpp"
#include "topology/machine.hpp"

namespace espalier::reproduce {

/// What is to be measured with real MPI on an emulated machine.
struct LabRequest {
  topology::Machine machine;
  std::vector<measure::Stack> stacks;
  std::vector<measure::MeasuredCall> calls;
  int repeats = 3;
  measure::Clocks clocks = measure::Clocks::Shared;
};

/// Brings a lab up, measures, takes it down. The caller hands it in, since experiments know nothing
/// of labs.
using MeasureOnLab = std::function<Expected<measure::Bench>(const LabRequest&)>;

/// A program that stands beside the tool; the name of the MPI is put behind its name.
struct LabProgram {
  std::string name;  ///< "espalier-groups"
  std::vector<std::string> arguments;
  Rank ranks = 0;  ///< the first ranks of the machine; 0 means all
};

/// Programs to run on an emulated machine, one after the other.
struct LabRunRequest {
  topology::Machine machine;
  std::string mpi;
  std::vector<LabProgram> programs;
};

/// Brings a lab up, runs the programs, takes it down: what each of them printed.
using RunOnLab = std::function<Expected<std::vector<std::string>>(const LabRunRequest&)>;

/// What experiments can ask of a lab.
struct LabAccess {
  MeasureOnLab measure;
  RunOnLab run;
};

/// Options of `espalier reproduce --on lab`.
struct LabStudyOptions {
  std::vector<std::string> parts;  ///< parts of the paper to measure; empty means all
  std::string mpi = "mpich";       ///< "mpich" or "openmpi"
  unsigned cores = 1;              ///< number of cores of this computer
  std::optional<Rank>
      processes;  ///< processes on each machine; absent means as many as the cores bear
  std::uint64_t seed = 1;
  bool quick = false;
};

/// Whether this part of the paper is to be measured.
[[nodiscard]] bool wants(const LabStudyOptions& options, std::string_view part);
/// "MPICH" or "Open MPI"
[[nodiscard]] std::string title_of_mpi(const std::string& mpi);

/// The MPI library without Espalier.
[[nodiscard]] measure::Stack native_stack(const std::string& mpi);
/// Espalier's library with this algorithm for broadcasts, or its own choice if "".
[[nodiscard]] measure::Stack espalier_stack(std::string key, std::string title,
                                            const std::string& mpi, const std::string& algorithm);

/// Espalier's library with its own choice of plans, or held to `algorithms` (as in
/// ESPALIER_ALGORITHM).
[[nodiscard]] measure::Stack held_stack(std::string key, std::string title, const std::string& mpi,
                                        const std::string& algorithms);

/// The median time in units of `unit_us` microseconds, or WRONG if some result was wrong.
[[nodiscard]] report::Cell time_cell(const measure::MeasuredTimes& measured, double unit_us);

}  // namespace espalier::reproduce
