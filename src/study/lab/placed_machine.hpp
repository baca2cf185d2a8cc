#pragma once

#include <string>
#include <string_view>

#include "base/expected.hpp"
#include "topology/machine.hpp"

namespace espalier::lab {

/// The machine with its ranks on the hosts that a file of `espalier place` names: HOST for one rank
/// a line (Open MPI's, Slurm's), or HOST:COUNT (MPICH's).
///
/// A host is called as in the lab ("site0-m1"), or by the end of that ("m1") if no other ends so.
/// Processes of the machine that the file gives no rank to come behind, along the tree.
/// Refuses: hosts that are not there, more ranks on one than it has processes, an empty file.
/// @param file for errors
Expected<topology::Machine> placed_machine(const topology::Machine& machine, std::string_view text,
                                           const std::string& file);

}  // namespace espalier::lab
