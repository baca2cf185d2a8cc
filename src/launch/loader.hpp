#pragma once

#include <string>
#include <vector>

#include "launch/elf.hpp"

namespace espalier::launch {

/// A shared library that a program needs, itself or through others.
struct Library {
  std::string name;  ///< "libmpi.so.40"
  std::string file;  ///< empty: the loader does not find it
};

/// All of them, as the dynamic loader would load them here and now: by the loader itself, which
/// shows them and does not run the program. Empty for loaders other than glibc's.
[[nodiscard]] std::vector<Library> libraries_of(const Elf& elf, const std::string& file);

/// What MPI_Get_library_version of this library says; empty if it cannot be asked. The library is
/// loaded for that in a process of its own: it may be anything.
[[nodiscard]] std::string version_text_of(const std::string& library);

}  // namespace espalier::launch
