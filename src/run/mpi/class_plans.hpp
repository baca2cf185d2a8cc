#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mpi/hidden_use.hpp"
#include "mpi/neighbour_calls.hpp"
#include "runtime/call_policies.hpp"
#include "runtime/counted_calls.hpp"
#include "runtime/multicast_plan.hpp"
#include "runtime/plan_cache.hpp"
#include "runtime/start_trials.hpp"

namespace espalier::mpi {

/// How a call would run, as far as that is known before it is made.
struct CallOutlook {
  bool planned = false;
  std::string name;  ///< name of the plan, or "native"
  std::string why;
  std::optional<Time> predicted = {};
  std::optional<Time> native_predicted = {};
};

/// The plans of one communicator, the policies of its classes of calls, and the trials of those
/// that do not block, all for one group: its members on their machine. All members have the same
/// classes before the same call.
class ClassPlans {
 public:
  /// @param hidden,neighbours of the same communicator; must outlive it
  ClassPlans(const UserComm& user, const World& world, HiddenUse& hidden,
             NeighbourCalls& neighbours)
      : user_(user), world_(world), hidden_(hidden), neighbours_(neighbours) {}

  /// Forgets all plans and classes; plans for this group from now on.
  /// @param is_changed its links are no longer as they were in earlier runs
  /// @pre what trials of starts agree on is under way: Starts::let_block_if_it_must()
  void begin(std::shared_ptr<GroupPlans> group, bool is_changed);
  /// Forgets all classes, and the hidden communicator that they agree on.
  void leave();
  /// nullptr before the first begin().
  [[nodiscard]] const std::shared_ptr<GroupPlans>& group() const { return group_; }
  [[nodiscard]] runtime::CallPolicies& policies() { return policies_; }
  [[nodiscard]] const runtime::CallPolicies& policies() const { return policies_; }
  [[nodiscard]] runtime::StartTrials& start_trials() { return start_trials_; }
  [[nodiscard]] const runtime::StartTrials& start_trials() const { return start_trials_; }

  // @pre group(), for those below
  /// The plan of a call; made now if it is not there.
  const runtime::CachedPlan* find(const runtime::PlanKey& key);
  /// The plan that find() returned last, for calls that go on.
  [[nodiscard]] std::shared_ptr<const runtime::CachedPlan> held() const { return plans_.held(); }
  /// The plan for one multicast or for several at once. @pre at most kMulticastsAtOnce calls
  [[nodiscard]] const runtime::CachedPlan& multicast(
      const std::vector<runtime::MulticastCall>& calls) {
    return multicasts_.find(group_->machine(), calls, static_cast<Rank>(user_.rank));
  }
  void forget_plans();
  /// The most memory that plans had.
  [[nodiscard]] std::uint64_t most_bytes() const { return plans_.most_bytes(); }

  /// Whether a call blocks.
  enum class Blocks : bool { No, Yes };
  /// Settles whether the plan of an allgatherv goes by the lengths of its blocks, which the call
  /// has; else they are taken out, and their mean decides. All members ask before the same call,
  /// and get the same answer.
  /// @return whether calls with these lengths are counted, which only those that block are
  bool take_lengths(runtime::SharedCall& call, Blocks blocks);

  /// The plan of the last call, if this one is the same, and all like it run along that plan; else
  /// nullptr. Loops repeat a call, and need not ask its policy.
  [[nodiscard]] const runtime::CachedPlan* settled(const runtime::PlanKey& key) const {
    return settled_.plan != nullptr && settled_.key == key ? settled_.plan : nullptr;
  }
  void settle(runtime::PlanKey key, const runtime::CachedPlan* plan) {
    settled_ = {std::move(key), plan};
  }
  /// Called before each call that blocks. If there is no room for its class, forgets what belongs
  /// to all others, which its policy is about to forget. @return whether that is so
  [[nodiscard]] bool makes_room_for(const runtime::SharedCall& call);

  /// A hash of plans for a call, by which members find out whether they plan alike.
  [[nodiscard]] std::uint64_t hash_to_agree(const runtime::SharedCall& call);
  /// How a call would run, and why. Local; counts no call.
  [[nodiscard]] CallOutlook outlook(runtime::SharedCall call);
  /// All trials, also those before plans were made anew.
  [[nodiscard]] std::vector<runtime::TrialRecord> trials() const;
  /// Takes down, for the log, trials that begin() is about to forget.
  void keep_trials();

 private:
  [[nodiscard]] std::vector<runtime::Candidate> candidates(const runtime::SharedCall& call);
  /// A rank's part of a plan.
  [[nodiscard]] runtime::CachedPlan plan_of(Rank rank, const runtime::PlanKey& key);

  UserComm user_;
  const World& world_;
  HiddenUse& hidden_;
  NeighbourCalls& neighbours_;
  std::shared_ptr<GroupPlans> group_;  // shared with communicators of the same members in order
  runtime::PlanCache plans_;
  struct Settled {
    runtime::PlanKey key;
    const runtime::CachedPlan* plan = nullptr;
  } settled_;
  runtime::MulticastPlans multicasts_;
  runtime::CountedCalls counted_calls_;
  std::shared_ptr<const runtime::Verdicts> verdicts_;  // must outlive policies_
  runtime::CallPolicies policies_;
  runtime::StartTrials start_trials_;
  std::vector<runtime::TrialRecord> past_trials_;  // before plans were made anew
};

}  // namespace espalier::mpi
