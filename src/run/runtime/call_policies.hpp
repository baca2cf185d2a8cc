#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/class_policy.hpp"
#include "runtime/verdicts.hpp"

namespace espalier::runtime {

/// The policies of all classes of calls on one communicator. All members ask the same before the
/// same calls, and get the same answers.
class CallPolicies {
 public:
  /// Most classes of calls that a communicator remembers. When there are more, all are forgotten,
  /// by all ranks at the same call, and their trials begin again.
  static constexpr std::size_t kMostClasses = 4096;

  /// What the chooser names for a call.
  using Propose = std::function<std::vector<Candidate>(const SharedCall&)>;

  CallPolicies() = default;
  CallPolicies(const CallPolicies&) = delete;
  CallPolicies& operator=(const CallPolicies&) = delete;

  /// Forgets all classes, and begins again on this ground. What was joined stays so.
  /// @param where members and machine, as `known` has it
  /// @param known decisions of earlier runs; nullptr: none hold here. Must outlive this.
  void begin(bool is_even, bool is_near, const Settings& settings, std::uint64_t where,
             const Verdicts* known, Propose propose);
  /// The hidden communicator is there: agreements are made by `make` from now on.
  void join(std::function<std::unique_ptr<Agreement>()> make) {
    ground_.agreement = std::move(make);
  }
  /// Forgets all classes, their agreements, and what was joined.
  void leave() {
    forget();
    ground_.agreement = nullptr;
  }

  /// The policy of a call's class, ready for next() or outlook(). Valid until the next at().
  [[nodiscard]] ClassPolicy& at(const SharedCall& call);
  /// How a call would run as things stand.
  struct Outlook {
    Take take;
    ClassState state{};
    bool has_decision = false;
  };
  /// Changes nothing, so one rank alone may ask.
  [[nodiscard]] Outlook outlook(const SharedCall& call) const;
  /// Whether there is a policy for the call's class already.
  [[nodiscard]] bool knows(const SharedCall& call) const {
    return classes_.contains(class_of(call));
  }
  /// Whether at() would ask what the chooser names for a class that has had its first native calls.
  [[nodiscard]] bool wants_candidates(const SharedCall& call) const {
    const auto it = classes_.find(class_of(call));
    return it != classes_.end() && it->second.wants_candidates();
  }
  /// Whether at() would forget other classes to make room for this one.
  [[nodiscard]] bool is_full_for(const SharedCall& call) const;
  /// Whether a call that would gain was counted before there was a hidden communicator.
  [[nodiscard]] bool had_gainful_call() const { return ground_.gainful_calls > 0; }

  /// Seconds that trials cost here so far.
  [[nodiscard]] double regret() const { return ground_.evidence.regret() + ground_.near_regret; }
  /// What trials have found out, and what they may cost.
  [[nodiscard]] Evidence& evidence() { return ground_.evidence; }
  /// All trials that have begun. @param communicator its name
  [[nodiscard]] std::vector<TrialRecord> records(const std::string& communicator) const;
  /// How many classes have no final decision yet.
  [[nodiscard]] std::size_t undecided() const;
  void add_to(Verdicts& verdicts) const;

 private:
  void forget();
  [[nodiscard]] std::optional<std::string> known(const CallClass& calls) const {
    return known_ == nullptr ? std::nullopt : known_->find(where_, calls);
  }

  PolicyGround ground_;
  std::uint64_t where_ = 0;
  const Verdicts* known_ = nullptr;
  Propose propose_;
  std::map<CallClass, ClassPolicy> classes_;
  CallClass last_class_;
  ClassPolicy* last_ = nullptr;  // loops repeat the same call
};

}  // namespace espalier::runtime
