#include <fmt/format.h>
#include <smpi/smpi.h>

#include <functional>

#include "mpi/group_plans.hpp"
#include "topology/writers.hpp"

namespace espalier::mpi {
namespace {

constexpr const char* kCaller = "espalier";

/// Kept for as long as the simulation runs. Ranks take turns there, none runs beside another.
const select::Decision& shared(const std::string& name,
                               const std::function<select::Decision()>& make) {
  if (smpi_shared_known_call(kCaller, name.c_str()) == 0) {
    smpi_shared_set_call(kCaller, name.c_str(), new select::Decision(make()));
  }
  return *static_cast<const select::Decision*>(smpi_shared_get_call(kCaller, name.c_str()));
}

}  // namespace

select::SharedDecisions shared_decisions(const topology::Machine& machine) {
  const std::size_t where = std::hash<std::string>()(topology::write_json(machine));
  return [where](const std::string& name,
                 const std::function<select::Decision()>& make) -> const select::Decision& {
    return shared(fmt::format("{:x} {}", where, name), make);
  };
}

}  // namespace espalier::mpi
