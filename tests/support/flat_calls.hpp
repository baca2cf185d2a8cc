#pragma once

#include <algorithm>
#include <vector>

#include "base/random.hpp"
#include "schedule/collective.hpp"

namespace espalier::testing_support {

// The calls on which algorithms are tried: the interpreter runs them, the verifier proves them.

inline bool has_blocks(schedule::Operation operation) {
  using schedule::Operation;
  return operation == Operation::Gather || operation == Operation::Scatter ||
         operation == Operation::Allgather || operation == Operation::Alltoall ||
         operation == Operation::ReduceScatter;
}

/// 0, 1, the middle and the last, as far as they differ; 0 if the operation has no root.
inline std::vector<Rank> some_roots(schedule::Operation operation, Rank size) {
  std::vector<Rank> roots{0};
  for (const Rank root : {Rank{1}, size / 2, size - 1}) {
    const bool known = std::find(roots.begin(), roots.end(), root) != roots.end();
    if (has_root(operation) && root < size && !known) roots.push_back(root);
  }
  return roots;
}

/// 1 .. 20 and around 32 ranks, some roots, nothing to 64 elements, commutative or not.
template <typename Visit>
void for_each_regular_call(schedule::Operation operation, Visit visit) {
  std::vector<Rank> sizes{31, 32, 33};
  for (Rank p = 1; p <= 20; ++p) sizes.push_back(p);
  for (const Rank size : sizes) {
    for (const Rank root : some_roots(operation, size)) {
      for (const std::uint64_t count : {0UL, 1UL, 3UL, 17UL, 64UL}) {
        for (const bool commutative : {true, false}) {
          schedule::Collective call;
          call.operation = operation;
          call.size = size;
          call.root = root;
          call.count = count;
          call.commutative = commutative;
          visit(call);
        }
      }
    }
  }
}

/// Blocks of different lengths, most of them empty. @pre has_blocks(operation)
template <typename Visit>
void for_each_irregular_call(schedule::Operation operation, Visit visit) {
  for (Rank size = 1; size <= 40; ++size) {
    for (const Rank root : some_roots(operation, size)) {
      schedule::Collective call;
      call.operation = operation;
      call.size = size;
      call.root = root;
      call.counts.assign(operation == schedule::Operation::Alltoall ? size * size : size, 0);
      for (std::size_t i = 0; i < call.counts.size(); i += 3) call.counts[i] = i;
      visit(call);
    }
  }
}

inline schedule::Collective random_call(Random& rng, schedule::Operation operation) {
  schedule::Collective call;
  call.operation = operation;
  call.size = static_cast<Rank>(rng.between(1, 24));
  call.root = static_cast<Rank>(rng.below(call.size));
  call.count = rng.below(40);
  call.commutative = rng.chance(50);
  return call;
}

inline std::string name_of_call(const schedule::Collective& call) {
  return std::string(name_of(call.operation)) + " on " + std::to_string(call.size) +
         " ranks, root " + std::to_string(call.root) + ", count " + std::to_string(call.count) +
         (call.commutative ? "" : ", not commutative") + (call.irregular() ? ", irregular" : "");
}

}  // namespace espalier::testing_support
