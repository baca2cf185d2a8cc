#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/error.hpp"
#include "base/types.hpp"

namespace espalier::api {

/// What is wrong with a rank that a program names, if something is.
[[nodiscard]] std::optional<Error> check_rank(Rank rank, Rank size, const std::string& where);
/// The same for a list of ranks, in which no rank may stand twice.
[[nodiscard]] std::optional<Error> check_ranks(std::span<const Rank> ranks, Rank size,
                                               const std::string& where);

}  // namespace espalier::api
