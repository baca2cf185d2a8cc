#include <algorithm>
#include <iterator>
#include <map>

#include "topology/hwloc/object.hpp"

namespace espalier::topology::hwloc {
namespace {

/// Of all objects of one kind: how many there are, and how many divide nothing.
struct Census {
  std::size_t count = 0;
  std::size_t with_one_member = 0;
  std::size_t alone_in_parent = 0;

  [[nodiscard]] bool idle() const { return with_one_member == count || alone_in_parent == count; }
};

void take_census(const Object& parent, std::map<std::string, Census>& kinds) {
  for (const Object& object : parent.members) {
    if (object.members.empty()) continue;  // a core
    Census& census = kinds[object.kind];
    ++census.count;
    if (object.members.size() == 1) ++census.with_one_member;
    if (parent.members.size() == 1) ++census.alone_in_parent;
    take_census(object, kinds);
  }
}

/// The larger, the sooner it goes.
std::size_t how_little_it_tells(const std::string& kind) {
  static const std::vector<std::string> kBest = {"package", "numa", "die", "l5",  "l4", "l3",
                                                 "l2",      "l1",   "l3i", "l2i", "l1i"};
  const auto it = std::find(kBest.begin(), kBest.end(), kind);
  if (it != kBest.end()) return static_cast<std::size_t>(it - kBest.begin());
  return kBest.size() + kind.size();  // group, subgroup, subsubgroup, ...
}

/// Its members take the place of every object of this kind.
void leave_out(const std::string& kind, Object& parent) {
  std::vector<Object> kept;
  for (Object& object : parent.members) {
    leave_out(kind, object);
    if (object.kind == kind) {
      std::move(object.members.begin(), object.members.end(), std::back_inserter(kept));
    } else {
      kept.push_back(std::move(object));
    }
  }
  parent.members = std::move(kept);
}

}  // namespace

void leave_out_idle_kinds(Object& machine) {
  while (true) {
    std::map<std::string, Census> kinds;
    take_census(machine, kinds);
    const std::string* idlest = nullptr;
    for (const auto& [kind, census] : kinds) {
      const bool worse =
          idlest == nullptr || how_little_it_tells(kind) > how_little_it_tells(*idlest);
      if (census.idle() && worse) idlest = &kind;
    }
    if (idlest == nullptr) return;
    leave_out(*idlest, machine);
  }
}

}  // namespace espalier::topology::hwloc
