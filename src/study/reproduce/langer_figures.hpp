#pragma once

#include "reproduce/paper.hpp"

namespace espalier::reproduce {

/// Times over processes and fractions.
[[nodiscard]] Exhibit langer_figure3(const PaperOptions& options);
/// Message counts over the fraction, by the centralized scheme's.
[[nodiscard]] Exhibit langer_figure4(const PaperOptions& options);
/// The counts that section 6 states, by kind.
[[nodiscard]] Exhibit langer_messages(const PaperOptions& options);

}  // namespace espalier::reproduce
