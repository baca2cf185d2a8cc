#pragma once

#include <string>

namespace espalier::cli {

/// The whole tool. Returns its exit code: 0 all went well, 1 an internal failure, 2 arguments or
/// input that cannot be worked with. Throws nothing.
int run(int argc, const char* const* argv) noexcept;

/// "espalier 0.1.0"
[[nodiscard]] std::string version_line();

}  // namespace espalier::cli
