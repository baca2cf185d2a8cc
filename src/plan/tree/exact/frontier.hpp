#pragma once

#include <cstdint>
#include <vector>

#include "tree/exact/instance.hpp"
#include "tree/exact/potential.hpp"

namespace espalier::tree::exact {

inline constexpr std::uint32_t kByRoot = 0xffffffff;

/// A schedule in the making: who has been served, in order, and the sends that are free.
///
/// Times are counted backwards from the deadline, as what is left. By Lemma 1 of the paper each
/// rank takes the earliest free send, so a schedule is no more than the order in which the classes
/// are served.
struct Frontier {
  struct Send {
    Ticks left;          ///< time left to the deadline when the send is over
    std::uint32_t from;  ///< class of the sender, or kByRoot
  };
  struct Served {
    Ticks left;
    std::uint32_t speed_class;
  };
  std::vector<Send> sends;     ///< free sends, earliest first; at most one for each rank to serve
  std::vector<Served> served;  ///< served ranks, in the order of serving
  std::vector<Rank> waiting;   ///< [class] ranks that are not served yet
  Rank to_serve = 0;           ///< sum of `waiting`
  std::int64_t worth = 0;      ///< sum of the worths of `sends`

  /// The free sends suffice to serve all waiting ranks as leaves.
  [[nodiscard]] bool complete() const { return sends.size() >= to_serve; }
  /// See potential.hpp. @pre !sends.empty()
  [[nodiscard]] std::int64_t surplus(const Potential& potential) const;
  /// When the last is served, counted from the start. @pre complete()
  [[nodiscard]] Ticks finish(Ticks deadline) const;
};

/// What looking at it costs of a SearchBudget.
[[nodiscard]] inline std::uint64_t steps_of(const Frontier& frontier) {
  return 1 + (frontier.waiting.size() + frontier.sends.size()) / 64;
}

/// The first frontier: only the root has the message.
[[nodiscard]] Frontier start(const Instance& instance, const Potential& potential, Ticks deadline);

/// `to` becomes `from` after the earliest send of it has served one of `speed_class`.
/// @pre one of them is waiting, and there is a send
void serve(const Instance& instance, const Potential& potential, const Frontier& from,
           std::uint32_t speed_class, Frontier& to);

}  // namespace espalier::tree::exact
