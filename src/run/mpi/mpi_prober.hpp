#pragma once

#include <functional>

#include "discover/experiment.hpp"
#include "mpi/mpi_api.hpp"

namespace espalier::mpi {

/// Told how many experiments were done, and how long all of them took so far.
using Progress = std::function<void(std::size_t experiments, Time spent)>;

/// Measures real nodes over MPI. One process of each other node is told what to do, and tells what
/// it measured, along a tree from rank 0 (gather_tree.hpp): nobody has more than kTellingFan + 1
/// others to talk to about that. These processes call serve_prober().
class MpiProber : public discover::Prober {
 public:
  /// Made on rank 0 only. @param comm must outlive it
  /// @param ranks the rank that measures on each node; 0 on the first node
  /// @param progress called after each run; may be empty
  MpiProber(MPI_Comm comm, std::vector<int> ranks, Progress progress = {});
  /// Tells the others to stop serving.
  ~MpiProber() override;
  MpiProber(const MpiProber&) = delete;
  MpiProber& operator=(const MpiProber&) = delete;

  [[nodiscard]] discover::Node size() const override {
    return static_cast<discover::Node>(ranks_.size());
  }
  Expected<std::vector<std::vector<discover::Measured>>> run(
      std::span<const discover::Round> rounds) override;
  [[nodiscard]] Time spent() const override;

 private:
  MPI_Comm comm_;
  std::vector<int> ranks_;
  double start_ = 0;
  Progress progress_;
  std::size_t experiments_ = 0;
};

/// Does what rank 0 says until rank 0 has enough, and hands on what others are told; sleeps in
/// between.
void serve_prober(MPI_Comm comm);

}  // namespace espalier::mpi
