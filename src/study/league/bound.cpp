#include "league/bound.hpp"

#include <set>

#include "bound/lower_bound.hpp"
#include "measure/measured.hpp"

namespace espalier::league {

double bound_us(const topology::Machine& machine, const Event& event, int roots) {
  std::set<Rank> taken{0};
  for (int k = 0; has_root(event.operation) && k < roots; ++k) {
    taken.insert(static_cast<Rank>(std::uint64_t{machine.size()} * static_cast<unsigned>(k) /
                                   static_cast<unsigned>(roots)));
  }
  double sum = 0;
  for (const Rank root : taken) {
    const schedule::Collective call{event.operation, machine.size(), root, event.bytes / 8,
                                    Bytes{8},        true,           {}};
    sum += to_microseconds(bound::lower_bound(machine, call).value);
  }
  return sum / static_cast<double>(taken.size());
}

}  // namespace espalier::league
