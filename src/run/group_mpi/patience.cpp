#include "group_mpi/patience.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

namespace espalier::group_mpi {

void Patience::nothing_came() {
  if (idle_ == kPolls) since_ = std::chrono::steady_clock::now();
  if (++idle_ <= kPolls) return;
  if (idle_ <= kPolls + kYields) {
    sched_yield();
    return;
  }
  idle_ = kPolls + kYields;
  const auto waited = std::chrono::steady_clock::now() - since_;
  std::this_thread::sleep_for(std::min<std::chrono::steady_clock::duration>(waited / 8, kLongest));
}

}  // namespace espalier::group_mpi
