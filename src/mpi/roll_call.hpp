#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "mpi/mpi_api.hpp"

namespace espalier::mpi {

/// What a process says of itself when it starts.
struct Presence {
  std::uint64_t node = 0;      ///< hash of the name that MPI has for its node
  std::uint64_t settings = 0;  ///< hash of what it was told
  std::uint32_t is_threaded = 0;
  std::uint32_t cannot_wait = 0;  ///< what it was told holds from the first call on
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
  void begin(const Presence& own, int size);
  /// Until all have begun. The rest is known afterwards.
  void wait();

  [[nodiscard]] bool same_settings() const;
  [[nodiscard]] bool nobody_can_wait() const;
  [[nodiscard]] bool any_threaded() const;
  [[nodiscard]] bool all_threaded() const;
  /// For each rank, the lowest of its node, as MPI says.
  [[nodiscard]] std::vector<int> leaders() const;

 private:
  Presence own_;
  std::vector<Presence> all_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

[[nodiscard]] std::uint64_t hash_of(std::string_view text);
/// Of the node of this process, by MPI_Get_processor_name.
[[nodiscard]] std::uint64_t hash_of_node();

}  // namespace espalier::mpi
