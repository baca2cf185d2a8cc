#pragma once

#include <functional>
#include <optional>

#include "sim/budget.hpp"
#include "sim/simulate.hpp"

namespace espalier::sim {

/// simulate() as long as the budget lasts: nothing if it is used up before the end. Takes the looks
/// at flows only. Its caller takes the messages, which are known before programs are made.
[[nodiscard]] std::optional<SimResult> simulate_within(Budget& budget,
                                                       const schedule::Schedule& schedule,
                                                       const topology::Machine& machine,
                                                       const SimOptions& options = {});

/// The same for programs that are made when they are needed, and dropped.
[[nodiscard]] std::optional<SimResult> simulate_within(
    Budget& budget, const schedule::Collective& call,
    const std::function<schedule::Program(Rank)>& program_of, const topology::Machine& machine,
    const SimOptions& options = {});

/// simulate() with the sharing that `options` ask for, as long as the budget lasts; beyond it with
/// one bottleneck, and `options` say so afterwards. For pictures, which are better rough than late.
[[nodiscard]] SimResult simulate_as_exactly_as(Budget budget, const schedule::Schedule& schedule,
                                               const topology::Machine& machine,
                                               SimOptions& options);

/// The same for programs that are made when they are needed, and dropped.
[[nodiscard]] SimResult simulate_as_exactly_as(
    Budget budget, const schedule::Collective& call,
    const std::function<schedule::Program(Rank)>& program_of, const topology::Machine& machine,
    SimOptions& options);

}  // namespace espalier::sim
