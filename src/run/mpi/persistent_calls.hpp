#pragma once

#include <map>
#include <memory>

#include "mpi/persistent_channel.hpp"

namespace espalier::mpi {

class ProgressEngine;

/// The planned persistent calls of a process, by their requests. A request of the program is a
/// persistent receive of nothing from this process itself (ProgressEngine).
///
/// A call is inactive at first. start() makes it active, and its end makes it inactive again. Its
/// plan, buffers and scratch stay, so a start costs only what messages and copies cost. MPI starts
/// the request itself before that, and refuses one that the program has not waited for.
class PersistentCalls {
 public:
  explicit PersistentCalls(ProgressEngine& progress) : progress_(progress) {}
  PersistentCalls(const PersistentCalls&) = delete;
  PersistentCalls& operator=(const PersistentCalls&) = delete;

  /// Takes a call whose buffers are bound. Local.
  /// @param user communicator of the program: its error handler is called
  /// @return MPI's code; after an error there is no request, and the call's channel is free
  [[nodiscard]] int add(std::unique_ptr<PendingCall> call, MPI_Comm user, MPI_Request* request);
  [[nodiscard]] bool holds(MPI_Request request) const;
  [[nodiscard]] bool is_empty() const;
  /// Whether a call is inactive. @pre holds(request)
  [[nodiscard]] bool is_inactive(MPI_Request request) const;
  /// Starts a call. Never waits.
  /// @param now its request, which MPI has started: Open MPI may have made another one of `before`
  /// @pre holds(before), is_inactive(before)
  void start(MPI_Request before, MPI_Request now);
  /// Forgets a call: at once, or at its end if it is active. @pre holds(*request)
  void free(MPI_Request* request);

 private:
  struct Entry {
    std::unique_ptr<PendingCall> call;  // nullptr: it is active, or has failed for good
    std::shared_ptr<PersistentChannel> channel;
    int number = 0;  // of its request
    bool is_freed = false;
  };
  using Calls = std::map<MPI_Request, Entry>;
  void take_back(int number, std::unique_ptr<PendingCall> call);
  void forget(Calls::iterator entry);

  ProgressEngine& progress_;
  Calls calls_;
};

}  // namespace espalier::mpi
