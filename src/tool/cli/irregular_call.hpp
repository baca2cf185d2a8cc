#pragma once

#include "base/expected.hpp"
#include "cli/irregular.hpp"
#include "schedule/collective.hpp"
#include "select/irregular.hpp"
#include "topology/machine.hpp"

namespace espalier::cli {

/// IrregularCallOptions, understood.
struct IrregularCall {
  topology::Machine machine;
  schedule::Collective call;
  select::IrregularConditions conditions;

  [[nodiscard]] std::vector<Bytes> bytes() const;
  [[nodiscard]] bool exchanges() const {
    return call.operation == schedule::Operation::Allgather ||
           call.operation == schedule::Operation::Alltoall;
  }
  /// "scatterv from 0 among 39 ranks, 3.7 MiB in all, blocks of 0 to 1 MiB"
  [[nodiscard]] std::string in_words() const;
};
/// @param machine the machine, if it is read already: standard input can be read only once
Expected<IrregularCall> understand(const IrregularCallOptions& options,
                                   const topology::Machine* machine = nullptr);

}  // namespace espalier::cli
