#pragma once

#include "reproduce/paper.hpp"

namespace espalier::reproduce {

/// Figures 7 to 9 of banikazemi1998 with links that messages share, by our simulator: what worms
/// that meet in the network add to the times of an unloaded one.
[[nodiscard]] Exhibit banikazemi_contention(const PaperOptions& options);

}  // namespace espalier::reproduce
