#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/expected.hpp"
#include "cli/options.hpp"
#include "map/problem.hpp"

namespace espalier::cli {

/// What a placement has to keep to, as users give it: of `espalier place` and `espalier run
/// --place`.
struct ConstraintOptions {
  std::vector<std::string> exclude;
  std::vector<std::string> pins;  ///< RANK=HOST
  std::string per_node;
};

/// Declares --exclude, --pin and --per-node. @param of_run they are for --place
void declare_constraints(App& app, ConstraintOptions& options, bool of_run = false);

Expected<map::Constraints> constraints_from(const ConstraintOptions& options);

/// A number from 1 on.
Expected<std::uint32_t> count_from(const std::string& text, const std::string& where);

}  // namespace espalier::cli
