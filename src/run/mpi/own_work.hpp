#pragma once

#include "mpi/seconds_now.hpp"
#include "mpi/world.hpp"

namespace espalier::mpi {

/// Adds the time from its making to its end to what our own work took, but for waiting that was
/// noted meanwhile.
class OwnWork {
 public:
  explicit OwnWork(const World& world)
      : world_(world), begin_(seconds_now() - world.account.waited()) {}
  ~OwnWork() { world_.account.spend(seconds_now() - world_.account.waited() - begin_); }
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;

 private:
  const World& world_;
  double begin_;
};

/// Adds what `work` takes to what this rank waited for others. @return its result
template <typename Work>
auto waiting(const World& world, const Work& work) {
  const double begin = seconds_now();
  auto result = work();
  world.account.wait(seconds_now() - begin);
  return result;
}

}  // namespace espalier::mpi
