#include "runtime/node_places.hpp"

#include <gtest/gtest.h>

namespace espalier::runtime {
namespace {

constexpr std::uint64_t kName = 7, kOther = 8;

TEST(NodePlaces, HostsOfOneNameWithOtherAddressesAreOtherNodes) {
  const std::vector<Place> places{{kName, 1, 0}, {kName, 2, 0}, {kName, 1, 0}};
  const Places found = places_of(places);
  EXPECT_EQ(found.leaders, (std::vector<int>{0, 1, 0}));
  EXPECT_EQ(found.nodes[0], found.nodes[2]);
  EXPECT_NE(found.nodes[0], found.nodes[1]);
}

TEST(NodePlaces, HostsOfOneNameMayShareOneOfTheirAddresses) {
  const std::vector<Place> places{{kName, 1, 9}, {kName, 2, 9}};
  EXPECT_EQ(places_of(places).leaders, (std::vector<int>{0, 1}));
}

TEST(NodePlaces, TheAddressOfAHostThatAloneHasItsNameIsNoPartOfItsHash) {
  const std::vector<Place> before{{kName, 1, 0}, {kOther, 2, 0}},
      after{{kName, 3, 0}, {kOther, 4, 0}};
  EXPECT_EQ(places_of(before).nodes, places_of(after).nodes);
  EXPECT_EQ(places_of(before).leaders, (std::vector<int>{0, 1}));
}

TEST(NodePlaces, HostsWithoutAddressesAreToldApartByTheirNames) {
  const std::vector<Place> places{{kName, 0, 0}, {kOther, 0, 0}, {kName, 0, 0}};
  EXPECT_EQ(places_of(places).leaders, (std::vector<int>{0, 1, 0}));
}

TEST(NodePlaces, BothAddressesAreInOneNumber) {
  const std::vector<Place> places{{kName, 5, 6}};
  EXPECT_EQ(places_of(places).addresses, (std::vector<std::uint64_t>{(6ULL << 32U) | 5}));
}

}  // namespace
}  // namespace espalier::runtime
