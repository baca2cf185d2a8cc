// What programs that know of us may ask a communicator for: the plan of a call, multicasts.
#include "mpi/communicator.hpp"

namespace espalier::mpi {

using runtime::SharedCall;

CallOutlook Communicator::outlook(SharedCall call) {
  if (never_) return {false, "native", std::string(name_of(*never_))};
  if (is_named_native(world_.settings, call.operation)) {
    return {false, "native", std::string(name_of(runtime::Reason::Named))};
  }
  (void)take_lengths(call, Blocks::No);
  const runtime::CallPolicies::Outlook expected = policies_.outlook(call);
  const runtime::Take& take = expected.take;
  CallOutlook outlook{take.which.has_value(), "native", std::string(name_of(take.why))};
  if (expected.state == runtime::ClassState::Few) return outlook;
  const runtime::CachedPlan& plan =
      *cached({call, false, take.which.value_or(select::WhichPlan::ByPrediction)});
  outlook.predicted = plan.predicted;
  outlook.native_predicted = plan.native_predicted;
  if (!take.which) return outlook;
  outlook.name = std::string(memory_.name_of(plan));
  outlook.why = plan.why;
  // A gatherv has the plan at first, and other trees when its root has told one.
  if (call.irregular && call.operation == schedule::Operation::Scatter &&
      goes_by_counts(call.operation)) {
    outlook.name = "by counts";
    outlook.why = "the root chooses a tree by the lengths, which it alone knows; else " + plan.why;
  }
  const bool is_asked_for = world_.settings.force || world_.settings.reproducible;
  if (expected.has_decision) {
    outlook.why += "; it has proved to be faster than the MPI library's own";
  }
  if (executor_ == nullptr && !policies_.had_gainful_call() && !is_asked_for) {
    outlook.why += "; from the second call on";
  }
  return outlook;
}

bool Communicator::can_multicast() {
  if (never_) return false;
  starts_.let_block();
  if (executor_ != nullptr) return !leaves_after_failure();
  return make_hidden({schedule::Operation::Broadcast, 0, 1});
}

const runtime::CachedPlan& Communicator::multicast_plan(
    const std::vector<runtime::MulticastCall>& calls) {
  return multicasts_.find(group_->machine(), calls, static_cast<Rank>(rank_));
}

}  // namespace espalier::mpi
