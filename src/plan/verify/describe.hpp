#pragma once

#include <string>

#include "schedule/program.hpp"

namespace espalier::verify {

/// "In", "Out", "Scratch"
[[nodiscard]] const char* name_of(schedule::Buffer buffer);
/// "Out[4, 8)"
[[nodiscard]] std::string describe(schedule::Buffer buffer, std::uint64_t begin, std::uint64_t end);
/// "recv from 2, tag 1, into Scratch[0, 4)"; of a region with more than one slice the first, and
/// how many there are.
[[nodiscard]] std::string describe(const schedule::Program& program, const schedule::Op& op);

}  // namespace espalier::verify
