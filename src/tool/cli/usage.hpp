#pragma once

#include <span>
#include <string>

#include "cli/output.hpp"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace espalier::cli {

/// The failure of a command line that cannot be followed. Without a suggestion, the hint names
/// --help.
[[nodiscard]] Failure usage(const CLI::App& app, std::string what, std::string suggestion = "");

/// An error of CLI11 in our words.
[[nodiscard]] Failure not_parsed(const CLI::App& app, const CLI::ParseError& error);

/// The failure of an unknown word, with the word that may have been meant.
/// @param app the command, or its action if one is named
/// @param line the whole command line, the tool's own name first
/// @param runs_others whether the command starts the program named behind "--"
[[nodiscard]] Failure unexpected(const CLI::App& app, const std::string& word,
                                 std::span<const char* const> line, bool runs_others);

}  // namespace espalier::cli
