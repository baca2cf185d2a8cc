#pragma once

#include <string>
#include <vector>

namespace espalier::launch {

/// A launcher of MPI programs that is installed; not Slurm's.
struct InstalledLauncher {
  std::string file;                ///< path of the program, symbolic links resolved
  std::vector<std::string> names;  ///< all under which PATH has it
};

/// Several names for one file are one launcher. In the order of PATH.
[[nodiscard]] std::vector<InstalledLauncher> launchers_in(const std::string& path);

/// All their names: "mpiexec, mpiexec.openmpi, mpirun".
[[nodiscard]] std::vector<std::string> launcher_names(const std::string& path);

}  // namespace espalier::launch
