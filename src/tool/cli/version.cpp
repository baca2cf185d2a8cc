#include "cli/version.hpp"

#include "cli/command.hpp"
#include "cli/output.hpp"

namespace espalier::cli {

std::string version_line() { return "espalier " ESPALIER_VERSION; }

Command version_command() {
  return {
      {.name = "version",
       .tagline = "say which version this is",
       .synopsis = "version",
       .description = "Prints one line: the name and the version. So does --version.",
       .sections = {},
       .examples = "espalier version"},
      [](App&, const Globals&) { return [] { return write_output("-", version_line() + "\n"); }; }};
}

}  // namespace espalier::cli
