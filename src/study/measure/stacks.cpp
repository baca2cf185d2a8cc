#include "measure/stacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace espalier::measure {

std::string library_for(const std::string& mpi) { return fmt::format("libespalier-{}.so", mpi); }

const std::vector<Stack>& stacks() {
  static const std::vector<Stack> kStacks{
      {"mpich", "MPICH", "mpich", {}, ""},
      {"openmpi", "Open MPI", "openmpi", {}, ""},
      {"openmpi+han", "+ HAN", "openmpi", {"--mca", "coll_han_priority", "100"}, ""},
      {"openmpi+adapt", "+ ADAPT", "openmpi", {"--mca", "coll_adapt_priority", "100"}, ""},
      // Few calls are measured, all of them along the plans: no trials.
      {"mpich+espalier",
       "Espalier on MPICH",
       "mpich",
       {},
       library_for("mpich"),
       {"ESPALIER_TRIAL=0"}},
      {"openmpi+espalier",
       "Espalier on Open MPI",
       "openmpi",
       {},
       library_for("openmpi"),
       {"ESPALIER_TRIAL=0"}},
      // Not told the machine: the library finds and measures it.
      {"mpich+discovered",
       "Espalier on MPICH, discovered",
       "mpich",
       {},
       library_for("mpich"),
       {"ESPALIER_MACHINE=", "ESPALIER_TRIAL=0"},
       true},
      {"openmpi+discovered",
       "Espalier on Open MPI, discovered",
       "openmpi",
       {},
       library_for("openmpi"),
       {"ESPALIER_MACHINE=", "ESPALIER_TRIAL=0"},
       true}};
  return kStacks;
}

Expected<std::vector<Stack>> stacks_called(const std::string& list) {
  std::vector<Stack> chosen;
  std::istringstream in(list);
  for (std::string key; std::getline(in, key, ',');) {
    const auto it = std::find_if(stacks().begin(), stacks().end(),
                                 [&](const Stack& s) { return s.key == key; });
    if (it == stacks().end()) {
      std::vector<std::string> keys;
      for (const Stack& s : stacks()) keys.push_back(s.key);
      return Error{"--stack", fmt::format("there is no stack \"{}\"", key),
                   fmt::format("the stacks are: {}", fmt::join(keys, ", "))};
    }
    chosen.push_back(*it);
  }
  if (chosen.empty()) return Error{"--stack", "no stack is named", ""};
  return chosen;
}

}  // namespace espalier::measure
