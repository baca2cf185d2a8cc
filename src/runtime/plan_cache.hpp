#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>

#include "runtime/choose_plan.hpp"
#include "runtime/prepared.hpp"

namespace espalier::runtime {

/// What a plan of one communicator depends on.
struct PlanKey {
  schedule::Operation operation = schedule::Operation::Barrier;
  Rank root = 0;
  std::uint64_t count = 0;
  std::uint64_t element = 1;
  bool commutative = true;
  bool in_place = false;
  /// Blocks of different lengths: a unit is a block, `count` the bytes assumed for one.
  bool irregular = false;
  friend auto operator<=>(const PlanKey&, const PlanKey&) = default;
};

/// A rank's own part of a plan, ready to run; or why there is none.
struct CachedPlan {
  std::string name;
  std::string why;
  std::optional<Time> predicted;
  std::optional<Time> native_predicted;
  bool planned = false;
  bool needs_input_copy = false;  ///< in place, but it reads what it has overwritten
  PreparedProgram prepared;
  std::uint64_t signature = 0;  ///< of the call, for its messages' tags
  std::uint64_t used = 0;       ///< when, for eviction
};

/// Plans of one communicator. Bounded by what they hold: whoever was not used for longest goes.
/// Deriving one anew needs no communication, so ranks may forget at different times.
class PlanCache {
 public:
  explicit PlanCache(std::size_t max_messages = 65536, std::size_t max_plans = 256)
      : max_messages_(max_messages), max_plans_(max_plans) {}

  /// The plan of this key, or nullptr. Valid until the next insert().
  [[nodiscard]] const CachedPlan* find(const PlanKey& key) {
    if (last_ != nullptr && *last_key_ == key) return last_;
    return look_up(key);
  }
  /// @pre find(key) == nullptr
  const CachedPlan* insert(const PlanKey& key, CachedPlan plan);
  [[nodiscard]] std::size_t size() const { return plans_.size(); }
  [[nodiscard]] std::size_t made() const { return made_; }

 private:
  const CachedPlan* look_up(const PlanKey& key);
  void evict_all_but(const PlanKey& key);

  std::size_t max_messages_;
  std::size_t max_plans_;
  std::map<PlanKey, CachedPlan> plans_;
  std::size_t messages_ = 0;  // of all plans
  std::uint64_t clock_ = 0;
  std::size_t made_ = 0;
  const PlanKey* last_key_ = nullptr;  // loops repeat the same call
  CachedPlan* last_ = nullptr;
};

/// This rank's plan for a call on a machine, from nothing but what all ranks share.
[[nodiscard]] CachedPlan make_plan(Planner& planner, const Settings& settings, Rank rank,
                                   const PlanKey& key);

}  // namespace espalier::runtime
