#pragma once

#include "reproduce/exhibit.hpp"

namespace espalier::reproduce {

/// Messages over each network that section 4 counts: of Figure 9's broadcast over the WAN and the
/// LAN, and of Figure 8's on the longest way from its root.
[[nodiscard]] Exhibit karonis_counts();

}  // namespace espalier::reproduce
