#pragma once

#include <string>

#include "cli/command.hpp"

namespace CLI {
class App;
}

namespace espalier::cli {

/// The page that --help prints for a command: name, synopsis, description, its options (as they
/// were declared on `app`, so the page cannot fall behind), examples, exit status, environment.
[[nodiscard]] std::string manual_page(const Manual& manual, const CLI::App& app, std::size_t width);

/// The page of the tool itself, with its commands.
[[nodiscard]] Manual tool_manual();

/// Sections that several pages share.
[[nodiscard]] Section machines_section();
[[nodiscard]] Section algorithms_section();
[[nodiscard]] Section workloads_section();

}  // namespace espalier::cli
