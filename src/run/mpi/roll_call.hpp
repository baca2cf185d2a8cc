#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "front/variant.h"
#include "mpi/mpi_api.hpp"

namespace espalier::mpi {

/// What a process says of itself when it starts.
struct Presence {
  std::uint64_t settings = 0;  ///< hash of what it was told
  bool is_threaded = false;
  bool cannot_wait = false;  ///< what it was told holds from the first call on
  bool is_unfit = false;     ///< its MPI is not the one that this was built with
};

/// All processes of MPI_COMM_WORLD tell each other who they are, while the program goes on:
/// MPI_Init starts it and waits for nobody, so that a program without collectives pays nothing.
class RollCall {
 public:
  RollCall() = default;
  ~RollCall() { wait(); }
  RollCall(const RollCall&) = delete;
  RollCall& operator=(const RollCall&) = delete;

  /// Collective over MPI_COMM_WORLD, but returns at once.
  void begin(const Presence& own);
  /// Until all have begun. The rest is known afterwards.
  void wait();

  [[nodiscard]] bool same_settings() const { return least_[0] == ~least_[1]; }
  [[nodiscard]] bool nobody_can_wait() const { return least_[2] != 0; }
  [[nodiscard]] bool all_threaded() const { return least_[3] != 0; }
  [[nodiscard]] bool any_threaded() const { return least_[4] == 0; }
  [[nodiscard]] bool all_fit() const { return least_[5] == ESPALIER_FIT; }
  /// Its front library said so (front/decline.h).
  [[nodiscard]] bool any_absent() const { return least_[5] == ESPALIER_ABSENT; }
  /// Every process has an engine that may agree with the others. Else some have none, and nothing
  /// of ours may wait for all members of a communicator.
  [[nodiscard]] bool all_take_part() const {
    return !any_absent() && all_fit() && any_threaded() == all_threaded();
  }
  /// For each rank of MPI_COMM_WORLD, the lowest of its node, by MPI_Get_processor_name.
  /// @param over holds all its processes, in any order; collective over it
  [[nodiscard]] std::vector<int> leaders(MPI_Comm over) const;

 private:
  /// Of a hash, its complement, of yes and no as 1 and 0, and of how its MPI fits.
  std::array<std::uint64_t, ESPALIER_ROLL_CALL_NUMBERS> own_{}, least_{};
  /// Of a few processes also their nodes: Open MPI's non-blocking allgather sends from everybody to
  /// everybody. Of more they are asked for in leaders().
  static constexpr int kFew = ESPALIER_ROLL_CALL_FEW;
  std::uint64_t own_node_ = 0;
  std::vector<std::uint64_t> nodes_;
  std::array<MPI_Request, 2> requests_{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

}  // namespace espalier::mpi
