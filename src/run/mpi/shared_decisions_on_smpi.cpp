#include <fmt/format.h>
#include <smpi/smpi.h>

#include <functional>

#include "mpi/group_plans.hpp"
#include "mpi/shared_by_ranks.hpp"
#include "topology/writers.hpp"

namespace espalier::mpi {
namespace {

constexpr const char* kCaller = "espalier";

const select::Decision& shared(const std::string& name,
                               const std::function<select::Decision()>& make) {
  if (void* const known = stored_for_ranks(name)) {
    return *static_cast<const select::Decision*>(known);
  }
  auto* const made = new select::Decision(make());
  store_for_ranks(name, made);
  return *made;
}

}  // namespace

void* stored_for_ranks(const std::string& name) {
  if (smpi_shared_known_call(kCaller, name.c_str()) == 0) return nullptr;
  return smpi_shared_get_call(kCaller, name.c_str());
}

void store_for_ranks(const std::string& name, void* value) {
  smpi_shared_set_call(kCaller, name.c_str(), value);
}

select::SharedDecisions shared_decisions(const topology::Machine& machine) {
  const std::size_t where = std::hash<std::string>()(topology::write_json(machine));
  return [where](const std::string& name,
                 const std::function<select::Decision()>& make) -> const select::Decision& {
    return shared(fmt::format("{:x} {}", where, name), make);
  };
}

}  // namespace espalier::mpi
