#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "mpi/element_payload.hpp"
#include "mpi/owned.hpp"
#include "mpi/staged.hpp"
#include "runtime/plan_cache.hpp"

namespace espalier::mpi {

struct PersistentChannel;

/// A planned call that does not block, from its start to its end: all that it needs meanwhile.
/// What is staged is loaded at each start.
struct PendingCall : Staged {
  explicit PendingCall(Channel& channel) : execution(channel) {}

  /// Of a persistent call; else nullptr. Goes after the execution on it.
  std::shared_ptr<PersistentChannel> own_channel;
  std::shared_ptr<const runtime::CachedPlan> plan;
  ElementCall elements;                   ///< the data of calls on elements
  std::vector<OwnedType> types;           ///< the program may free its own at once
  std::unique_ptr<Payload> payload;       ///< goes before what it points to
  ElementPayload* of_elements = nullptr;  ///< `payload`, of calls on elements
  Execution execution;
  /// Is told the code of the call when it has ended.
  std::function<void(int code)> ended;
  /// Takes the call back when it has ended, to be started again. Empty: it is deleted.
  std::function<void(std::unique_ptr<PendingCall>)> take_back;
  int error = MPI_SUCCESS;  ///< the first error so far; the call goes on, since others wait for it

  void note(int code) {
    if (error == MPI_SUCCESS) error = code;
  }

  /// Makes it ready to begin. @param number of the call on its channel
  void make_ready(std::uint64_t number) {
    note(load());
    if (of_elements != nullptr) of_elements->take(elements, number);
  }
  [[nodiscard]] SelfLane self() { return execution.channel().self(); }
};

}  // namespace espalier::mpi
