#include "cli/as_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/mpi_names.hpp"
#include "base/nearest.hpp"

namespace espalier::cli {

Expected<select::Rules> rules_under(const std::string& mpi) {
  if (mpi.empty()) return select::Rules{};
  const auto known = {std::pair{"mpich", select::NativeMpi::Mpich},
                      std::pair{"openmpi", select::NativeMpi::OpenMpi},
                      std::pair{"smpi", select::NativeMpi::Smpi}};
  const auto it =
      std::find_if(known.begin(), known.end(), [&](const auto& one) { return mpi == one.first; });
  if (it == known.end()) {
    const std::string meant = mpi_meant(mpi);
    return Error{
        "--mpi", fmt::format("there is no MPI \"{:.60}\" here", mpi),
        (meant.empty() ? did_you_mean(mpi, std::vector<std::string>{"mpich", "openmpi", "smpi"})
                       : meant) +
            "they are: mpich, openmpi, smpi"};
  }
  return select::rules_for(it->second);
}

}  // namespace espalier::cli
