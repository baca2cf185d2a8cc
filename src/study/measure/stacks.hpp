#pragma once

#include <string>
#include <vector>

#include "base/expected.hpp"

namespace espalier::measure {

/// An MPI, some way of using it, and perhaps Espalier under it.
struct Stack {
  std::string key;    ///< "openmpi+han"
  std::string title;  ///< "Open MPI + HAN"
  std::string mpi;    ///< "openmpi"
  std::vector<std::string> mpiexec_arguments;
  std::string library;  ///< the one that is preloaded, in lib/ beside the tool; "" for none
  std::vector<std::string> environment = {};  ///< NAME=value for the ranks
  bool only_if_asked = false;                 ///< not among those that are measured by default

  [[nodiscard]] bool is_peer() const { return library.empty(); }
};

/// Espalier's library under "mpich" or "openmpi".
[[nodiscard]] std::string library_for(const std::string& mpi);

/// In the order of the table: peers first.
[[nodiscard]] const std::vector<Stack>& stacks();
/// "mpich,openmpi+han"
Expected<std::vector<Stack>> stacks_called(const std::string& list);

}  // namespace espalier::measure
