#pragma once

#include <span>
#include <string>

#include "cli/outcome.hpp"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace espalier::cli {

/// A command line that cannot be followed. Without a suggestion: where the help is.
[[nodiscard]] Failure usage(const CLI::App& app, std::string what, std::string suggestion = "");

/// What CLI11 has against a command line, in our words.
[[nodiscard]] Failure not_parsed(const CLI::App& app, const CLI::ParseError& error);

/// A word that nobody asked for, and what it may have been meant to be.
/// @param app the command, or its action if one is named
/// @param line the whole command line, the tool's own name first
/// @param runs_others whether it starts what stands behind "--"
[[nodiscard]] Failure unexpected(const CLI::App& app, const std::string& word,
                                 std::span<const char* const> line, bool runs_others);

}  // namespace espalier::cli
