#pragma once

#include <cstdint>
#include <string_view>

#include "select/irregular.hpp"

namespace espalier::select {

/// The best of a few trees for a scatterv or gatherv whose lengths are all known, for a caller that
/// waits for the answer: no local search, everything at once and whole, links one bottleneck a
/// message. Candidates are those that win somewhere: straight to everybody, 1, 4 or 8 carriers a
/// cluster, and up to 512 ranks the model-based trees of dichev2010.
///
/// Deterministic. About quick_choice_time().
[[nodiscard]] IrregularChoice quick_choice(const topology::Machine& machine,
                                           const schedule::Collective& call,
                                           const IrregularConditions& conditions = {});
/// What it takes, roughly: 1.2 ms for 64 ranks, 76 ms for 4,096, 740 ms for 16,384
/// (bench/plan/irregular_bench.cpp, processor time, aarch64).
[[nodiscard]] Time quick_choice_time(Rank ranks);

/// Whether it looks at the tree of that name among so many ranks.
[[nodiscard]] bool is_in_quick_choice(std::string_view name, Rank ranks);

/// The options that it predicts with.
[[nodiscard]] sim::SimOptions quick_conditions();

/// Whether there is a tree of that name (tree/irregular_algorithm.hpp) that is quick to build on
/// any number of ranks.
[[nodiscard]] bool is_quick_tree(std::string_view name);

/// The same tree for other lengths: ranks with empty blocks are left out, their children go to the
/// nearest rank above that has one; then within the limit of bundles. O(P log P).
/// @pre the tree spans all ranks of the call, from its root
[[nodiscard]] tree::CommTree refitted(const tree::CommTree& whole, const schedule::Collective& call,
                                      Bytes bundle_limit = tree::kBundleLimit);

/// Any tree at all over the ranks with blocks, for tests of those who run it.
[[nodiscard]] tree::CommTree random_tree(const schedule::Collective& call, std::uint64_t seed,
                                         Bytes bundle_limit = tree::kBundleLimit);

}  // namespace espalier::select
