#include "runtime/block_header.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "support/for_all_seeds.hpp"

namespace espalier::runtime {
namespace {

std::vector<std::byte> written(const std::vector<std::uint64_t>& lengths) {
  std::vector<std::byte> bytes;
  append_block_header(lengths, bytes);
  return bytes;
}

TEST(BlockHeader, AnEmptyBlockTakesOneByte) {
  EXPECT_EQ(written({0, 0, 0}).size(), 3u);
  EXPECT_EQ(written({127}).size(), 1u);
  EXPECT_EQ(written({128}).size(), 2u);
  EXPECT_EQ(written({~std::uint64_t{0}}).size(), kMaxEntryBytes);
  EXPECT_EQ(read_block_header({}, 0)->size, 0u);
}

TEST(BlockHeaderProperty, ComesBackAsItWasAndTellsWhereItEnds) {
  for_all_seeds(500, [](Random& rng) {
    std::vector<std::uint64_t> lengths(rng.below(20));
    for (std::uint64_t& length : lengths) length = rng.next() >> (8 + rng.below(56));
    std::vector<std::byte> bytes = written(lengths);
    const std::size_t size = bytes.size();
    bytes.resize(size + rng.below(9), std::byte{0xff});  // what follows does not matter
    const auto header = read_block_header(bytes, lengths.size());
    ASSERT_TRUE(header.has_value());
    EXPECT_EQ(header->lengths, lengths);
    EXPECT_EQ(header->size, size);
    EXPECT_EQ(header->total, std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0}));
  });
}

TEST(BlockHeader, RefusesWhatEndsTooSoonOrIsTooLarge) {
  const std::vector<std::byte> bytes = written({1, 300, 70000});
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_FALSE(read_block_header(std::span(bytes).first(n), 3).has_value()) << n;
  }
  EXPECT_FALSE(read_block_header(bytes, 4).has_value());
  const std::vector<std::byte> endless(20, std::byte{0xff});
  EXPECT_FALSE(read_block_header(endless, 1).has_value());
  EXPECT_FALSE(read_block_header(written({~std::uint64_t{0}, 1}), 2).has_value());
}

}  // namespace
}  // namespace espalier::runtime
