#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "topology/machine.hpp"

namespace espalier::topology::simgrid {

/// Hands out names of which no two are the same.
class UniqueNames {
 public:
  /// The first of these that is free and not empty; the last one with a number, if none is.
  std::string take(std::initializer_list<std::string> wanted);

 private:
  std::map<std::string, std::uint64_t> taken_;  ///< name -> last number that was appended to it
};

/// Letters, digits, '.', '_' and '-'; any other character becomes '_'.
[[nodiscard]] std::string safe_name(std::string_view name);

struct PlatformNames {
  std::vector<std::string> hosts;  ///< [Leaf]
  std::vector<std::string> zones;  ///< [ClusterId]
};
[[nodiscard]] PlatformNames platform_names(const Machine& machine);

}  // namespace espalier::topology::simgrid
