#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collective/algorithm.hpp"

namespace espalier::collective {

// What plans over levels share: multilevel, two-level and those in the reference order.

/// One shape for the outermost level, one for all below, one segment size.
[[nodiscard]] MultilevelChoice two_shapes(std::size_t levels, Top top, Shape outer, Shape inner,
                                          std::uint64_t segment);
/// All of these that are trees of few children, for all segment sizes.
[[nodiscard]] std::vector<Parameters> trees_of_two_shapes(const Hierarchy& hierarchy,
                                                          const schedule::Collective& call);
[[nodiscard]] std::vector<double> bytes_of_segments(const MultilevelChoice& choice,
                                                    const schedule::Collective& call);

/// "exchange/flat 4 KiB": the innermost levels that do the same are told once. If levels differ in
/// their segments, each tells its own: "flat whole/chain 4 KiB".
[[nodiscard]] std::string text_of_levels(const MultilevelChoice& choice,
                                         const schedule::Collective& call);
[[nodiscard]] std::optional<MultilevelChoice> read_levels(NameReader& reader, std::size_t levels);

/// The same, or "4 leaders" of an alltoall.
[[nodiscard]] std::string name_of(const MultilevelChoice& choice, const schedule::Collective& call);
[[nodiscard]] std::optional<MultilevelChoice> read_choice(NameReader& reader, std::size_t levels);

/// "binomial tree, segments of 4 KiB"
[[nodiscard]] std::string tree_text(const LevelChoice& level, const schedule::Collective& call);
/// ", segments of 4 KiB"
[[nodiscard]] std::string cut_text(std::uint64_t segment, const schedule::Collective& call);

// Of plans with a MultilevelChoice: Algorithm::text and Algorithm::per_level.
[[nodiscard]] std::string multilevel_text(const schedule::Collective& call,
                                          const Parameters& parameters);
[[nodiscard]] std::vector<std::string> multilevel_levels(const topology::Machine& machine,
                                                         const schedule::Collective& call,
                                                         const Parameters& parameters);

/// Algorithm::canonical of the same.
[[nodiscard]] Parameters canonical_levels(const Hierarchy& hierarchy,
                                          const schedule::Collective& call, Parameters parameters);

}  // namespace espalier::collective
