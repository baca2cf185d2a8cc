// How a communicator gets its hidden one, and what is made with it.
#include <utility>

#include "mpi/communicator.hpp"
#include "mpi/own_work.hpp"
#include "mpi/wire.hpp"
#include "schedule/schedule.hpp"
#include "topology/writers.hpp"

namespace espalier::mpi {

using runtime::CachedPlan;
using runtime::Reason;
using runtime::SharedCall;

ChannelOptions channel_options(const runtime::Settings& settings) {
  ChannelOptions options;
  options.most_synchronous_after = settings.bundle_limit.value / kSynchronousUnderWay;
  options.parts_under_way = kPartsUnderWay;
  return options;
}

namespace {

runtime::Tags tags_of(MPI_Comm comm) {
  void* bound = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, MPI_TAG_UB, static_cast<void*>(&bound), &found);
  return runtime::Tags(found != 0 ? *static_cast<int*>(bound) : 32767);
}

}  // namespace

/// Everybody derives rank 0's part of this plan and compares: a self-test of the planner.
std::uint64_t Communicator::hash_to_agree(const SharedCall& call) {
  const CachedPlan of_first = plan_of(0, {call, false, select::WhichPlan::Best});
  std::uint64_t hash = machine_hash_ ^ schedule::hash_of(of_first.prepared.program);
  if (memory_.wants_node_level(*group_)) {
    const auto over = group_->plan_over_memory(0, {call, false, select::WhichPlan::OverMemory});
    if (over) hash ^= 3 * schedule::hash_of(over->over_memory->whole.program);
  }
  return hash;
}

bool Communicator::end_joining(Joining::Step step) {
  if (step == Joining::Step::Never) {
    never_ = group_->is_even() ? Reason::OneLevel : Reason::NotAgreed;
  }
  if (step != Joining::Step::There) return false;
  use_hidden();
  policies_.join([this] { return std::make_unique<LateAgreement>(joining_.hidden()); });
  return true;
}

bool Communicator::make_hidden(const SharedCall& call) {
  return end_joining(joining_.at_once(*group_, [&] { return hash_to_agree(call); }));
}

bool Communicator::make_hidden_on_node(const SharedCall& call) {
  const double begin = seconds_now();
  const bool is_made = make_hidden(call);
  world_.spend_on_node(seconds_now() - begin);
  return is_made;
}

bool Communicator::join_by_steps(const SharedCall& call) {
  const auto step = joining_.by_steps(*group_, memory_, [&] { return hash_to_agree(call); });
  if (step == Joining::Step::NotYet) return false;
  const OwnWork work(world_);
  return end_joining(step);
}

void Communicator::use_hidden() {
  executor_ = std::make_unique<Executor>(joining_.hidden(), rank_, size_, tags_of(MPI_COMM_WORLD),
                                         channel_options(world_.settings));
  if (!memory_.make(executor_->channel(), *group_)) plans_ = runtime::PlanCache();
  if (world_.tracer != nullptr) take_down_calls();
}

void Communicator::take_down_calls() {
  const bool is_first = rank_ == 0;
  trace::Communicator about{name(), group_->members(), ""};
  if (is_first) about.machine = topology::write_json(group_->machine());
  trace_log_ = &world_.tracer->join(executor_->channel(), std::move(about));
}

}  // namespace espalier::mpi
