#include "cli/command.hpp"
#include "cli/doctor.hpp"
#include "cli/place_commands.hpp"

namespace espalier::cli {

std::vector<Command> commands() {
  return {show_command(),     tree_command(),   compare_command(),   plan_command(),
          simulate_command(), verify_command(), convert_command(),   discover_command(),
          run_command(),      doctor_command(), reproduce_command(), group_command(),
          profile_command(),  place_command(),  weather_command(),   lab_command(),
          bench_command(),    version_command()};
}

}  // namespace espalier::cli
