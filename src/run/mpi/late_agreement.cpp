#include "mpi/late_agreement.hpp"

#include <sched.h>

#include <memory>
#include <utility>

#include "mpi/seconds_now.hpp"

namespace espalier::mpi {
namespace {

constexpr double kPatienceSeconds = 10;

}  // namespace

LateAgreement::~LateAgreement() {
  if (under_way_ == nullptr) return;
  std::unique_ptr<UnderWay> last(std::exchange(under_way_, nullptr));
  const double begin = seconds_now();
  int done = failed_ ? 1 : 0;
  while (done == 0 && seconds_now() - begin < kPatienceSeconds) {
    if (PMPI_Test(&last->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) break;
    if (done == 0) sched_yield();  // for ranks that share this core
  }
  if (done != 0) return;
  ++left_behind_;
  static_cast<void>(last.release());
}

void LateAgreement::start(std::span<const double> mine) {
  auto next = std::make_unique<UnderWay>();
  next->mine.assign(mine.begin(), mine.end());
  next->largest.resize(mine.size());
  failed_ = PMPI_Iallreduce(next->mine.data(), next->largest.data(), static_cast<int>(mine.size()),
                            MPI_DOUBLE, MPI_MAX, hidden_, &next->request) != MPI_SUCCESS;
  under_way_ = next.release();
}

void LateAgreement::complete() {
  if (under_way_ == nullptr || failed_) return;
  failed_ = PMPI_Wait(&under_way_->request, MPI_STATUS_IGNORE) != MPI_SUCCESS;
}

bool LateAgreement::is_there() {
  if (under_way_ == nullptr || failed_) return true;
  int is_complete = 0;
  // A complete request becomes MPI_REQUEST_NULL, for which finish() does not wait.
  failed_ = PMPI_Test(&under_way_->request, &is_complete, MPI_STATUS_IGNORE) != MPI_SUCCESS;
  return failed_ || is_complete != 0;
}

std::vector<double> LateAgreement::finish() {
  if (under_way_ == nullptr) return {};
  const std::unique_ptr<UnderWay> last(std::exchange(under_way_, nullptr));
  if (failed_ || PMPI_Wait(&last->request, MPI_STATUS_IGNORE) != MPI_SUCCESS) return {};
  return std::move(last->largest);
}

}  // namespace espalier::mpi
