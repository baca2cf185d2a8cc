#pragma once

#include <string>
#include <vector>

namespace espalier {

struct Ran {
  int exit_code = -1;  ///< 128 + n if signal n ended it
  std::string out;
  std::string err;
};

/// The built tool with these arguments, without a terminal and with an environment of its own:
/// PATH and `variables` ("NAME=value") only.
[[nodiscard]] Ran run_tool(const std::vector<std::string>& arguments,
                           const std::vector<std::string>& variables = {});

/// The same on a terminal of 80 columns; `out` has what that would show, errors too.
[[nodiscard]] Ran run_tool_on_terminal(const std::vector<std::string>& arguments,
                                       const std::vector<std::string>& variables = {"TERM=xterm"});

/// A line for the shell, in which $ESPALIER is the tool.
[[nodiscard]] Ran run_shell(const std::string& line);

}  // namespace espalier
