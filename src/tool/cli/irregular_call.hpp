#pragma once

#include <memory>

#include "base/expected.hpp"
#include "cli/irregular.hpp"
#include "model/cost_model.hpp"
#include "schedule/collective.hpp"
#include "select/irregular.hpp"
#include "topology/machine.hpp"

namespace espalier::cli {

/// IrregularCallOptions, understood.
struct IrregularCall {
  std::unique_ptr<const topology::Machine>
      owner;  ///< owner of `machine`, at a fixed address: the model refers to it
  const topology::Machine& machine;
  std::unique_ptr<const model::CostModel> model;  ///< the cost model by which trees are built
  bool has_own_model = false;                     ///< --model was given
  schedule::Collective call;
  select::IrregularConditions conditions;

  [[nodiscard]] std::vector<Bytes> bytes() const;
  [[nodiscard]] bool exchanges() const {
    return call.operation == schedule::Operation::Allgather ||
           call.operation == schedule::Operation::Alltoall;
  }
  /// "scatterv from 0 among 39 ranks, 3.7 MiB in all, blocks of 0 to 1 MiB"
  [[nodiscard]] std::string in_words() const;
  /// "trees go by the model hockney\n", if one was asked for.
  [[nodiscard]] std::string model_in_words() const;
};
/// Levels of the machine that are looked at.
enum class Levels : bool {
  All,
  WithAChoice,  ///< the machine of the library: topology::as_planned()
};
/// @param machine the machine, if it is read already: standard input can be read only once
/// @param mpi plans are simulated as under this MPI library
Expected<IrregularCall> understand(const IrregularCallOptions& options, Levels levels = Levels::All,
                                   const topology::Machine* machine = nullptr,
                                   select::NativeMpi mpi = select::NativeMpi::Unknown);

}  // namespace espalier::cli
