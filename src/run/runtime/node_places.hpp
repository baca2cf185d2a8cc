#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/text_hash.hpp"

namespace espalier::runtime {

/// Where a process runs: a hash of its node's name, and two IPv4 addresses of the node; 0: none.
using Place = std::array<std::uint64_t, 3>;

/// Where all processes run, by their ranks.
struct Places {
  std::vector<int> leaders;              ///< the lowest rank on the same node
  std::vector<std::uint64_t> nodes;      ///< a hash for each node
  std::vector<std::uint64_t> addresses;  ///< two IPv4 addresses in one number; 0: none
};

/// Processes whose nodes have one name and the same addresses are on one node: images of hosts may
/// all be called "localhost". The hash of a node is that of its name, which stays when an address
/// changes; addresses count only where several nodes have the name.
[[nodiscard]] inline Places places_of(std::span<const Place> places) {
  std::map<Place, int> first;
  std::map<std::uint64_t, int> nodes_called;  // by name
  for (std::size_t r = 0; r < places.size(); ++r) {
    if (first.try_emplace(places[r], static_cast<int>(r)).second) ++nodes_called[places[r][0]];
  }
  Places result;
  for (const Place& place : places) {
    const auto [name, address, other] = place;
    const bool is_only = nodes_called.at(name) == 1;
    result.leaders.push_back(first.at(place));
    result.nodes.push_back(is_only ? name : TextHash{}.add(name).add(address).add(other).value());
    result.addresses.push_back(other << 32U | address);
  }
  return result;
}

}  // namespace espalier::runtime
