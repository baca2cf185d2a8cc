#include "mpi/persistent_channels.hpp"

#include <array>
#include <bit>

#include "mpi/hidden_comm.hpp"

namespace espalier::mpi {
namespace {

/// Channels of one communicator, for as many persistent calls at a time; later ones are native.
constexpr std::size_t kMostChannels = 16;

}  // namespace

std::shared_ptr<PersistentChannel> PersistentChannels::take(const Channel& like) {
  std::uint64_t unused = 0;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    if (channels_[i]->is_free) unused |= std::uint64_t{1} << i;
  }
  const auto rank = static_cast<int>(like.rank()), size = static_cast<int>(like.size());
  const bool has_room = channels_.size() < kMostChannels && share_.take();
  std::array<std::uint64_t, 2> all{unused, has_room ? 1U : 0U};
  const int code = PMPI_Allreduce(MPI_IN_PLACE, all.data(), 2, MPI_UINT64_T, MPI_BAND, comm_);
  const bool is_used_again = code == MPI_SUCCESS && all[0] != 0;
  OwnedComm made;
  if (code == MPI_SUCCESS && !is_used_again && all[1] != 0) made = hidden_copy(comm_, rank);
  if (has_room && !made) share_.give_back();
  if (is_used_again) {
    const auto& channel = channels_[static_cast<std::size_t>(std::countr_zero(all[0]))];
    channel->is_free = false;
    return channel;
  }
  if (!made) return nullptr;
  return channels_.emplace_back(std::make_shared<PersistentChannel>(std::move(made), rank, size,
                                                                    like.tags(), like.options()));
}

void PersistentChannels::finish(double patience) {
  for (const auto& channel : channels_) {
    static_cast<void>(progress_.finish(channel->calls, MPI_COMM_NULL, patience));
  }
}

void PersistentChannels::abandon() {
  for (const auto& channel : channels_) {
    channel->comm.abandon();
    channel->is_orphaned = true;
  }
  channels_.clear();
}

}  // namespace espalier::mpi
