#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/table.hpp"
#include "report/timed_tree.hpp"

namespace espalier::report {

/// One algorithm's tree in figures.
struct Contender {
  std::string algorithm;
  std::string title;
  Time finish;
  Time mean;  ///< mean of `done` over all members but the root
  Rank height = 0;
  std::vector<std::uint64_t> messages;  ///< number of messages that cross each level
};
[[nodiscard]] Contender contender(const TimedTree& timed, std::string_view title,
                                  const topology::Machine& machine);

/// A lower bound of any tree's time; `is_optimum` if a tree is known that reaches it.
struct Bound {
  Time value;
  bool is_optimum = false;
  std::string how;  ///< such as "branch and bound, 1,204 nodes"
};

/// An algorithm that cannot answer, and why.
struct LeftOut {
  std::string algorithm;
  std::string why;
};

/// All algorithms on one machine.
struct Comparison {
  schedule::Operation operation = schedule::Operation::Broadcast;
  Rank root = 0;
  Rank members = 0;
  Bytes size;
  std::string model;
  std::vector<Contender> contenders;  ///< the best first: see rank_contenders()
  std::vector<LeftOut> left_out;
  std::optional<Bound> bound;
};

/// Best first; equal ones stay in the order they were.
void rank_contenders(std::vector<Contender>& contenders);

[[nodiscard]] Table comparison_table(const Comparison& comparison,
                                     const topology::Machine& machine);
[[nodiscard]] std::string comparison_text(const Comparison& comparison,
                                          const topology::Machine& machine, const Canvas& canvas);
/// The document "espalier-compare-1" of docs/formats.md.
[[nodiscard]] std::string comparison_json(const Comparison& comparison,
                                          const topology::Machine& machine);
[[nodiscard]] std::string comparison_svg(const Comparison& comparison,
                                         const topology::Machine& machine);

}  // namespace espalier::report
