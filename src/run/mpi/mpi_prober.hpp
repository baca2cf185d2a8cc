#pragma once

#include <functional>

#include "discover/experiment.hpp"
#include "mpi/mpi_api.hpp"

namespace espalier::mpi {

/// How many experiments were done, and how long all of it took so far.
using Progress = std::function<void(std::size_t experiments, Time spent)>;

/// Measures real nodes: rank 0 tells one process of each other node what to do, and they tell what
/// they saw.
class MpiProber : public discover::Prober {
 public:
  /// Rank 0 only; those of the other nodes call serve_prober(). @param comm outlives it
  /// @param ranks the one of each node; of the first node 0
  /// @param progress told after each run, if any
  MpiProber(MPI_Comm comm, std::vector<int> ranks, Progress progress = {});
  /// Lets the others go.
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

/// Does what rank 0 says until it has enough; asleep meanwhile.
void serve_prober(MPI_Comm comm);

}  // namespace espalier::mpi
