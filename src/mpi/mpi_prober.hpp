#pragma once

#include <functional>

#include "discover/experiment.hpp"
#include "mpi/mpi_api.hpp"

namespace espalier::mpi {

/// How many experiments were done, and how long all of it took so far.
using Progress = std::function<void(std::size_t experiments, Time spent)>;

/// Measures real nodes: rank 0 of a communicator with one process a node tells the others what to
/// do, and they tell what they saw.
class MpiProber : public discover::Prober {
 public:
  /// Rank 0 only; all others call serve_prober(). @param nodes outlives it
  /// @param progress told after each run, if any
  explicit MpiProber(MPI_Comm nodes, Progress progress = {});
  /// Lets the others go.
  ~MpiProber() override;
  MpiProber(const MpiProber&) = delete;
  MpiProber& operator=(const MpiProber&) = delete;

  [[nodiscard]] discover::Node size() const override { return size_; }
  Expected<std::vector<std::vector<discover::Measured>>> run(
      std::span<const discover::Round> rounds) override;
  [[nodiscard]] Time spent() const override;

 private:
  MPI_Comm nodes_;
  discover::Node size_ = 0;
  double start_ = 0;
  Progress progress_;
  std::size_t experiments_ = 0;
};

/// Does what rank 0 says until it has enough; asleep meanwhile.
void serve_prober(MPI_Comm nodes);

}  // namespace espalier::mpi
