#include "mpi/group_plans.hpp"

#ifdef ESPALIER_SMPI
#include <fmt/format.h>
#include <smpi/smpi.h>

#include <functional>

#include "topology/writers.hpp"
#endif

namespace espalier::mpi {

#ifdef ESPALIER_SMPI
namespace {

constexpr const char* kCaller = "espalier";

/// Kept for as long as the simulation runs. Ranks take turns there, none runs beside another.
const runtime::Best& shared(const std::string& name, const std::function<runtime::Best()>& make) {
  if (smpi_shared_known_call(kCaller, name.c_str()) == 0) {
    smpi_shared_set_call(kCaller, name.c_str(), new runtime::Best(make()));
  }
  return *static_cast<const runtime::Best*>(smpi_shared_get_call(kCaller, name.c_str()));
}

}  // namespace

runtime::ChooserOptions chooser_options_for(const topology::Machine& machine) {
  runtime::ChooserOptions options;
  options.budget.emplace();
  options.budget->sim = select::without_connections();
  const std::size_t where = std::hash<std::string>()(topology::write_json(machine));
  options.share = [where](const std::string& name,
                          const std::function<runtime::Best()>& make) -> const runtime::Best& {
    return shared(fmt::format("{:x} {}", where, name), make);
  };
  return options;
}
#else
runtime::ChooserOptions chooser_options_for(const topology::Machine& /*machine*/) { return {}; }
#endif

}  // namespace espalier::mpi
