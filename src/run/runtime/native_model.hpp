#pragma once

#include <optional>
#include <vector>

#include "select/choose.hpp"

namespace espalier::runtime {

/// The MPI library that calls are handed to, as far as its ways are known.
enum class NativeMpi : std::uint8_t { Unknown, Mpich, OpenMpi };

/// What it may choose for a call, knowing nothing of the machine. MPICH: one algorithm for each
/// size; others are taken for the best of several.
[[nodiscard]] std::vector<select::Plan> native_plans(NativeMpi mpi,
                                                     const schedule::Collective& call);

/// How long its own algorithm would take under the same model. Above its eager limit each latency
/// is paid several times, for the handshakes that our segments are too short to need.
/// @return nothing if there is no plan like it
[[nodiscard]] std::optional<Time> predict_native(NativeMpi mpi,
                                                 const collective::Hierarchy& hierarchy,
                                                 const select::Chooser& chooser,
                                                 const schedule::Collective& call);

/// Whether predict_native() is rather too short: the best of several algorithms, where latencies
/// are far and any other than the best pays one more of them. Then a tie is a gain.
[[nodiscard]] bool is_flattered(NativeMpi mpi, const topology::Machine& machine);

/// What handshakes add to a plan that the library runs, where some latency is far (prepared.hpp):
/// elsewhere ours have them as well.
[[nodiscard]] Time handshakes(NativeMpi mpi, const select::Plan& plan,
                              const collective::Hierarchy& hierarchy,
                              const select::Chooser& chooser, const schedule::Collective& call);

}  // namespace espalier::runtime
