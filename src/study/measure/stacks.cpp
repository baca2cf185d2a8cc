#include "measure/stacks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace espalier::measure {

namespace {

/// Trees by rank numbers on Espalier's transport: what is gained without knowing the machine.
Stack blind(const std::string& mpi, const std::string& title, bool in_segments) {
  const std::string trees =
      in_segments ? "broadcast=binomial 4 KiB,reduce=binomial 4 KiB,allreduce=rabenseifner"
                  : "broadcast=binomial,reduce=binomial,allreduce=recursive-doubling";
  return {mpi + (in_segments ? "+segments" : "+blind"),
          title + (in_segments ? ", blind trees in segments" : ", blind trees"),
          mpi,
          {},
          kLibrary,
          {"ESPALIER_FORCE=1", "ESPALIER_ALGORITHM=" + trees},
          true};
}

}  // namespace

const std::vector<Stack>& stacks() {
  static const std::vector<Stack> kStacks{
      {"mpich", "MPICH", "mpich", {}, ""},
      {"openmpi", "Open MPI", "openmpi", {}, ""},
      {"openmpi+han", "+ HAN", "openmpi", {"--mca", "coll_han_priority", "100"}, ""},
      {"openmpi+adapt", "+ ADAPT", "openmpi", {"--mca", "coll_adapt_priority", "100"}, ""},
      // Few calls are measured, all of them along the plans: no trials.
      {"mpich+espalier", "Espalier on MPICH", "mpich", {}, kLibrary, {"ESPALIER_TRIAL=0"}},
      {"openmpi+espalier", "Espalier on Open MPI", "openmpi", {}, kLibrary, {"ESPALIER_TRIAL=0"}},
      // Not told the machine: the library finds and measures it.
      {"mpich+discovered",
       "Espalier on MPICH, discovered",
       "mpich",
       {},
       kLibrary,
       {"ESPALIER_MACHINE=", "ESPALIER_TRIAL=0"},
       true},
      {"openmpi+discovered",
       "Espalier on Open MPI, discovered",
       "openmpi",
       {},
       kLibrary,
       {"ESPALIER_MACHINE=", "ESPALIER_TRIAL=0"},
       true},
      blind("mpich", "MPICH", false),
      blind("mpich", "MPICH", true),
      blind("openmpi", "Open MPI", false),
      blind("openmpi", "Open MPI", true)};
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
  if (chosen.empty()) return Error{"--stack", "no stack is named", "mpich,mpich+espalier, say"};
  return chosen;
}

}  // namespace espalier::measure
