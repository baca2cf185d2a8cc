#pragma once

#include <string>
#include <vector>

#include "base/expected.hpp"

namespace espalier::measure {

/// An MPI library with its settings, with or without Espalier.
struct Stack {
  std::string key;    ///< "openmpi+han"
  std::string title;  ///< "Open MPI + HAN"
  std::string mpi;    ///< "openmpi"
  std::vector<std::string> mpiexec_arguments;
  std::string library;  ///< name of the preloaded library, in lib/ beside the tool; empty for none
  std::vector<std::string> environment = {};  ///< NAME=value for the ranks
  bool only_if_asked = false;                 ///< measured only if the user names it

  [[nodiscard]] bool is_peer() const { return library.empty(); }
};

/// The library that programs of any MPI preload.
inline constexpr const char* kLibrary = "libespalier.so";

/// All stacks in the order of the table: peers first.
[[nodiscard]] const std::vector<Stack>& stacks();
/// The stacks of a list such as "mpich,openmpi+han".
Expected<std::vector<Stack>> stacks_called(const std::string& list);

}  // namespace espalier::measure
