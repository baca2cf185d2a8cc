#include "sim/network.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/contract.hpp"
#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"

namespace espalier::sim {
namespace {

using topology::Machine;
using topology::Path;

Machine grid() {
  return *topology::parse_synthetic(
      "site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:2(5us,cap=10Gbit/s)");
}

std::vector<std::string> names_on(const Machine& machine, Rank from, Rank to) {
  const Network network(machine);
  Route route;
  network.find_route(from, to, route);
  std::vector<std::string> names;
  for (const ResourceId r : route.resources()) {
    names.push_back(describe(network.resources()[r], machine));
  }
  std::sort(names.begin(), names.end());
  return names;
}

TEST(Network, ListsWhatAMessageCrosses) {
  EXPECT_EQ(names_on(grid(), 0, 5),
            (std::vector<std::string>{"uplink into site1", "uplink into site1.machine1",
                                      "uplink out of site0", "uplink out of site0.machine0"}));
  EXPECT_EQ(names_on(grid(), 2, 4), (std::vector<std::string>{"uplink into site1.machine1",
                                                              "uplink out of site1.machine0"}));
}

TEST(Network, CrossesNothingWithinAMachineWithoutLimits) {
  EXPECT_TRUE(names_on(grid(), 0, 1).empty());
  Route route;
  Network(grid()).find_route(0, 1, route);
  EXPECT_EQ(route.cap, bits_per_second(10'000'000'000));
  EXPECT_TRUE(route.limited());
}

TEST(Network, HasOneResourceForBothWaysOfHalfDuplex) {
  const Machine machine = *topology::parse_synthetic("proc:2(1us,1Gbit/s,duplex=half)");
  const Network network(machine);
  ASSERT_EQ(network.resources().size(), 2U);
  Route there;
  Route back;
  network.find_route(0, 1, there);
  network.find_route(1, 0, back);
  EXPECT_TRUE(std::is_permutation(there.resources().begin(), there.resources().end(),
                                  back.resources().begin(), back.resources().end()));
}

TEST(Network, RefusesRanksThatAreNotThere) {
  Route route;
  EXPECT_THROW(Network(grid()).find_route(0, 6, route), ContractViolation);
}

TEST(NetworkProperty, AgreesWithThePathsOfTheMachine) {
  for_all_seeds(300, [](Random& rng) {
    const Machine machine = topology::random_machine(rng.next());
    const Network network(machine);
    Route route;
    for (Rank a = 0; a < machine.size(); ++a) {
      for (Rank b = 0; b < machine.size(); ++b) {
        network.find_route(a, b, route);
        Bandwidth narrowest = route.cap;
        for (const ResourceId r : route.resources()) {
          narrowest = std::min(narrowest, network.resources()[r].capacity);
        }
        ASSERT_EQ(machine.path(a, b), (Path{route.level, route.latency, narrowest}));
        ASSERT_LE(route.resources().size(), network.longest_route());
        std::vector<ResourceId> once(route.resources().begin(), route.resources().end());
        std::sort(once.begin(), once.end());
        ASSERT_EQ(std::adjacent_find(once.begin(), once.end()), once.end());
      }
    }
  });
}

}  // namespace
}  // namespace espalier::sim
