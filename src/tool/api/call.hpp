#pragma once

#include <espalier/call.hpp>
#include <optional>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/expected.hpp"
#include "base/types.hpp"
#include "schedule/collective.hpp"

namespace espalier::api {

/// The public call as planning has it, or why it makes no sense among so many ranks.
Expected<schedule::Collective> inside_of(const Call& call, Rank ranks);
/// The public form of a planned call. @pre the operation is not Unknown
[[nodiscard]] Call outside_of(const schedule::Collective& call);

/// What is wrong with a rank that a program names, if something is.
[[nodiscard]] std::optional<Error> check_rank(Rank rank, Rank size, const std::string& where);
/// The same for a list of ranks, in which no rank may stand twice.
[[nodiscard]] std::optional<Error> check_ranks(std::span<const Rank> ranks, Rank size,
                                               const std::string& where);

}  // namespace espalier::api
