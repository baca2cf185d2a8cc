#pragma once

#include "mpi/mpi_api.hpp"
#include "runtime/agreement.hpp"

namespace espalier::mpi {

/// runtime::Agreement by a non-blocking allreduce of the MPI library on a hidden communicator.
class LateAgreement : public runtime::Agreement {
 public:
  explicit LateAgreement(MPI_Comm hidden) : hidden_(hidden) {}
  /// Completes what is under way: all members have started it, or will. If one never does (the
  /// program is wrong) its memory is left behind rather than waited for.
  ~LateAgreement() override;
  LateAgreement(const LateAgreement&) = delete;
  LateAgreement& operator=(const LateAgreement&) = delete;

  /// Nobody waits for what is under way.
  void abandon() { under_way_ = nullptr; }

  void start(std::span<const double> mine) override;
  std::vector<double> finish() override;

 private:
  struct UnderWay {
    std::vector<double> mine, largest;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  MPI_Comm hidden_;
  UnderWay* under_way_ = nullptr;  // owned; outlives us if MPI may still write to it
  bool failed_ = false;
};

}  // namespace espalier::mpi
