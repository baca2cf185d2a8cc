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
};

/// Brings a lab up, measures, takes it down. Given from outside: experiments know nothing of labs.
using MeasureOnLab = std::function<Expected<measure::Bench>(const LabRequest&)>;

struct LabOptions {
  std::vector<std::string> parts;  ///< of the paper; empty: all that it has on a lab
  std::string mpi = "mpich";       ///< or "openmpi"
  unsigned cores = 1;              ///< of this computer
  std::optional<Rank> processes;   ///< a machine; empty: as many as the cores bear
  std::uint64_t seed = 1;
  bool quick = false;
};

[[nodiscard]] bool wants(const LabOptions& options, std::string_view part);
/// "MPICH" or "Open MPI"
[[nodiscard]] std::string title_of_mpi(const std::string& mpi);

/// The MPI as it is.
[[nodiscard]] measure::Stack native_stack(const std::string& mpi);
/// Espalier's library with this algorithm for broadcasts, or its own choice if "".
[[nodiscard]] measure::Stack espalier_stack(std::string key, std::string title,
                                            const std::string& mpi, const std::string& algorithm);

/// A time in milliseconds or microseconds, or WRONG where some result was.
[[nodiscard]] report::Cell time_cell(const measure::Measured& measured, double unit_us);

}  // namespace espalier::reproduce
