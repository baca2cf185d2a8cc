#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"

namespace espalier::launch {

/// What an executable file says about the libraries it wants.
struct Elf {
  std::string interpreter;  ///< the dynamic loader; empty: linked statically
  std::vector<std::string> needed;
  std::string soname;   ///< a library's own name; empty for programs
  std::string rpath;    ///< folders to look through, before and
  std::string runpath;  ///< DT_RUNPATH, searched after LD_LIBRARY_PATH; if set, rpath is ignored
  std::uint16_t machine = 0;  ///< EM_X86_64 and others of <elf.h>

  /// True of shared libraries too, which name no loader.
  [[nodiscard]] bool is_static() const { return interpreter.empty(); }
};

/// Nothing if the file is no ELF file at all (a script). Only the little-endian 64-bit kind is
/// understood; anything broken is an error, never a read outside of the file.
Expected<std::optional<Elf>> read_elf(const std::string& path);

/// "x86-64", for people.
[[nodiscard]] std::string machine_name(std::uint16_t machine);

/// The names in a file's table for the dynamic loader.
struct Symbols {
  std::vector<std::string> wanted;   ///< used, and defined elsewhere
  std::vector<std::string> offered;  ///< defined here
};
/// The text of a constant that the file offers under this name; empty if there is none.
[[nodiscard]] std::string text_of_symbol(const std::string& path, std::string_view name);

/// Both empty if there are none, or the file is none of that kind.
[[nodiscard]] Symbols read_symbols(const std::string& path);

/// Whether a file has this function in itself, as far as it is not stripped: a library that is
/// linked statically into it.
[[nodiscard]] bool contains_function(const std::string& path, std::string_view name);

}  // namespace espalier::launch
