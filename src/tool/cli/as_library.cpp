#include "cli/as_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "base/nearest.hpp"
#include "topology/views.hpp"

namespace espalier::cli {

using topology::Machine;

Machine as_planned(const Machine& machine) {
  const auto is_alone = [](const topology::Cluster& one) { return one.member_count == 1; };
  if (std::none_of(machine.clusters().begin(), machine.clusters().end(), is_alone)) return machine;
  std::vector<Rank> everybody(machine.size());
  std::iota(everybody.begin(), everybody.end(), Rank{0});
  return topology::restrict_machine(machine, everybody);
}

Expected<select::Rules> rules_under(const std::string& mpi) {
  if (mpi.empty()) return select::Rules{};
  const auto known = {std::pair{"mpich", select::NativeMpi::Mpich},
                      std::pair{"openmpi", select::NativeMpi::OpenMpi},
                      std::pair{"smpi", select::NativeMpi::Smpi}};
  const auto it =
      std::find_if(known.begin(), known.end(), [&](const auto& one) { return mpi == one.first; });
  if (it == known.end()) {
    return Error{"--mpi", fmt::format("there is no MPI \"{:.60}\" here", mpi),
                 did_you_mean(mpi, std::vector<std::string>{"mpich", "openmpi", "smpi"}) +
                     "they are: mpich, openmpi, smpi"};
  }
  select::Rules rules = select::rules_for(it->second);
  rules.exact_native = true;
  return rules;
}

}  // namespace espalier::cli
