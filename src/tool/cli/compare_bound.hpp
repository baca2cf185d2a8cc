#pragma once

#include <optional>

#include "cli/request.hpp"
#include "report/comparison.hpp"

namespace espalier::cli {

/// What no tree for this request can be faster than, if something is proven about it.
[[nodiscard]] std::optional<report::Bound> bound_for(const Request& request);

}  // namespace espalier::cli
