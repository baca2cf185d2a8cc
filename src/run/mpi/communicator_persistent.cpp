// What a communicator does for persistent calls.
#include <array>
#include <bit>

#include "mpi/communicator.hpp"

namespace espalier::mpi {
namespace {

/// Channels of one communicator, for as many persistent calls at a time; later ones are native.
constexpr std::size_t kMostChannels = 16;

}  // namespace

bool Communicator::may_bind() const {
  return world_.settings.nonblocking == runtime::NonBlocking::Planned && !world_.is_threaded;
}

std::shared_ptr<const runtime::CachedPlan> Communicator::plan_to_bind(runtime::PlanKey key) {
  if (!may_bind() || policies_.is_full_for(key)) return nullptr;
  if (executor_ == nullptr) {
    const runtime::ClassPolicy& policy = policies_.at(key);
    const bool is_final = !policy.is_undecided() || policy.has_decision();
    const bool would_plan = is_final && policy.outlook().which.has_value();
    if (!would_plan || world_.learns_late || !make_hidden(key)) return nullptr;
  }
  return plan_to_start(std::move(key));
}

std::shared_ptr<PersistentChannel> Communicator::take_channel() {
  std::uint64_t unused = 0;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (channels_[i]->is_free) unused |= std::uint64_t{1} << i;
  }
  const bool has_room = channels_.size() < kMostChannels && share_.take();
  std::array<std::uint64_t, 2> all{unused, has_room ? 1U : 0U};
  const int code = PMPI_Allreduce(MPI_IN_PLACE, all.data(), 2, MPI_UINT64_T, MPI_BAND, comm_);
  const bool is_used_again = code == MPI_SUCCESS && all[0] != 0;
  OwnedComm made;
  if (code == MPI_SUCCESS && !is_used_again && all[1] != 0) made = hidden_copy(comm_, rank_);
  if (has_room && !made) share_.give_back();
  if (is_used_again) {
    const auto& channel = channels_[static_cast<std::size_t>(std::countr_zero(all[0]))];
    channel->is_free = false;
    return channel;
  }
  if (!made) return nullptr;
  return channels_.emplace_back(std::make_shared<PersistentChannel>(
      std::move(made), rank_, size_, executor_->channel().tags(), executor_->channel().options()));
}

int Communicator::bind(std::unique_ptr<PendingCall> call, MPI_Request* request) {
  return progress_.persistent().add(std::move(call), comm_, request);
}

void Communicator::abandon_channels() {
  for (const auto& channel : channels_) {
    channel->comm.abandon();
    channel->is_orphaned = true;
  }
  channels_.clear();
}

}  // namespace espalier::mpi
