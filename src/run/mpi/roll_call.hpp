#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "front/variant.h"
#include "mpi/mpi_api.hpp"
#include "runtime/node_places.hpp"

namespace espalier::mpi {

/// What a process says of itself in the roll call.
struct Presence {
  std::uint64_t settings = 0;  ///< hash of its settings
  bool is_threaded = false;    ///< it has MPI_THREAD_MULTIPLE
  bool cannot_wait = false;    ///< its settings must hold from the first call on
  bool is_unfit = false;       ///< its MPI is not the one that this library was built for
  bool has_clusters = false;   ///< it names the clusters that it is in (ESPALIER_CLUSTERS)
  bool defers = false;         ///< its launcher says that there are several nodes
};

/// All processes of MPI_COMM_WORLD tell each other their Presence, by a non-blocking allreduce.
/// MPI_Init begins it and waits for nobody, so that a program without collectives pays nothing.
///   1. begin() in MPI_Init.
///   2. wait() when the answers are needed; see agree_on_world().
///   3. The questions below may be asked.
class RollCall {
 public:
  RollCall() = default;
  /// Waits for nobody: what is still under way is left to finish_left().
  ~RollCall();
  RollCall(const RollCall&) = delete;
  RollCall& operator=(const RollCall&) = delete;

  /// Begins. Collective over MPI_COMM_WORLD, but waits for nobody.
  void begin(const Presence& own);
  /// Waits until all processes have begun.
  void wait();
  /// Waits for a roll call that was still under way when its object went. Called when MPI_Finalize
  /// has called all of the program's functions: others may be waiting for what those do.
  static void finish_left();

  [[nodiscard]] bool same_settings() const { return least_[0] == ~least_[1]; }
  [[nodiscard]] bool nobody_can_wait() const { return least_[2] != 0; }
  [[nodiscard]] bool all_threaded() const { return least_[3] != 0; }
  [[nodiscard]] bool any_threaded() const { return least_[4] == 0; }
  /// Some process names the clusters that it is in.
  [[nodiscard]] bool any_clusters() const { return least_[5] == 0; }
  [[nodiscard]] bool all_fit() const { return least_[6] == ESPALIER_FIT; }
  /// Some process has no library for its MPI; its front library said so (front/decline.h).
  [[nodiscard]] bool any_absent() const { return least_[6] == ESPALIER_ABSENT; }
  /// Some process defers agreement on the world: all do then. One without a library says nothing.
  [[nodiscard]] bool any_defers() const { return least_[7] == 0 && !any_absent(); }
  /// All processes have the same version of this library.
  [[nodiscard]] bool same_version() const { return least_[8] == ~least_[9]; }
  /// Every process has an engine. Else nothing of ours may wait for all members of a communicator.
  [[nodiscard]] bool all_take_part() const {
    return !any_absent() && all_fit() && same_version() && any_threaded() == all_threaded();
  }
  using Places = runtime::Places;
  /// Where the ranks of MPI_COMM_WORLD run, by MPI_Get_processor_name and addresses.
  /// @param over a communicator of all processes, in any order; collective over it if there are
  ///   more than kFew processes
  [[nodiscard]] Places places(MPI_Comm over) const;

 private:
  using Place = runtime::Place;
  static_assert(std::tuple_size_v<Place> == ESPALIER_ROLL_CALL_PLACE);
  /// Up to this many processes the roll call also tells where each runs. Above, places() gathers.
  static constexpr int kFew = ESPALIER_ROLL_CALL_FEW;
  /// Where the place of a rank stands among the numbers.
  [[nodiscard]] static std::ptrdiff_t place_at(int rank) {
    return ESPALIER_ROLL_CALL_NUMBERS + std::ptrdiff_t{rank} * ESPALIER_ROLL_CALL_PLACE;
  }
  [[nodiscard]] std::vector<Place> places_heard() const;

  /// Numbers of which the minimum over all processes is taken: settings hash, its complement,
  /// cannot wait, threaded, not threaded, names no clusters (yes is 1), how its MPI fits
  /// (front/variant.h), does not defer, version hash, its complement; then the places of all ranks,
  /// of which each process has its own. One allreduce, and no allgather: Open MPI's non-blocking
  /// one connects every process with every other.
  std::vector<std::uint64_t> own_, least_;
  Place own_place_{};
  MPI_Request request_ = MPI_REQUEST_NULL;
};

}  // namespace espalier::mpi
