#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "front/variant.h"
#include "mpi/mpi_api.hpp"

namespace espalier::mpi {

/// What a process says of itself in the roll call.
struct Presence {
  std::uint64_t settings = 0;  ///< hash of its settings
  bool is_threaded = false;    ///< it has MPI_THREAD_MULTIPLE
  bool cannot_wait = false;    ///< its settings must hold from the first call on
  bool is_unfit = false;       ///< its MPI is not the one that this library was built for
};

/// All processes of MPI_COMM_WORLD tell each other their Presence, by a non-blocking allreduce.
/// MPI_Init begins it and waits for nobody, so that a program without collectives pays nothing.
///   1. begin() in MPI_Init.
///   2. wait() when the answers are needed; see agree_on_world().
///   3. The questions below may be asked.
class RollCall {
 public:
  RollCall() = default;
  ~RollCall() { wait(); }
  RollCall(const RollCall&) = delete;
  RollCall& operator=(const RollCall&) = delete;

  /// Begins. Collective over MPI_COMM_WORLD, but waits for nobody.
  void begin(const Presence& own);
  /// Waits until all processes have begun.
  void wait();

  [[nodiscard]] bool same_settings() const { return least_[0] == ~least_[1]; }
  [[nodiscard]] bool nobody_can_wait() const { return least_[2] != 0; }
  [[nodiscard]] bool all_threaded() const { return least_[3] != 0; }
  [[nodiscard]] bool any_threaded() const { return least_[4] == 0; }
  [[nodiscard]] bool all_fit() const { return least_[5] == ESPALIER_FIT; }
  /// Some process has no library for its MPI; its front library said so (front/decline.h).
  [[nodiscard]] bool any_absent() const { return least_[5] == ESPALIER_ABSENT; }
  /// Every process has an engine. Else nothing of ours may wait for all members of a communicator.
  [[nodiscard]] bool all_take_part() const {
    return !any_absent() && all_fit() && any_threaded() == all_threaded();
  }
  /// For each rank of MPI_COMM_WORLD, the lowest rank with the same MPI_Get_processor_name.
  /// @param over a communicator of all processes, in any order; collective over it
  [[nodiscard]] std::vector<int> leaders(MPI_Comm over) const;

 private:
  /// Six numbers, of which the minimum over all processes is taken: settings hash, its complement,
  /// cannot wait, threaded, not threaded (yes is 1), and how its MPI fits (front/variant.h).
  std::array<std::uint64_t, ESPALIER_ROLL_CALL_NUMBERS> own_{}, least_{};
  /// Up to this many processes the roll call gathers their nodes too. Above, leaders() gathers
  /// them: Open MPI's non-blocking allgather sends a message from every process to every other.
  static constexpr int kFew = ESPALIER_ROLL_CALL_FEW;
  std::uint64_t own_node_ = 0;
  std::vector<std::uint64_t> nodes_;
  std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

}  // namespace espalier::mpi
