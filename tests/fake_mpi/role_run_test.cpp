// Scatters along trees that only their roots know: what arrives, and what ranks make room for.
#include "mpi/role_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "fake_mpi/fake_mpi.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::fake {
namespace {

using mpi::kFirstHeadBytes;
using mpi::kInlineBytes;
using runtime::RoleEntry;
using runtime::Roles;

constexpr runtime::Tags kTags(32767);
constexpr std::size_t kEager = std::size_t{1} << 30U;  // no send waits for its receiver
constexpr std::uint64_t kSignature = 5;

std::byte value(Rank rank, std::uint64_t at) {
  return static_cast<std::byte>((rank * 31 + at * 7) & 0xffU);
}

std::vector<std::byte> block(const RoleEntry& role) {
  std::vector<std::byte> data;
  for (std::uint64_t at = 0; at < role.bytes; ++at) data.push_back(value(role.rank, at));
  return data;
}

/// What one rank has of the call.
struct Member {
  Member(const RoleEntry& role, Rank ranks)
      : out(role.bytes + 1, std::byte{0xee}),
        channel(MPI_COMM_WORLD, static_cast<int>(role.rank), static_cast<int>(ranks), kTags, {}),
        run(channel, {kSignature, [](Rank) { return runtime::PeerLink{}; }, &buffers},
            channel.take_number()) {
    buffers.out.push_back({out.data(), role.bytes});
  }
  std::vector<std::vector<std::byte>> in;  // of all ranks, at the root
  std::vector<std::byte> out;              // with a byte behind it that must stay
  mpi::BlockBuffers buffers;
  mpi::Channel channel;
  mpi::RoleRun run;
  std::uint64_t room = 0;  // bytes that it posted receives for
};

/// A scatter among so many ranks, of which those in the tree take part.
class Scatter {
 public:
  /// @param roles the tree, the root first
  Scatter(Rank ranks, std::vector<RoleEntry> roles)
      : world_(static_cast<int>(ranks), kEager), ranks_(ranks), roles_(std::move(roles)) {}

  [[nodiscard]] Roles sub_tree(std::size_t at) const {
    return Roles(roles_).subspan(at, roles_[at].tree);
  }
  Member& member(std::size_t at) {
    const RoleEntry& role = roles_[at];
    world_.me = static_cast<int>(role.rank);
    std::unique_ptr<Member>& found = members_[role.rank];
    if (found == nullptr) found = std::make_unique<Member>(role, ranks_);
    return *found;
  }
  void send() {
    Member& root = member(0);
    root.in.resize(ranks_);
    for (const RoleEntry& role : roles_) root.in[role.rank] = block(role);
    for (const auto& data : root.in) root.buffers.in.push_back({data.data(), data.size()});
    root.run.scatter(roles_);
    finish(0);
  }
  /// Entry `at` of the tree asks for its head.
  void receive(std::size_t at) {
    Member& own = member(at);
    const std::uint64_t before = world_.room;
    own.run.receive();
    own.room += world_.room - before;
  }
  /// Ends what it began, and lets what it sends arrive. @pre what it waits for has arrived
  void finish(std::size_t at) {
    Member& own = member(at);
    const std::uint64_t before = world_.room;
    ASSERT_EQ(own.run.finish(), MPI_SUCCESS) << roles_[at].rank;
    own.room += world_.room - before;
    std::vector<std::byte> wanted = block(roles_[at]);
    wanted.push_back(std::byte{0xee});
    ASSERT_EQ(own.out, wanted) << roles_[at].rank;
    world_.deliver_all();
  }
  /// What an entry of the tree may make room for: its first bytes, the rest, and the data below it.
  [[nodiscard]] std::uint64_t most_room(std::size_t at) const {
    std::uint64_t most = kFirstHeadBytes + kInlineBytes + runtime::kMaxRoleHeadBytes;
    for (const RoleEntry& role : sub_tree(at)) most += runtime::kMaxRoleEntryBytes + role.bytes;
    return most;
  }
  World& world() { return world_; }

