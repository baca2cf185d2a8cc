#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/expected.hpp"

namespace espalier::launch {

/// What an executable file says about the libraries it wants.
struct Elf {
  std::string interpreter;  ///< the dynamic loader; empty: linked statically
  std::vector<std::string> needed;

  [[nodiscard]] bool is_static() const { return interpreter.empty(); }
};

/// Nothing if the file is no ELF file at all (a script). Only the little-endian 64-bit kind is
/// understood; anything broken is an error, never a read outside of the file.
Expected<std::optional<Elf>> read_elf(const std::string& path);

}  // namespace espalier::launch
