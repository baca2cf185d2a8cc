#pragma once

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

  /// Leaves an allreduce that is under way to MPI; nobody will wait for it.
  void abandon() { under_way_ = nullptr; }

  void start(std::span<const double> mine) override;
  std::vector<double> finish() override;
  /// Whether finish() would not wait. @pre Under way
  [[nodiscard]] bool is_there();

 private:
  struct UnderWay {
    std::vector<double> mine, largest;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  MPI_Comm hidden_;
  UnderWay* under_way_ = nullptr;  // owned; left behind if MPI may still write to it
  bool failed_ = false;
};

}  // namespace espalier::mpi
