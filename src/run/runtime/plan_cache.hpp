#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/prepared.hpp"
#include "runtime/shared_call.hpp"
#include "select/chooser.hpp"
#include "select/over_memory.hpp"

namespace espalier::runtime {

/// What a rank's part of a plan depends on: the call, what this rank alone knows of it, and what
/// the class of the call decided.
struct PlanKey : SharedCall {
  bool in_place = false;
  select::WhichPlan which = select::WhichPlan::ByPrediction;
  friend auto operator<=>(const PlanKey&, const PlanKey&) = default;
};

/// A rank's part of a call over several nodes whose ranks share memory: what its leader sends and
/// receives (select/over_memory.hpp).
struct LeadersPart {
  std::uint64_t piece = 0;  ///< elements of each piece but the last
  Rank leader = 0;          ///< leader of this rank's node
  PreparedProgram whole,
      last;  ///< programs of a piece and of a shorter last one; empty if another rank leads
};

/// A rank's own part of a plan, ready to run; or why there is none.
struct CachedPlan {
  schedule::Collective call;
  std::string name;
  std::string why;
  std::optional<Time> predicted;
  std::optional<Time> native_predicted;
  bool planned = false;
  bool is_collective = true;      ///< all members make the call as `call` says: no multicast
  bool has_gaps = false;          ///< see SharedCall::gaps
  bool is_one_copy = false;       ///< where it goes through memory, by one copy
  bool needs_input_copy = false;  ///< runs in place, and would read what it has overwritten
  PreparedProgram prepared;
  /// Set if ranks that share a node go through its memory; then `prepared` is empty.
  std::shared_ptr<const LeadersPart> over_memory = {};
  std::uint64_t signature = 0;  ///< the call's signature, for its messages' tags
  std::uint64_t scales_to = 0;  ///< largest count that it can be rescaled to; 0: none
  std::uint64_t used = 0;       ///< when the plan was used last, for eviction
};

/// Memory that the plans of one communicator may take. A flat alltoall of 100,000 ranks has about
/// 20 MB: it is kept, whatever else there is, for as long as it is the last one used.
inline constexpr std::uint64_t kMostPlanBytes = std::uint64_t{16} << 20U;

/// Plans of one communicator. Bounded by the memory that they take: whoever was not used for
/// longest goes, but never the last one. Deriving one anew needs no communication, so ranks may
/// forget at different times.
class PlanCache {
 public:
  explicit PlanCache(std::uint64_t max_bytes = kMostPlanBytes, std::size_t max_plans = 256)
      : max_bytes_(max_bytes), max_plans_(max_plans) {}

  /// The plan of this key, or nullptr. Where a plan cuts nothing, that of another count of the same
  /// size class is rescaled and takes this key: sizes that change from call to call cost neither a
  /// new program nor room. Valid until the next find() of another key, or insert().
  [[nodiscard]] const CachedPlan* find(const PlanKey& key) {
    if (last_ != nullptr && *last_key_ == key) return last_;
    return look_up(key);
  }
  /// @pre find(key) == nullptr
  const CachedPlan* insert(const PlanKey& key, CachedPlan plan);
  /// The plan that find() or insert() returned last, for calls that go on: neither evicted nor
  /// rescaled while somebody holds it.
  [[nodiscard]] std::shared_ptr<const CachedPlan> held() const { return plans_.at(*last_key_); }
  [[nodiscard]] std::size_t size() const { return plans_.size(); }
  [[nodiscard]] std::size_t made() const { return made_; }
  /// Memory of the plans, at most so far.
  [[nodiscard]] std::uint64_t most_bytes() const { return most_bytes_; }

 private:
  using Plans = std::map<PlanKey, std::shared_ptr<CachedPlan>>;
  const CachedPlan* look_up(const PlanKey& key);
  Plans::iterator rescaled(const PlanKey& key);
  void evict_all_but(const PlanKey& key);

  std::uint64_t max_bytes_;
  std::size_t max_plans_;
  Plans plans_;
  std::uint64_t bytes_ = 0;  // of all plans
  std::uint64_t most_bytes_ = 0;
  std::uint64_t clock_ = 0;
  std::size_t made_ = 0;
  const PlanKey* last_key_ = nullptr;  // loops repeat the same call
  CachedPlan* last_ = nullptr;
};

/// The memory that a plan takes.
[[nodiscard]] std::uint64_t bytes_of(const CachedPlan& plan);

/// This rank's plan for a call on a machine, from nothing but what all ranks share.
[[nodiscard]] CachedPlan make_plan(select::Chooser& chooser, Rank rank, const PlanKey& key);

/// Likewise, of a call over several nodes whose ranks share memory; absent: leaders have no plan.
/// @param leaders chooser of the machine of the leaders alone
/// @pre select::may_go_over_memory(call)
[[nodiscard]] std::optional<CachedPlan> make_plan_over_memory(select::Chooser& leaders,
                                                              const select::Nodes& nodes, Rank rank,
                                                              const PlanKey& key);

}  // namespace espalier::runtime
