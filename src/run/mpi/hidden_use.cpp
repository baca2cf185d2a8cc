#include "mpi/hidden_use.hpp"

#include <utility>

#include "mpi/wire.hpp"
#include "topology/writers.hpp"

namespace espalier::mpi {

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

bool HiddenUse::make(GroupPlans& group) {
  executor_ = std::make_unique<Executor>(comm(), user_.rank, user_.size, tags_of(MPI_COMM_WORLD),
                                         channel_options(world_.settings));
  const bool still_hold = memory_.make(channel(), group);
  if (world_.tracer != nullptr) {
    trace::Communicator about{user_.name(), group.members(), ""};
    if (user_.rank == 0) about.machine = topology::write_json(group.machine());
    trace_log_ = &world_.tracer->join(channel(), std::move(about));
  }
  return still_hold;
}

void HiddenUse::leave() {
  joining_.drop_agreement();
  if (has_failed_ && is_made()) channel().abandon_pace();
  counted_trees_.reset();
  memory_.leave();
  counts_before_ = counts();
  // MPI may still use messages of calls that failed, so their memory stays.
  if (is_made() && executor_->holds_abandoned()) static_cast<void>(executor_.release());
  executor_.reset();
}

CountedTrees& HiddenUse::counted_trees(const topology::Machine& machine) {
  if (counted_trees_ == nullptr) {
    counted_trees_ = std::make_unique<CountedTrees>(*executor_, world_.settings, machine);
  }
  return *counted_trees_;
}

void HiddenUse::mark_failed() {
  has_failed_ = true;
  if (is_made()) channel().note_failure();
  memory_.mark_failed();
}

}  // namespace espalier::mpi
