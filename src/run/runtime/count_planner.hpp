#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/role_header.hpp"
#include "runtime/settings.hpp"
#include "select/quick_irregular.hpp"
#include "topology/machine.hpp"

namespace espalier::runtime {

/// A tree by counts as the root hands it out.
struct RolePlan {
  std::string name;
  std::optional<Time> predicted;
  std::vector<RoleEntry> roles;  ///< the root's own first
};
[[nodiscard]] std::vector<RoleEntry> roles_of(const tree::CommTree& tree,
                                              std::span<const std::uint64_t> bytes);

/// Whether the scatterv or gatherv of these settings runs along a tree that its root chooses: the
/// same on all ranks. Not where ESPALIER_ALGORITHM names one of the regular algorithms.
[[nodiscard]] bool is_by_counts(const Settings& settings, schedule::Operation operation);
/// "minimum-first" of ESPALIER_ALGORITHM=scatter=counts:minimum-first; "random" is any tree,
/// another one each time. Nothing: by prediction.
[[nodiscard]] std::optional<std::string> tree_named(const Settings& settings,
                                                    schedule::Operation operation);
inline constexpr std::string_view kByCounts = "counts:";

/// What a root plans by the counts that it alone knows. Others follow whatever it says, so it may
/// remember, forget and take its time as it likes.
///
/// Planning takes at most a tenth of the time that calls with the same counts take at the least:
/// counts that come once and quickly get the tree for equal blocks, without its empty ranks. The
/// machine must outlive it.
class CountPlanner {
 public:
  explicit CountPlanner(const topology::Machine& machine, const Settings& settings = {});

  /// Valid until the next call.
  [[nodiscard]] const RolePlan& scatter(Rank root, const std::vector<std::uint64_t>& bytes);

  /// A tree over all ranks for gathers of about these lengths, if it gains over the last one that
  /// was given for this root.
  /// @param is_first there was none
  [[nodiscard]] std::optional<RolePlan> better_gather(Rank root, std::vector<std::uint64_t> bytes,
                                                      bool is_first);

  [[nodiscard]] std::size_t planned() const {
    return planned_;
  }  ///< how many plans were made, for tests

 private:
  using Key = std::pair<Rank, std::vector<std::uint64_t>>;
  struct Entry {
    std::uint64_t calls = 0;
    std::uint64_t used = 0;
    std::optional<RolePlan> plan;
  };
  [[nodiscard]] schedule::Collective call_of(schedule::Operation operation, Rank root,
                                             const std::vector<std::uint64_t>& bytes) const;
  struct Planned {
    std::string algorithm;
    tree::CommTree tree;
    std::optional<Time> predicted;
  };
  [[nodiscard]] Planned choose(const schedule::Collective& call);
  [[nodiscard]] RolePlan plan(const schedule::Collective& call);
  [[nodiscard]] RolePlan standing(const schedule::Collective& call);
  [[nodiscard]] Time at_least(const schedule::Collective& call) const;
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

/// Whether the root of so many gathervs (this one counted) tells in this one along which tree the
/// next go: rarely, and more and more rarely. Where a tree is named, in every second one.
[[nodiscard]] constexpr bool tells_tree(std::uint64_t calls, bool is_named) {
  if (is_named) return calls % 2 == 1;
  for (std::uint64_t at = 4; at <= calls; at *= 4) {
    if (calls == at) return true;
  }
  return false;
}

}  // namespace espalier::runtime
