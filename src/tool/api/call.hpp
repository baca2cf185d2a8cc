#pragma once

#include <espalier/call.hpp>

#include "base/expected.hpp"
#include "schedule/collective.hpp"

namespace espalier::api {

/// The public call as planning has it, or why it makes no sense among so many ranks.
Expected<schedule::Collective> inside_of(const Call& call, Rank ranks);
/// The public form of a planned call. @pre the operation is not Unknown
[[nodiscard]] Call outside_of(const schedule::Collective& call);

}  // namespace espalier::api
