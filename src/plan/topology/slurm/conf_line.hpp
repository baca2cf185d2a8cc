#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"

namespace espalier::topology::slurm {

/// One KEY=VALUE of a Slurm configuration file.
struct ConfPair {
  std::string key;  ///< lower case, since Slurm ignores the case of keys
  std::string value;
  std::uint32_t line = 0;
};
using ConfLine = std::vector<ConfPair>;

/// The lines of a configuration file that are not empty, in Slurm's dialect: "#" starts a comment,
/// "\" at the end of a line continues it, "\#" and "\\" stand for the characters, a value with
/// spaces is quoted.
/// Refuses, with file:line, what is not KEY=VALUE, and "Include".
Expected<std::vector<ConfLine>> read_conf_lines(std::string_view text, const std::string& file);

}  // namespace espalier::topology::slurm
