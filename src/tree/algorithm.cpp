#include "tree/algorithm.hpp"

#include <algorithm>
#include <array>

#include "tree/fastest_node_first.hpp"

namespace espalier::tree {
namespace {

constexpr std::array kAlgorithms{
    Algorithm{"fnf", "fastest node first", "Banikazemi, Moorthy, Panda, ICPP 1998",
              [](const TreeRequest& r) { return fastest_node_first(r.send_cost, r.who); }},
};

}  // namespace

std::span<const Algorithm> algorithms() { return kAlgorithms; }

const Algorithm* find_algorithm(std::string_view name) {
  const auto it = std::find_if(kAlgorithms.begin(), kAlgorithms.end(),
                               [&](const Algorithm& a) { return a.name == name; });
  return it == kAlgorithms.end() ? nullptr : &*it;
}

}  // namespace espalier::tree
