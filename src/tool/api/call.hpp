#pragma once

#include <espalier/call.hpp>

#include "base/expected.hpp"
#include "schedule/collective.hpp"

namespace espalier::api {

/// A call as planning has it, or why it makes no sense among so many ranks.
Expected<schedule::Collective> inside_of(const Call& call, Rank ranks);
/// And back. @pre its operation has a meaning
[[nodiscard]] Call outside_of(const schedule::Collective& call);

}  // namespace espalier::api
