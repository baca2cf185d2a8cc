#pragma once

#include <optional>
#include <string>

namespace espalier::launch {

/// By its name: python, python3, python3.11.
[[nodiscard]] bool is_python(const std::string& program);

/// The shared library of mpi4py for this Python; nothing if it has none.
[[nodiscard]] std::optional<std::string> mpi4py_of(const std::string& python);

}  // namespace espalier::launch
