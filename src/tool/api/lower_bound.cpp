#include "bound/lower_bound.hpp"

#include <espalier/plan.hpp>

#include "api/call.hpp"
#include "base/json.hpp"

namespace espalier {

Expected<LowerBound> lower_bound(const Machine& machine, const Call& call) {
  auto inside = api::inside_of(call, machine.size());
  if (!inside) return inside.error();
  const topology::Machine& there = *machine.inside();
  const bound::LowerBound bound = bound::lower_bound(there, *inside);
  return LowerBound{bound.value, describe(bound.witness, there),
                    bound::to_json(bound, there).dump(2)};
}

}  // namespace espalier
