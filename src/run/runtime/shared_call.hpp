#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "schedule/collective.hpp"

namespace espalier::runtime {

/// A collective call as all ranks of its communicator know it: all that a choice may depend on.
/// What one rank alone knows (addresses, layouts, in place) is in mpi::LocalCall.
struct SharedCall {
  schedule::Operation operation = schedule::Operation::Barrier;
  Rank root = 0;
  std::uint64_t count = 0;  ///< elements, or elements of each block
  std::uint64_t element = 1;
  bool commutative = true;  ///< the reduction may combine in any order
  /// A unit is a block, whose length travels with it: of lengths that not all ranks know, or that
  /// the plan need not go by. `count` are the bytes assumed for one, unless there are `counts`.
  bool irregular = false;
  std::vector<std::uint64_t> counts =
      {};             ///< elements of each block, if they differ and the plan goes by them
  bool gaps = false;  ///< a reduction of elements with gaps, which shared memory does not serve
  friend auto operator<=>(const SharedCall&, const SharedCall&) = default;
};

/// A class of calls on one communicator: calls of one class share candidates, trial and decision.
struct CallClass {
  schedule::Operation operation = schedule::Operation::Barrier;
  Rank root = 0;
  std::uint32_t size_class = 0;  ///< see size_class() in select/chooser.hpp
  bool commutative = true;       ///< the reduction may combine in any order
  bool irregular = false;        ///< blocks whose lengths travel with them
  bool unequal = false;          ///< blocks of different lengths that the plan goes by
  bool gaps = false;             ///< see SharedCall
  friend auto operator<=>(const CallClass&, const CallClass&) = default;
};
[[nodiscard]] CallClass class_of(const SharedCall& call);

/// The call as planners take it, on so many ranks.
[[nodiscard]] schedule::Collective collective_of(const SharedCall& call, Rank size);

}  // namespace espalier::runtime
