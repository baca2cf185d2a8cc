#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/output.hpp"
#include "cli/terminal.hpp"

namespace espalier::cli {

class App;

/// A part of a manual page: "ALGORITHMS" and its text. Lines that start with a space are kept as
/// they are; the others are filled.
struct Section {
  std::string title;
  std::string text;
};

/// What --help shows besides the options.
struct Manual {
  std::string name;      ///< "show"; empty for the tool itself
  std::string tagline;   ///< "draw a machine"
  std::string synopsis;  ///< synopsis without the tool's name; one line for each form of the call
  std::string description;
  std::vector<Section> sections;
  std::string examples;
};

/// What all commands share: the options before the command's name, and the words behind "--".
struct Globals {
  CanvasOptions canvas;
  std::vector<std::string> other_command;
  bool quiet = false;  ///< no word of how far long work has come
};

/// One command of the tool.
struct Command {
  Manual manual;
  /// Declares the command's options; what it returns does the work, once they are parsed.
  std::function<std::function<Outcome()>(App&, const Globals&)> declare;
  bool takes_other_command = false;  ///< true for "espalier run -- mpiexec ..."
};

/// All commands, in the order of the manual.
[[nodiscard]] std::vector<Command> commands();

[[nodiscard]] Command show_command();
[[nodiscard]] Command tree_command();
[[nodiscard]] Command compare_command();
[[nodiscard]] Command plan_command();
[[nodiscard]] Command simulate_command();
[[nodiscard]] Command view_command();
[[nodiscard]] Command trace_command();
[[nodiscard]] Command verify_command();
[[nodiscard]] Command convert_command();
[[nodiscard]] Command group_command();
[[nodiscard]] Command reproduce_command();
[[nodiscard]] Command discover_command();
[[nodiscard]] Command run_command();
[[nodiscard]] Command lab_command();
[[nodiscard]] Command bench_command();
[[nodiscard]] Command version_command();
[[nodiscard]] Command doctor_command();
[[nodiscard]] Command profile_command();
[[nodiscard]] Command weather_command();
[[nodiscard]] Command place_command();
[[nodiscard]] Command export_command();

}  // namespace espalier::cli
