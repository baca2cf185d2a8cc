#include "cli/command.hpp"
#include "cli/manual.hpp"
#include "cli/output.hpp"
#include "cli/run.hpp"

namespace espalier::cli {

std::vector<Command> commands() {
  return {show_command(),      tree_command(),     compare_command(), plan_command(),
          simulate_command(),  view_command(),     trace_command(),   verify_command(),
          convert_command(),   discover_command(), run_command(),     doctor_command(),
          reproduce_command(), group_command(),    profile_command(), place_command(),
          weather_command(),   export_command(),   lab_command(),     bench_command(),
          version_command()};
}

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
