#pragma once

#include <string>
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

}  // namespace espalier::launch
