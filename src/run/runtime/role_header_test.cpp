#include "runtime/role_header.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/for_all_seeds.hpp"

namespace espalier::runtime {
namespace {

std::vector<std::byte> written_role(std::uint64_t call, const std::vector<RoleEntry>& roles) {
  std::vector<std::byte> bytes;
  append_role_header(call, roles, bytes);
  return bytes;
}

/// A tree of so many ranks, in its order.
void add_tree(Random& rng, std::uint32_t ranks, std::vector<RoleEntry>& roles) {
  roles.push_back({static_cast<Rank>(rng.below(1000)), rng.next() >> (10 + rng.below(50)), ranks});
  for (std::uint32_t left = ranks - 1; left > 0;) {
    const auto child = static_cast<std::uint32_t>(1 + rng.below(left));
    add_tree(rng, child, roles);
    left -= child;
  }
}

TEST(RoleHeaderProperty, ComesBackAsItWasAndTellsWhereItEnds) {
  for_all_seeds(500, [](Random& rng) {
    std::vector<RoleEntry> roles;
    add_tree(rng, static_cast<std::uint32_t>(1 + rng.below(40)), roles);
    const std::uint64_t call = rng.next() >> rng.below(64);
    std::vector<std::byte> bytes = written_role(call, roles);
    const std::size_t size = bytes.size();
    ASSERT_LE(size, kMaxRoleHeadBytes + roles.size() * kMaxRoleEntryBytes);
    for (std::size_t n = 0; n < size; ++n) {
      ASSERT_FALSE(read_role_header(std::span(bytes).first(n), 1000)) << n;
    }
    const auto most =
        most_role_header_bytes(std::span(bytes).first(std::min(size, kMaxRoleHeadBytes)), 1000);
    ASSERT_TRUE(most.has_value());
    ASSERT_GE(*most, size);
    ASSERT_LE(*most, kMaxRoleHeadBytes + roles.size() * kMaxRoleEntryBytes);
    bytes.resize(size + rng.below(9), std::byte{0xff});
    const auto header = read_role_header(bytes, 1000);
    ASSERT_TRUE(header.has_value());
    EXPECT_EQ(header->call, call);
    EXPECT_EQ(header->roles, roles);
    EXPECT_EQ(header->size, size);
  });
}

TEST(RoleHeader, ChildrenAreTheSubTreesBehindTheFirst) {
  const std::vector<RoleEntry> roles{{5, 1, 6}, {2, 1, 3}, {7, 1, 1},
                                     {8, 1, 1}, {1, 1, 2}, {0, 1, 1}};
  std::vector<Rank> children, sizes;
  for_each_child(roles, [&](Roles child) {
    children.push_back(child.front().rank);
    sizes.push_back(static_cast<Rank>(child.size()));
  });
  EXPECT_EQ(children, (std::vector<Rank>{2, 1}));
  EXPECT_EQ(sizes, (std::vector<Rank>{3, 2}));
}

TEST(RoleHeader, TellsItsLengthUnlessItIsNone) {
  EXPECT_EQ(most_role_header_bytes(written_role(1, {{3, 0, 1}}), 4), 2 + kMaxRoleEntryBytes);
  EXPECT_FALSE(most_role_header_bytes(written_role(1, {}), 4));
  EXPECT_FALSE(most_role_header_bytes(written_role(1, {{3, 0, 2}, {2, 0, 1}}), 1));
  EXPECT_FALSE(most_role_header_bytes(std::vector(kMaxRoleHeadBytes, std::byte{0xff}), 4));
}

TEST(RoleHeader, RefusesRanksThatAreNoneAndTreesThatReachBeyondTheirParents) {
  EXPECT_FALSE(read_role_header(written_role(1, {}), 4));
  EXPECT_TRUE(read_role_header(written_role(1, {{3, 0, 1}}), 4));
  EXPECT_FALSE(read_role_header(written_role(1, {{4, 0, 1}}), 4));
  EXPECT_FALSE(read_role_header(written_role(1, {{3, 0, 2}}), 4));
  EXPECT_FALSE(read_role_header(written_role(1, {{3, 0, 0}}), 4));
  EXPECT_FALSE(read_role_header(written_role(1, {{3, 0, 1}, {2, 0, 1}}), 4));
  EXPECT_TRUE(read_role_header(written_role(1, {{3, 0, 3}, {2, 0, 2}, {1, 0, 1}}), 4));
  EXPECT_FALSE(read_role_header(written_role(1, {{3, 0, 3}, {2, 0, 1}, {1, 0, 2}}), 4));
  EXPECT_FALSE(read_role_header(written_role(1, {{3, 0, 4}, {2, 0, 2}, {1, 0, 2}, {0, 0, 1}}), 4));
  EXPECT_FALSE(read_role_header(written_role(1, {{3, ~0UL, 2}, {2, 1, 1}}), 4));
}

}  // namespace
}  // namespace espalier::runtime