 private:
  World world_;
  Rank ranks_;
  std::vector<RoleEntry> roles_;
  std::map<Rank, std::unique_ptr<Member>> members_;
};

/// Rank 0 sends to rank 1 with all below it, and to the last rank, which is a leaf.
std::vector<RoleEntry> wide_tree(Rank ranks, std::uint32_t below, std::uint64_t bytes) {
  std::vector<RoleEntry> roles{{0, bytes, below + 3}, {1, bytes, below + 1}};
  for (Rank rank = 2; rank < below + 2; ++rank) roles.push_back({rank, bytes, 1});
  roles.push_back({ranks - 1, bytes, 1});
  return roles;
}

TEST(RoleRun, RanksMakeRoomForTheirOwnSubTreesOnly) {
  constexpr std::uint32_t kBelow = 3000;
  for (const std::uint64_t bytes : {1U, 5U}) {  // within the head, and behind it
    std::vector<std::uint64_t> leaf, inner;
    for (const Rank ranks : {4'000U, 100'000U}) {
      Scatter call(ranks, wide_tree(ranks, kBelow, bytes));
      const std::size_t last = kBelow + 2;
      for (const std::size_t at : {std::size_t{1}, std::size_t{2}, last}) call.receive(at);
      call.send();
      call.world().deliver_all();
      for (const std::size_t at : {std::size_t{1}, std::size_t{2}, last}) {
        ASSERT_NO_FATAL_FAILURE(call.finish(at));
      }
      inner.push_back(call.member(1).room);
      leaf.push_back(call.member(last).room);
      EXPECT_EQ(call.member(2).room, kFirstHeadBytes);
      EXPECT_EQ(leaf.back(), kFirstHeadBytes);
      EXPECT_GT(inner.back(), kFirstHeadBytes);  // its head came in two messages
      EXPECT_LE(inner.back(), call.most_room(1));
    }
    EXPECT_EQ(leaf.front(), leaf.back());
    EXPECT_EQ(inner.front(), inner.back());
  }
}

/// The head of rank 1 with its data, if its own block has so many bytes.
std::size_t head_bytes(const std::vector<RoleEntry>& roles) {
  std::vector<std::byte> head;
  append_role_header(0, Roles(roles).subspan(1, roles[1].tree), head);
  return head.size() + roles[1].bytes;
}

TEST(RoleRun, HeadsArriveWhetherTheyAreJustShorterOrLongerThanOneMessage) {
  constexpr Rank kRanks = 1600;
  for (const std::uint64_t wanted : {kFirstHeadBytes - 1, kFirstHeadBytes, kFirstHeadBytes + 1}) {
    std::vector<RoleEntry> roles = wide_tree(kRanks, 1500, 0);
    roles[1].bytes = 1000;
    roles[1].bytes += wanted - head_bytes(roles);
    ASSERT_EQ(head_bytes(roles), wanted);
    ASSERT_LE(roles[1].bytes, kInlineBytes);
    Scatter call(kRanks, roles);
    call.receive(1);
    call.send();
    call.world().deliver_all();
    ASSERT_NO_FATAL_FAILURE(call.finish(1));
    EXPECT_EQ(call.member(1).room > kFirstHeadBytes, wanted >= kFirstHeadBytes);
  }
}

/// A tree of these ranks, in its order.
void add_tree(Random& rng, std::span<const Rank> ranks, std::uint64_t most_bytes,
              std::vector<RoleEntry>& roles) {
  const std::uint64_t bytes = rng.chance(40) ? 0 : rng.below(most_bytes + 1);
  roles.push_back({ranks.front(), bytes, static_cast<std::uint32_t>(ranks.size())});
  for (std::span<const Rank> left = ranks.subspan(1); !left.empty();) {
    const std::size_t child = 1 + rng.below(left.size());
    add_tree(rng, left.first(child), most_bytes, roles);
    left = left.subspan(child);
  }
}

TEST(RoleRunProperty, AllBlocksArriveAndNobodyMakesMuchRoom) {
  for_all_seeds(12, [](Random& rng) {
    const std::uint64_t size = rng.chance(50) ? 3000 : 1 + rng.below(200);
    std::vector<Rank> ranks(size);
    std::iota(ranks.begin(), ranks.end(), Rank{0});
    for (std::size_t at = ranks.size(); at > 1; --at)
      std::swap(ranks[at - 1], ranks[rng.below(at)]);
    std::vector<RoleEntry> roles;
    add_tree(rng, ranks, rng.chance(50) ? 3 : 100, roles);
    const bool asks_before = rng.chance(50);
    Scatter call(static_cast<Rank>(size), roles);
    for (std::size_t at = 1; asks_before && at < size; ++at) call.receive(at);
    call.send();
    for (std::size_t at = 1; at < size; ++at) {  // parents before children
      if (!asks_before) call.receive(at);
      ASSERT_NO_FATAL_FAILURE(call.finish(at));
      ASSERT_LE(call.member(at).room, call.most_room(at));
    }
    ASSERT_EQ(call.world().on_the_wire().size() + call.world().unexpected(), 0U);
    ASSERT_EQ(call.world().posted(), 0U);
  });
}

}  // namespace
}  // namespace espalier::fake
