// The program's communicators come first: where it runs out of them, hidden ones are given back.
#include <algorithm>

#include "mpi/engine.hpp"

namespace espalier::mpi {

bool Engine::give_back(MPI_Comm among) {
  int inter = 1;
  PMPI_Comm_test_inter(among, &inter);
  if (inter != 0) return false;
  auto ranks = ranks_in_world(among);
  if (!ranks) return false;  // others may not have our library
  std::sort(ranks->begin(), ranks->end());
  share_.close();
  std::map<MPI_Comm, Communicator*> live;
  {
    const std::lock_guard lock(mutex_);
    live = live_;
  }
  for (const auto& [handle, one] : live) {
    // All members are here: so all do without from the same call on.
    if (!one->holds_hidden() || !one->has_only(*ranks)) continue;
    {
      const std::lock_guard lock(mutex_);
      add_to(past_sent_, one->executor().sent());
    }
    one->give_back();
  }
  return true;
}

}  // namespace espalier::mpi
