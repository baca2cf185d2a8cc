#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collective/hierarchy.hpp"
#include "select/rank_by_simulation.hpp"
#include "sim/budget.hpp"

namespace espalier::select {

/// Simulated times of plans for one call, as long as a budget lasts (sim/budget.hpp).
///
/// A long pipeline is not simulated message by message. Its time grows by the same amount with each
/// further segment once it is filled: it is simulated with a few segments, with twice and with
/// three times as many, and if both steps took the same time, all others are taken to do so. So a
/// plan costs the same whatever the size of its message.
///
/// Where many messages share links at once, a simulation may use up its budget long after it began.
/// So one simulation gets at most half of all for that, and others have their turn.
///
/// The same on every rank: the budget counts work, not time.
class SimulatedTimes {
 public:
  /// Why a plan was not simulated.
  enum class Refusal : std::uint8_t {
    Messages,     ///< it has more messages than are left
    Sharing,      ///< too many of its messages share links at once
    Interrupted,  ///< Ctrl-C
  };
  /// @pre hierarchy and call outlive it
  SimulatedTimes(const collective::Hierarchy& hierarchy, const schedule::Collective& call,
                 std::uint64_t messages, sim::SimOptions options = {})
      : hierarchy_(hierarchy),
        call_(call),
        budget_(messages),
        most_of_one_(messages / 2),
        options_(std::move(options)) {}

  /// Nothing if the plan has more messages than are left, or if too many of them share links at
  /// once.
  [[nodiscard]] std::optional<Time> of(const Plan& plan);

  /// About as many messages as the plan has, without making all of it. With more than 512 ranks
  /// plans of many blocks count for more, since each rank's part is long. Above `enough` it does
  /// not count to the end: parts of many blocks take long to make.
  [[nodiscard]] std::uint64_t messages_of(const Plan& plan, std::uint64_t enough = kCountAll) const;
  /// All of the simulation, message by message; nothing as for of().
  [[nodiscard]] std::optional<sim::SimResult> whole(const Plan& plan) {
    return simulated(plan, call_.count);
  }
  /// Of the last plan that was not simulated.
  [[nodiscard]] Refusal refusal() const { return refusal_; }
  /// What is left of the budget, in messages.
  [[nodiscard]] std::uint64_t left() const { return budget_.left(); }

 private:
  static constexpr std::uint64_t kCountAll = ~std::uint64_t{0};
  /// The same for the budget, told by four ranks alone: it is asked for in every choice.
  [[nodiscard]] std::uint64_t charged_for(const Plan& plan, std::uint64_t count,
                                          std::uint64_t enough) const;
  [[nodiscard]] std::optional<sim::SimResult> simulated(const Plan& plan, std::uint64_t count);
  [[nodiscard]] std::optional<Time> time_of(const Plan& plan, std::uint64_t count);

  const collective::Hierarchy& hierarchy_;
  const schedule::Collective& call_;
  sim::Budget budget_;
  Refusal refusal_ = Refusal::Messages;
  std::uint64_t most_of_one_;  ///< looks at flows that one simulation may take, in messages
  sim::SimOptions options_;
};

/// How much simulation a choice is worth, in messages: one for each 16 us of the predicted time of
/// a call, at least 2^12 and at most 2^14. Simulating one takes a few microseconds. None with more
/// than 512 ranks: there one plan would take all of it.
[[nodiscard]] std::uint64_t worth_of_simulation(Time predicted, Rank ranks);

/// Simulates the plans that are predicted to be near the best one, as long as the budget lasts:
/// first the best of each kind, which may be less near, then all others, in the order of `ranked`.
/// Plans of a kind differ in their segments, those over levels also in all trees but the outermost,
/// stripes in how they go across.
/// Returns them by simulated time, then the others as they were. If the first of `ranked` does not
/// fit into the budget, it keeps its place unless another one's simulated time is shorter than its
/// predicted one.
/// @param reserve a budget of its own for plans that are predicted to be faster than any that was
///        simulated: without it they would stand behind, since the first ones took too long
/// @pre ranked is sorted by predicted time, its plans serve the call
[[nodiscard]] std::vector<Choice> settled_by_simulation(std::vector<Choice> ranked,
                                                        SimulatedTimes& times,
                                                        SimulatedTimes& reserve);

/// Of kinds of plans that take about as long as the first for the call that stands for its class,
/// puts the one first that does best for the class: the most that it takes longer than the fastest,
/// for that call or for the longest of the class, is least. Ties stay.
/// @param longest times for the longest call of the class
/// @pre ranked is what settled_by_simulation() returned
void settle_for_class(std::vector<Choice>& ranked, SimulatedTimes& longest);

}  // namespace espalier::select
