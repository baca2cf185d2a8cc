#pragma once

#include <atomic>
#include <cstdint>

#include "mpi/mpi_api.hpp"
#include "runtime/agreement.hpp"

namespace espalier::mpi {

/// runtime::Agreement over MPI: a non-blocking allreduce (maximum) on a hidden communicator.
class LateAgreement : public runtime::Agreement {
 public:
  explicit LateAgreement(MPI_Comm hidden) : hidden_(hidden) {}
  /// Waits up to 10 s for an allreduce that is under way, since all members have started it or
  /// will. If one never does (the program is wrong), the memory is left to MPI.
  ~LateAgreement() override;
  LateAgreement(const LateAgreement&) = delete;
  LateAgreement& operator=(const LateAgreement&) = delete;

  /// How many allreduces of this process MPI was left with: their communicators must not be freed,
  /// since Open MPI goes on using them.
  [[nodiscard]] static std::uint64_t left_behind() { return left_behind_.load(); }
  /// Leaves an allreduce that is under way to MPI; nobody will wait for it.
  void abandon() { under_way_ = nullptr; }

  void start(std::span<const double> mine) override;
  std::vector<double> finish() override;
  /// Waits until MPI needs the communicator no more; finish() tells later what came of it. Open MPI
  /// goes on using a communicator that was freed.
  void complete();
  /// Whether finish() would not wait. @pre Under way
  [[nodiscard]] bool is_there();

 private:
  struct UnderWay {
    std::vector<double> mine, largest;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  static inline std::atomic<std::uint64_t> left_behind_{0};
  MPI_Comm hidden_;
  UnderWay* under_way_ = nullptr;  // owned; left behind if MPI may still write to it
  bool failed_ = false;
};

}  // namespace espalier::mpi
