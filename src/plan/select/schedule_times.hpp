#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include "schedule/schedule.hpp"
#include "sim/budget.hpp"
#include "sim/options.hpp"
#include "topology/machine.hpp"

namespace espalier::select {

/// No bound on the messages of simulations.
inline constexpr std::uint64_t kAnyMessages = std::numeric_limits<std::uint64_t>::max();

/// Messages that a rank sends.
[[nodiscard]] std::uint64_t messages_in(const schedule::Program& program);
/// Messages of a whole schedule.
[[nodiscard]] std::uint64_t messages_in(const schedule::Schedule& schedule);

/// Simulated times of whole schedules, as long as a budget lasts (sim/budget.hpp). One simulation
/// gets at most half of it for messages that share links at once. After each it notes in progress
/// how many were simulated.
class ScheduleTimes {
 public:
  /// @pre machine and options outlive it
  ScheduleTimes(const topology::Machine& machine, const sim::SimOptions& options,
                std::uint64_t messages)
      : machine_(machine), options_(options), budget_(messages), most_of_one_(messages / 2) {}

  /// Nothing if there is too little left for its messages, or if too many of them share links at
  /// once.
  [[nodiscard]] std::optional<Time> of(const schedule::Schedule& schedule);
  /// What is left of the budget, in messages.
  [[nodiscard]] std::uint64_t left() const { return budget_.left(); }

 private:
  const topology::Machine& machine_;
  const sim::SimOptions& options_;
  sim::Budget budget_;
  std::uint64_t most_of_one_;
  std::size_t done_ = 0;
};

}  // namespace espalier::select
