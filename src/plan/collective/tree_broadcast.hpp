#pragma once

#include "collective/links.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::collective {

/// Passes `region` of this rank down the tree: each segment goes on as soon as it is here, so
/// segments pipeline through all levels, also where the levels cut them differently.
///
/// The root's region is complete before. Messages: one for each segment and edge. Time of S
/// segments over depth d: about (d + S) segment times of the slowest edge, not d * S.
/// @pre region is a plain slice
void tree_broadcast(schedule::ProgramBuilder& program, const Links& links,
                    const schedule::Region& region);

/// The part of `region` that is segment s of a link, and how many there are (at least one: an empty
/// message still has to be told).
[[nodiscard]] schedule::Region segment_of(const schedule::Region& region, std::uint64_t segment,
                                          std::uint64_t s);
[[nodiscard]] std::uint64_t segment_count(const schedule::Region& region, std::uint64_t segment);

}  // namespace espalier::collective
