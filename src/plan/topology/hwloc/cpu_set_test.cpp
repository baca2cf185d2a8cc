#include "topology/hwloc/cpu_set.hpp"

#include <gtest/gtest.h>
#include <hwloc.h>

#include <cstdlib>
#include <string>

#include "support/for_all_seeds.hpp"

namespace espalier::topology::hwloc {
namespace {

TEST(CpuSet, ReadsWordsFromTheHighestOn) {
  const auto set = CpuSet::parse("0x1,,0x80000003");
  ASSERT_TRUE(set);
  for (std::uint32_t cpu = 0; cpu < 200; ++cpu) {
    EXPECT_EQ(set->contains(cpu), cpu == 0 || cpu == 1 || cpu == 31 || cpu == 64) << cpu;
  }
}

TEST(CpuSet, HoldsAllCpusAboveTheDots) {
  EXPECT_TRUE(CpuSet::parse("0xf...f")->contains(0));
  const auto set = CpuSet::parse("0xf...f,0x0,0x5");
  ASSERT_TRUE(set);
  for (const std::uint32_t cpu : {0u, 2u, 64u, 4294967295u}) EXPECT_TRUE(set->contains(cpu)) << cpu;
  for (const std::uint32_t cpu : {1u, 3u, 32u, 63u}) EXPECT_FALSE(set->contains(cpu)) << cpu;
}

TEST(CpuSet, RefusesWhatHwlocDoesNotWrite) {
  for (const char* text : {"", ",", ",0x1", "0x1,", "0x", "f", "0xg", "0x1 ", " 0x1", "0x123456789",
                           "0xf...f,", "0xf...fx", "0-3", "-0x1", "0x-1", "0x1,0xf...f"}) {
    EXPECT_FALSE(CpuSet::parse(text)) << text;
  }
}

TEST(CpuSetProperty, ReadsWhatHwlocPrints) {
  for_all_seeds(500, [](Random& rng) {
    hwloc_bitmap_t bits = hwloc_bitmap_alloc();
    for (std::uint64_t n = rng.below(20); n > 0; --n) {
      hwloc_bitmap_set(bits, static_cast<unsigned>(rng.below(300)));
    }
    if (rng.chance(20)) hwloc_bitmap_set_range(bits, static_cast<unsigned>(rng.below(200)), -1);
    char* text = nullptr;
    hwloc_bitmap_asprintf(&text, bits);
    const auto set = CpuSet::parse(text);
    ASSERT_TRUE(set) << text;
    for (unsigned cpu = 0; cpu < 400; ++cpu) {
      ASSERT_EQ(set->contains(cpu), hwloc_bitmap_isset(bits, cpu) != 0) << text << " " << cpu;
    }
    std::free(text);
    hwloc_bitmap_free(bits);
  });
}

}  // namespace
}  // namespace espalier::topology::hwloc
