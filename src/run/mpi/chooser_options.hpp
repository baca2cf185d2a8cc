#pragma once

#include "runtime/choose_plan.hpp"
#include "topology/machine.hpp"

namespace espalier::mpi {

/// How plans are chosen on this MPI: by prediction. Under SMPI the best of them are
/// ranked_by_simulation as its network shares links, once for all ranks, which are one process
/// there.
[[nodiscard]] runtime::ChooserOptions chooser_options_for(const topology::Machine& machine);

}  // namespace espalier::mpi
