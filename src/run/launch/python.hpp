#pragma once

#include <optional>
#include <string>

namespace espalier::launch {

/// Whether this is Python, by its name: python, python3, python3.11.
[[nodiscard]] bool is_python(const std::string& program);

/// The shared library of mpi4py for this Python; nothing if it has none. A Python of PATH is asked
/// where it is; of another one, such as a virtual environment's, the folders beside it are looked
/// through.
[[nodiscard]] std::optional<std::string> mpi4py_of(const std::string& python,
                                                   const std::string& path);

struct PythonWithMpi {
  std::string python;
  std::string module;  ///< its mpi4py
};
/// The first Python of PATH that has mpi4py.
[[nodiscard]] std::optional<PythonWithMpi> python_with_mpi4py(const std::string& path);

}  // namespace espalier::launch
