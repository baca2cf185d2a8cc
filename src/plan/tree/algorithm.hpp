#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "model/cost_model.hpp"
#include "tree/comm_tree.hpp"
#include "tree/participants.hpp"

namespace espalier::tree {

/// All that an algorithm may look at. Shape-only ones look at `who` alone.
struct TreeRequest {
  const Participants& who;
  std::span<const Time> send_cost;  ///< [rank] cost of sending the message, without links
  const model::CostModel& model;
  Bytes size;
  Rank arity = 2;  ///< k of the k-ary and k-nomial trees
};

/// A tree builder under the name that CLI, reports and documents give it.
struct Algorithm {
  std::string_view name;    ///< short name: "fnf"
  std::string_view title;   ///< full name: "fastest node first"
  std::string_view source;  ///< the paper, in one line
  CommTree (*build)(const TreeRequest&);
  /// Why it cannot answer a request; nothing if it can. nullptr: it can answer every request.
  /// build() must not be called with a request that is refused.
  std::optional<Error> (*refusal)(const TreeRequest&) = nullptr;
  /// Beyond so many participants it takes seconds and more (its time grows as their square), so
  /// that it is built only if asked for by name.
  Rank quick_up_to = kNoRank;
};

/// Every algorithm that builds one tree, in the order of the documentation.
[[nodiscard]] std::span<const Algorithm> algorithms();
/// The algorithm of that name, or nullptr.
[[nodiscard]] const Algorithm* find_algorithm(std::string_view name);

}  // namespace espalier::tree
