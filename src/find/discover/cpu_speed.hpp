#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace espalier::discover {

/// How much a process computes: rounds of a fixed piece of work in a second, as many as it gets
/// done in `window`. The best of three windows. A round is about 10 us of multiplications,
/// additions and table look-ups in 16 KiB; it needs no memory beyond that.
///
/// All processes of a job should run it at the same time: then it shows what a process gets beside
/// its neighbours on the node.
[[nodiscard]] double rounds_a_second(Time window);

/// Relative speeds in millionths, by rank. All of a class (classes.hpp) get its middle rate, so
/// that equal processes stay equal. The middle rate of all ranks is 1.
/// @pre rates are above 0, at least one
[[nodiscard]] std::vector<std::uint64_t> speed_classes(std::span<const double> rates);

/// One line for each class, the fastest first: "n0, n1 (8 processes): 2.00 times the usual speed".
/// @param nodes the name of each rank's node
[[nodiscard]] std::vector<std::string> speeds_in_words(std::span<const std::uint64_t> speeds,
                                                       std::span<const std::string> nodes);

}  // namespace espalier::discover
