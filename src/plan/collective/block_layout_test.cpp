#include "collective/block_layout.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "collective/messages.hpp"
#include "support/for_all_seeds.hpp"

namespace espalier::collective {
namespace {

using schedule::Buffer;
using schedule::IndexSet;
using schedule::Program;
using schedule::ProgramBuilder;
using schedule::Region;
using schedule::slice;

using Units = std::vector<std::uint64_t>;

/// Every unit of a region, in order.
Units units_of(const Program& program, const Region& region) {
  Units found;
  for_each_stretch(program, region, [&](std::uint64_t offset, std::uint64_t length) {
    for (std::uint64_t i = 0; i < length; ++i) found.push_back(offset + i);
  });
  return found;
}

TEST(BlockLayout, SplitsAVectorAsEvenlyAsCanBe) {
  const auto pieces = BlockLayout::split(slice(Buffer::Out, 100, 8), 3);
  ProgramBuilder program(0);
  EXPECT_EQ(pieces.region(program, 0), slice(Buffer::Out, 100, 3));
  EXPECT_EQ(pieces.region(program, 1), slice(Buffer::Out, 103, 3));
  EXPECT_EQ(pieces.region(program, 2), slice(Buffer::Out, 106, 2));
  EXPECT_EQ(pieces.region(program, 1, 2), slice(Buffer::Out, 103, 5));
}

TEST(BlockLayout, TellsListsOfLongPiecesInFewSlices) {
  const IndexSet sets[] = {IndexSet::range(0, 4096), IndexSet::range(4096, 1024),
                           IndexSet::range(5120, 2048)};
  const auto pieces = BlockLayout::bundles(Buffer::Out, 100, 1, sets);
  ProgramBuilder program(0);
  const Region region = pieces.region(program, 2, 2);  // around the end: the last, then the first
  EXPECT_EQ(region.length, 1024u);
  const Program done = std::move(program).build();
  EXPECT_EQ(done.sets[region.outer.set].spelled_out(), (Units{5, 6, 0, 1, 2, 3}));
  const Units units = units_of(done, region);
  EXPECT_EQ(units.size(), 2048u + 4096u);
  EXPECT_EQ(units.front(), 5220u);
  EXPECT_EQ(units[2048], 100u);
}

TEST(BlockLayout, HasEmptyPiecesOfAVectorShorterThanTheTeam) {
  const auto pieces = BlockLayout::split(slice(Buffer::In, 0, 2), 5);
  EXPECT_EQ(pieces.units(1), 1U);
  EXPECT_EQ(pieces.units(2), 0U);
  EXPECT_EQ(pieces.units(2, 4), 1U);  // 2, 3, 4, 0
}

TEST(BlockLayout, TellsBlocksAroundTheEndAsOneRegion) {
  const auto blocks = BlockLayout::uniform(Buffer::In, 0, 5, 10);
  ProgramBuilder builder(0);
  const Region region = blocks.region(builder, 4, 2);
  EXPECT_EQ(region.length, 10U);
  const Program program = std::move(builder).build();
  Units expected;
  for (std::uint64_t i = 40; i < 50; ++i) expected.push_back(i);
  for (std::uint64_t i = 0; i < 10; ++i) expected.push_back(i);
  EXPECT_EQ(units_of(program, region), expected);
}

TEST(BlockLayout, RefusesMoreBlocksThanThereAre) {
  ProgramBuilder program(0);
  const auto blocks = BlockLayout::uniform(Buffer::In, 0, 5, 10);
  EXPECT_THROW((void)blocks.region(program, 0, 6), ContractViolation);
}

TEST(BlockLayoutProperty, GivesAnyListOfBundlesUnitByUnitAndPacksItSideBySide) {
  for_all_seeds(500, [](Random& rng) {
    // Members 0 .. 29 dealt out to up to 8 blocks.
    std::vector<std::uint32_t> members(30);
    for (std::uint32_t i = 0; i < members.size(); ++i) members[i] = i;
    rng.shuffle(std::span(members));
    std::vector<std::vector<std::uint32_t>> dealt(1 + rng.below(8));
    for (const std::uint32_t m : members) dealt[rng.below(dealt.size())].push_back(m);
    std::vector<IndexSet> sets;
    for (const auto& block : dealt) sets.emplace_back(block);
    const std::uint64_t unit = 1 + rng.below(3);
    const auto layout = BlockLayout::bundles(Buffer::Out, 7, unit, sets);

    const auto first = static_cast<Rank>(rng.below(dealt.size()));
    const auto count = static_cast<Rank>(rng.below(dealt.size() + 1));
    Units expected;
    for (Rank i = 0; i < count; ++i) {
      for (const std::uint32_t m : dealt[(first + i) % dealt.size()]) {
        for (std::uint64_t u = 0; u < unit; ++u) expected.push_back(7 + m * unit + u);
      }
    }
    ProgramBuilder builder(0);
    const Region region = layout.region(builder, first, count);
    const BlockLayout packed = layout.packed(layout.around(first, count), 100);
    const Region whole =
        count == 0 ? slice(Buffer::Scratch, 100, 0) : packed.region(builder, 0, count);
    const Program program = std::move(builder).build();
    ASSERT_EQ(units_of(program, region), expected);
    ASSERT_EQ(layout.units(first, count), expected.size());
    ASSERT_EQ(whole, slice(Buffer::Scratch, 100, expected.size()));
  });
}

TEST(MessageFamilies, TakeBlocksByRankTogetherWhateverTheOrder) {
  ProgramBuilder builder(9);
  std::vector<PeerRegion> messages;
  for (const Rank peer : {5U, 2U, 3U, 7U}) {
    messages.push_back({peer, slice(Buffer::In, 10 + peer * 4, 4)});
  }
  send_families(builder, messages, 3);
  const Program program = std::move(builder).build();
  ASSERT_EQ(program.ops.size(), 1U);
  EXPECT_EQ(program.ops[0].peer_stride, 4U);
  EXPECT_EQ(program.ops[0].from.offset, 10U);
  EXPECT_EQ(program.ops[0].tag, 3U);
  EXPECT_EQ(program.sets[program.ops[0].peers].spelled_out(), (Units{5, 2, 3, 7}));
}

TEST(MessageFamilies, NeverBeginBeforeTheBuffer) {
  ProgramBuilder builder(9);
  std::vector<PeerRegion> messages;  // block 0 is rank 16's: rank 0's would lie at -64
  for (Rank p = 0; p < 4; ++p) messages.push_back({16 + p, slice(Buffer::In, p * 4, 4)});
  recv_families(builder, messages, 0);
  const Program program = std::move(builder).build();
  EXPECT_EQ(program.ops.size(), 4U);
}

TEST(MessageFamiliesProperty, SendEveryMessageAsListedAndInThatOrder) {
  for_all_seeds(500, [](Random& rng) {
    std::vector<PeerRegion> messages;
    std::vector<Rank> peers{1, 2, 3, 4, 5, 6, 7, 8, 9};
    rng.shuffle(std::span(peers));
    peers.resize(rng.below(10));
    for (const Rank peer : peers) {
      messages.push_back(
          {peer, slice(Buffer::In, 3 * peer + (rng.chance(20) ? 1 : 0), rng.chance(90) ? 2 : 0)});
    }
    ProgramBuilder builder(0);
    send_families(builder, messages, 0);
    const Program program = std::move(builder).build();
    std::vector<std::pair<Rank, Region>> found, expected;
    for (const schedule::Op& op : program.ops) {
      for_each_message(program, op,
                       [&](Rank peer, const Region& region) { found.emplace_back(peer, region); });
    }
    for (const PeerRegion& message : messages) {
      if (message.region.length > 0) expected.emplace_back(message.peer, message.region);
    }
    ASSERT_EQ(found, expected);
  });
}

}  // namespace
}  // namespace espalier::collective
