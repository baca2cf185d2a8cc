#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/elf.hpp"

namespace espalier::launch {

/// What the dynamic loader would look through for a program here and now.
struct SearchPlaces {
  std::vector<std::string> variable;  ///< folders of LD_LIBRARY_PATH
  std::string cache = "/etc/ld.so.cache";
  std::vector<std::string> usual;  ///< folders without a setting
};
[[nodiscard]] SearchPlaces places_here();

/// The files that the loader's cache (ldconfig) has for a name, in its order.
[[nodiscard]] std::vector<std::string> files_in_cache(const std::string& cache_text,
                                                      const std::string& name);

/// A shared library that a program needs, itself or through others.
struct Library {
  std::string name;  ///< "libmpi.so.40"
  std::string file;  ///< empty: the loader would not find it
};

/// All of them, as glibc's loader would find them here and now (ld.so(8)). Files are read, and
/// nothing is run: neither the loader that the program names nor any library.
/// Empty for programs of other computers.
[[nodiscard]] std::vector<Library> libraries_of(const Elf& elf, const std::string& file,
                                                const SearchPlaces& places = places_here());

/// What MPI_Get_library_version of this library would say, as far as its file tells; empty if it
/// does not. The library is read, never loaded: it may be anything.
[[nodiscard]] std::string version_text_of(const std::string& library);

/// The version in a library of MPICH that does not show it by a symbol (4.2): the text beside that
/// of the release's date. Empty: not found.
[[nodiscard]] std::string mpich_version_in(std::string_view content);

/// What a launcher's file tells of its --version, without running it; empty if it does not.
[[nodiscard]] std::string version_text_of_launcher(const std::string& file);

/// What a launcher says for --version. One that is not in `path` is not run: its file is read.
[[nodiscard]] std::string version_of_launcher(const std::string& file, const std::string& path);

}  // namespace espalier::launch
