#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.hpp"
#include "collective/multilevel_calls.hpp"
#include "schedule/schedule.hpp"
#include "support/flat_calls.hpp"
#include "topology/random_machine.hpp"
#include "verify/verify.hpp"

namespace espalier::testing_support {

// Calls on random machines, for the plans that know the machine.

/// Any machine; by default of up to 40 processes, most of them shuffled.
inline topology::Machine some_machine(Random& rng, std::uint64_t most = 40) {
  topology::RandomMachineOptions options;
  options.max_processes = most;
  options.shuffle_ranks = rng.chance(70);
  return topology::random_machine(rng.next(), options);
}

/// A call among all its ranks: any root, few or many units, sometimes blocks of their own lengths,
/// sometimes not commutative.
inline schedule::Collective some_call(Random& rng, schedule::Operation operation, Rank size) {
  schedule::Collective call;
  call.operation = operation;
  call.size = size;
  if (has_root(operation)) call.root = static_cast<Rank>(rng.below(size));
  call.count = rng.chance(15) ? 0 : rng.below(40);
  call.commutative = rng.chance(60);
  if (has_blocks(operation) && rng.chance(30)) {
    call.count = 0;
    const std::size_t blocks =
        operation == schedule::Operation::Alltoall ? std::size_t{size} * size : size;
    for (std::size_t b = 0; b < blocks; ++b) {
      call.counts.push_back(rng.chance(30) ? 0 : rng.below(9));
    }
  }
  return call;
}

inline collective::MultilevelChoice some_choice(Random& rng, std::size_t levels) {
  collective::MultilevelChoice choice;
  for (std::size_t l = 0; l < levels; ++l) {
    choice.levels.push_back(
        {static_cast<collective::Shape>(rng.below(4)), rng.chance(40) ? 0 : 1 + rng.below(20)});
  }
  choice.top = rng.chance(50) ? collective::Top::Tree : collective::Top::Exchange;
  if (rng.chance(50))
    choice.carriers = {static_cast<Rank>(1 + rng.below(6)), static_cast<Rank>(1 + rng.below(5))};
  return choice;
}

template <typename ProgramOf>
schedule::Schedule schedule_of(const schedule::Collective& call, std::string name,
                               ProgramOf program_of) {
  schedule::Schedule plan{call, std::move(name), {}};
  for (Rank r = 0; r < call.size; ++r) plan.programs.push_back(program_of(r));
  return plan;
}

inline schedule::Schedule multilevel_schedule(const collective::Hierarchy& hierarchy,
                                              const collective::MultilevelChoice& choice,
                                              const schedule::Collective& call) {
  return schedule_of(call, "multilevel",
                     [&](Rank rank) { return multilevel_program(hierarchy, choice, call, rank); });
}

/// "" or what the verifier has against it.
inline std::string complaint_of(const schedule::Schedule& plan) {
  const verify::Verdict verdict = verify::verify(plan);
  return verdict.ok() ? "" : name_of_call(plan.call) + "\n" + to_string(verdict);
}

}  // namespace espalier::testing_support
