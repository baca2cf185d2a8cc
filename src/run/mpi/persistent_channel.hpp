#pragma once

#include <utility>

#include "mpi/owned.hpp"
#include "mpi/pending_calls.hpp"

namespace espalier::mpi {

/// A hidden communicator for one persistent call at a time. Ranks may start their persistent calls
/// in different orders, so each has numbers of its own: those of its starts.
struct PersistentChannel {
  PersistentChannel(OwnedComm made, int rank, int size, runtime::Tags tags,
                    const ChannelOptions& options)
      : comm(std::move(made)), channel(comm.get(), rank, size, tags, options), calls(channel) {}

  OwnedComm comm;
  Channel channel;
  PendingCalls calls;
  bool is_free = false;      ///< no call of this rank uses it
  bool is_orphaned = false;  ///< the program has freed its communicator
};

}  // namespace espalier::mpi
