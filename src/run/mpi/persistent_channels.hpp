#pragma once

#include <memory>
#include <vector>

#include "mpi/executor.hpp"
#include "mpi/hidden_share.hpp"
#include "mpi/persistent_channel.hpp"
#include "mpi/progress_engine.hpp"

namespace espalier::mpi {

/// The channels of one communicator's persistent calls, as many on all members. They are never
/// freed: requests may outlive the communicator.
class PersistentChannels {
 public:
  PersistentChannels(MPI_Comm comm, HiddenShare& share, ProgressEngine& progress)
      : comm_(comm), share_(share), progress_(progress) {}

  /// A channel for a persistent call alone; nullptr, on all members: there is none left.
  /// Collective.
  /// @param like the communicator's own
  [[nodiscard]] std::shared_ptr<PersistentChannel> take(const Channel& like);
  /// Makes the request of a persistent call that has its channel. Local.
  /// @return MPI's code; after an error there is no request
  [[nodiscard]] int bind(std::unique_ptr<PendingCall> call, MPI_Request* request) {
    return progress_.persistent().add(std::move(call), comm_, request);
  }
  /// Waits for the calls under way at the end of the program. If nothing happens for so many
  /// seconds, leaves them behind.
  void finish(double patience);
  /// Leaves all to their requests.
  void abandon();

 private:
  MPI_Comm comm_;
  HiddenShare& share_;
  ProgressEngine& progress_;
  std::vector<std::shared_ptr<PersistentChannel>> channels_;
};

}  // namespace espalier::mpi
