#include "cli/command.hpp"

namespace espalier::cli {

std::vector<Command> commands() {
  return {show_command(),     tree_command(),  compare_command(),   plan_command(),
          simulate_command(), group_command(), reproduce_command(), version_command()};
}

}  // namespace espalier::cli
