#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/stretch_tree.hpp"
#include "mpi/mpi_api.hpp"

namespace espalier::mpi {

/// Nobody has more children than this in trees that tell or gather before plans exist: with this
/// few, rank 0 of a large job needs few connections, and up to 17 processes all are its children.
inline constexpr std::size_t kTellingFan = 16;

/// Gathers a text of each of these ranks at the first of them, along the tree of
/// base/stretch_tree.hpp. Collective over these ranks. Texts of any length; whoever waits is
/// asleep.
/// @param ranks ranks of `comm`, the same on all of them; `position` is the caller's among them
/// @return the texts in the order of `ranks`, at the first; elsewhere nothing
[[nodiscard]] std::vector<std::string> gather_in_tree(MPI_Comm comm, std::span<const int> ranks,
                                                      std::size_t position, const std::string& text,
                                                      int tag);

}  // namespace espalier::mpi
