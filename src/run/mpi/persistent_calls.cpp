#include "mpi/persistent_calls.hpp"

#include <algorithm>
#include <utility>

#include "mpi/progress_engine.hpp"

namespace espalier::mpi {

int PersistentCalls::add(std::unique_ptr<PendingCall> call, MPI_Comm user, MPI_Request* request) {
  Entry entry;
  entry.channel = call->own_channel;
  const int opened = progress_.open_persistent(entry.channel->channel, request, &entry.number);
  if (opened != MPI_SUCCESS) {
    entry.channel->is_free = true;
    return opened;
  }
  call->ended = [this, number = entry.number, user, channel = entry.channel.get()](int code) {
    progress_.complete_persistent(number, code, channel->is_orphaned ? MPI_COMM_WORLD : user);
  };
  call->take_back = [this, number = entry.number](std::unique_ptr<PendingCall> back) {
    take_back(number, std::move(back));
  };
  entry.call = std::move(call);
  calls_.insert_or_assign(*request, std::move(entry));
  return MPI_SUCCESS;
}

bool PersistentCalls::holds(MPI_Request request) const {
  const ProgressEngine::Inside inside;
  return calls_.contains(request);
}

bool PersistentCalls::is_empty() const {
  const ProgressEngine::Inside inside;
  return calls_.empty();
}

bool PersistentCalls::is_inactive(MPI_Request request) const {
  const ProgressEngine::Inside inside;
  return calls_.at(request).call != nullptr;
}

void PersistentCalls::start(MPI_Request before, MPI_Request now) {
  const ProgressEngine::Inside inside;
  if (now != before) {
    auto moved = calls_.extract(before);
    moved.key() = now;
    calls_.insert(std::move(moved));
  }
  Entry& entry = calls_.at(now);
  entry.call->error = MPI_SUCCESS;
  progress_.start(entry.channel->calls, std::move(entry.call));
}

void PersistentCalls::free(MPI_Request* request) {
  const ProgressEngine::Inside inside;
  const auto found = calls_.find(std::exchange(*request, MPI_REQUEST_NULL));
  found->second.is_freed = true;
  if (found->second.call != nullptr) forget(found);
}

void PersistentCalls::take_back(int number, std::unique_ptr<PendingCall> call) {
  const auto found = std::find_if(calls_.begin(), calls_.end(), [number](const auto& one) {
    return one.second.number == number;
  });
  found->second.call = std::move(call);
  if (found->second.is_freed) forget(found);
}

void PersistentCalls::forget(Calls::iterator entry) {
  entry->second.channel->is_free = true;
  progress_.close_persistent(entry->second.number, entry->first);
  progress_.retire(entry->second.channel);
  calls_.erase(entry);
}

}  // namespace espalier::mpi
