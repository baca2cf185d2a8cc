#include <gtest/gtest.h>

#include "topology/readers.hpp"

namespace espalier::topology {
namespace {

TEST(Synthetic, BuildsTheThreeMachineGrid) {
  const auto m = parse_synthetic("site:2(30ms,100Mbit/s) machine:1|2(500us,1Gbit/s) proc:16(5us)");
  ASSERT_TRUE(m) << m.error();
  EXPECT_EQ(m->size(), 48u);
  EXPECT_EQ(m->path(0, 16), (Path{0, milliseconds(30), bits_per_second(100'000'000)}));
  EXPECT_EQ(m->path(16, 32), (Path{1, microseconds(500), bits_per_second(1'000'000'000)}));
  EXPECT_EQ(m->path(0, 1), (Path{2, microseconds(5), kUnlimited}));
  EXPECT_EQ(m->describe(33), "site1.machine1.1");
}

TEST(Synthetic, GivesEachMemberItsOwnValue) {
  const auto m = parse_synthetic("proc:8(send=100us|300us*4|100us|300us*2)");
  ASSERT_TRUE(m) << m.error();
  for (Rank r = 0; r < 8; ++r) {
    EXPECT_EQ(m->costs(r).send.fixed, microseconds(r == 0 || r == 5 ? 100 : 300)) << r;
  }
}

TEST(Synthetic, ReadsEveryKey) {
  const auto m = parse_synthetic(
      "site:2(name=wan,latency=1ms,out=2Mbit/s,in=3Mbit/s,hop=4us,cap=1Mbit/s,backbone=9Mbit/s) "
      "proc:2(5us,uplink=8Mbit/s,duplex=half,send=1us+1GB/s,recv=2us,reduce=2GB/s,speed=2.5) "
      "placement=cyclic");
  ASSERT_TRUE(m) << m.error();
  EXPECT_EQ(m->levels()[0].channel, "wan");
  EXPECT_EQ(m->path(0, 1), (Path{0, microseconds(1008), bits_per_second(1'000'000)}));
  EXPECT_EQ(m->costs(3).send.of(Bytes{1000}), microseconds(2));
  EXPECT_EQ(m->costs(3).speed_millionths, 2'500'000u);
  EXPECT_TRUE(m->leaf_uplink(0).half_duplex);
}

TEST(Synthetic, RefusesWhatDoesNotFit) {
  for (const char* text : {"",
                           "x",
                           "proc",
                           "proc:",
                           "proc:x",
                           "proc:0",
                           "proc:2(",
                           "proc:2(3 parsecs)",
                           "proc:2(a=b)",
                           "proc:2(speed=0|1)",
                           "proc:2(send=1us|2us|3us)",
                           "site:2 proc:1|2|3",
                           "proc:99999999999",
                           "proc:4096 x:4096 y:4096",
                           "proc:2 placement=random",
                           ":3",
                           "proc:2(duplex=double)",
                           "proc:2(1us*0)",
                           "proc:2)",
                           "proc:18446744073709551616",
                           "a:1|2",
                           "proc:2(send=1us*99999999999999)",
                           "proc:4(1us|2us*18446744073709551615)"}) {
    EXPECT_FALSE(parse_synthetic(text)) << text;
  }
}

TEST(Synthetic, SaysWhatIsMissing) {
  EXPECT_EQ(parse_synthetic("site:").error(),
            (Error{"machine", "level \"site\" has no count",
                   "write how many there are, such as \"site:2\""}));
  EXPECT_EQ(parse_synthetic("proc:2(1us) site:x").error().what,
            "level \"site\": \"x\" is not a whole number");
  EXPECT_EQ(parse_synthetic("site:2(30ms)proc:4").error(),
            (Error{"machine", "no blank between \"site:2(30ms)\" and \"proc:4\"",
                   "levels stand apart: \"site:2(30ms) proc:4\""}));
}

TEST(Synthetic, SaysWhatWasMeant) {
  EXPECT_TRUE(parse_synthetic("proc:4(latncy=1us)")
                  .error()
                  .hint.starts_with("did you mean \"latency\"? known: name latency "));
  EXPECT_EQ(parse_synthetic("site:2(10ms,100Mb) proc:4").error().hint,
            "did you mean \"100Mb/s\" or \"100MB/s\"?");
  EXPECT_EQ(parse_synthetic("site:2,proc:4").error().what,
            "\"site:2,proc:4\": two levels and no blank between them");
}

TEST(Synthetic, SaysHowManyValuesAListMustHave) {
  const auto what = [](const char* text) { return parse_synthetic(text).error().what; };
  EXPECT_EQ(what("proc:4(send=1us|2us)"),
            "level \"proc\": a list of 2 values; 4 are expected, one for each member");
  EXPECT_EQ(what("site:3 proc:4(send=1us|2us*12)"),
            "level \"proc\": a list of 13 values; 12 are expected, one for each member");
  EXPECT_EQ(what("site:3 proc:4(1us|2us)"),
            "level \"proc\": a list of 2 values; 3 are expected, one for each cluster that holds "
            "its members");
  EXPECT_EQ(what("site:2 proc:4|4|4(send=1us*9|2us)"),
            "level \"proc\": a list of 3 values; 2 are expected, one for each cluster that holds "
            "its members");
  EXPECT_EQ(
      what("proc:4(1us|2us)"),
      "level \"proc\": a list of 2 values; 1 is expected, one for each cluster that holds its "
      "members");
}

TEST(Synthetic, IsToldFromAFileName) {
  EXPECT_TRUE(begins_with_level("site:"));
  EXPECT_FALSE(begins_with_level("machines/site:2"));
  EXPECT_TRUE(looks_synthetic("site:2 proc:4"));
  EXPECT_FALSE(looks_synthetic("machines/site.json"));
  EXPECT_FALSE(looks_synthetic("random:x"));
}

}  // namespace
}  // namespace espalier::topology
