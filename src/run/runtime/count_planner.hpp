#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/role_header.hpp"
#include "runtime/settings.hpp"
#include "select/counted_runs.hpp"
#include "select/quick_irregular.hpp"
#include "topology/machine.hpp"

namespace espalier::runtime {

/// A tree by counts, as the root sends it to the others.
struct RolePlan {
  std::string name;
  std::optional<Time> predicted;
  std::vector<RoleEntry> roles;  ///< entries of the whole tree, the root first
};
[[nodiscard]] std::vector<RoleEntry> roles_of(const tree::CommTree& tree,
                                              std::span<const std::uint64_t> bytes);

/// Whether scatterv or gatherv runs along a tree that its root chooses by counts. All ranks get the
/// same answer. No if ESPALIER_ALGORITHM names a regular algorithm.
[[nodiscard]] bool is_by_counts(const Settings& settings, schedule::Operation operation);
/// The tree that ESPALIER_ALGORITHM names: "minimum-first" of scatter=counts:minimum-first.
/// "random" is another tree each time. Absent: prediction chooses.
[[nodiscard]] std::optional<std::string> tree_named(const Settings& settings,
                                                    schedule::Operation operation);

/// Chooses trees at the root, by counts that only the root knows. The other ranks follow what the
/// root sends them, so its choices need not be repeatable.
///
/// Planning takes at most a tenth of the least time that calls with the same counts take. Short
/// calls whose counts come once get the tree for equal blocks, without the ranks that have no data.
/// The machine must outlive it.
class CountPlanner {
 public:
  explicit CountPlanner(const topology::Machine& machine, const Settings& settings = {});

  /// The tree for a scatterv with these lengths. Valid until the next call.
  [[nodiscard]] const RolePlan& scatter(Rank root, const std::vector<std::uint64_t>& bytes);

  /// A tree over all ranks for gathers of about these lengths; absent if it gains nothing over the
  /// tree given last for this root.
  /// @param is_first no tree was given for this root before
  [[nodiscard]] std::optional<RolePlan> better_gather(Rank root, std::vector<std::uint64_t> bytes,
                                                      bool is_first);

  /// How many plans were made, for tests.
  [[nodiscard]] std::size_t planned() const { return planned_; }

 private:
  using Key = std::pair<Rank, std::vector<std::uint64_t>>;
  struct Entry {
    std::uint64_t calls = 0;
    std::uint64_t used = 0;
    std::optional<RolePlan> plan;
  };
  [[nodiscard]] schedule::Collective call_of(schedule::Operation operation, Rank root,
                                             std::vector<std::uint64_t> bytes) const;
  struct Planned {
    std::string algorithm;
    tree::CommTree tree;
    std::optional<Time> predicted;
  };
  [[nodiscard]] Planned choose(const schedule::Collective& call);
  [[nodiscard]] RolePlan plan(const schedule::Collective& call);
  [[nodiscard]] RolePlan standing(const schedule::Collective& call);
  Entry& entry_of(Rank root, const std::vector<std::uint64_t>& bytes);

  const topology::Machine& machine_;
  select::IrregularConditions conditions_;
  std::map<schedule::Operation, std::string> named_;
  std::map<Key, Entry> entries_;
  std::string usual_;                         // the tree that is best for equal blocks
  std::map<Rank, tree::CommTree> standing_;   // the tree named `usual_`, for each root
  std::map<Rank, tree::CommTree> gathering_;  // the tree given last, for each root
  RolePlan last_;
  std::uint64_t clock_ = 0;
  std::size_t planned_ = 0;
};

/// Whether the root announces the tree of the next gathervs in this one: in calls 4, 16, 64 ... If
/// a tree is named, in every second call.
/// @param calls gathervs to this root so far, this one included
[[nodiscard]] constexpr bool tells_tree(std::uint64_t calls, bool is_named) {
  if (is_named) return calls % 2 == 1;
  for (std::uint64_t at = select::kGathersUntilTree; at <= calls; at *= 4) {
    if (calls == at) return true;
  }
  return false;
}

}  // namespace espalier::runtime
