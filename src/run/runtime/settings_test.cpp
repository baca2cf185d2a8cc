#include "runtime/settings.hpp"

#include <gtest/gtest.h>

namespace espalier::runtime {
namespace {

using schedule::Operation;

using Variables = std::map<std::string, std::string>;

Environment environment_of(const Variables& variables) {
  return [&](const std::string& name) -> std::optional<std::string> {
    const auto it = variables.find(name);
    return it == variables.end() ? std::nullopt : std::optional(it->second);
  };
}

Expected<Settings> read(const Variables& variables) {
  return read_settings(environment_of(variables));
}

TEST(Settings, AnotherRankContradictsByWhatIsSetThereOnly) {
  const Variables first{{"ESPALIER_MACHINE", "proc:4 \xff"},
                        {"ESPALIER_FORCE", "1"},
                        {"ESPALIER_ALGORITHM", "broadcast=binomial"}};
  const Settings agreed = settings_from_text(to_text(*read(first)));
  const auto against = [&](const Variables& variables) {
    const auto wrong = contradiction(agreed, environment_of(variables));
    return wrong ? wrong->where : "";
  };
  EXPECT_EQ(against({}), "");
  EXPECT_EQ(against(first), "");
  EXPECT_EQ(against({{"ESPALIER_MACHINE", ""}, {"ESPALIER_LOG", "2"}, {"ESPALIER_EXPLAIN", "x"}}),
            "");
  EXPECT_EQ(against({{"ESPALIER_MACHINE", "proc:5"}}), "ESPALIER_MACHINE");
  EXPECT_EQ(against({{"ESPALIER_FORCE", "0"}}), "ESPALIER_FORCE");
  EXPECT_EQ(against({{"ESPALIER_FORCE", "perhaps"}}), "ESPALIER_FORCE");
  EXPECT_EQ(against({{"ESPALIER_DISABLE", "1"}}), "ESPALIER_DISABLE");
  EXPECT_EQ(against({{"ESPALIER_DISCOVER", "0"}}), "ESPALIER_DISCOVER");
  EXPECT_EQ(against({{"ESPALIER_DISCOVER", "1"}, {"ESPALIER_CACHE", "0"}}), "");
  EXPECT_EQ(against({{"ESPALIER_REPRODUCIBLE", "1"}}), "ESPALIER_REPRODUCIBLE");
  EXPECT_EQ(against({{"ESPALIER_ALGORITHM", "broadcast=flat"}}), "ESPALIER_ALGORITHM");
}

TEST(Settings, AnEmptyEnvironmentAsksForNothing) {
  const auto settings = read({});
  ASSERT_TRUE(settings);
  EXPECT_EQ(*settings, Settings{});
}

TEST(Settings, NativeNamesNoPlanAndYieldsToTheSameBitsOnly) {
  const Settings native = *read({{"ESPALIER_ALGORITHM", "allreduce=native"}});
  EXPECT_TRUE(is_named_native(native, Operation::Allreduce));
  EXPECT_FALSE(is_named_native(native, Operation::Reduce));
  EXPECT_FALSE(names_a_plan(native));
  EXPECT_TRUE(names_a_plan(*read({{"ESPALIER_ALGORITHM", "allreduce=native,reduce=binomial"}})));
  EXPECT_EQ(settings_from_text(to_text(native)), native);
  const Settings same_bits = *read({{"ESPALIER_ALGORITHM", "allreduce=native,broadcast=native"},
                                    {"ESPALIER_REPRODUCIBLE", "1"}});
  EXPECT_FALSE(is_named_native(same_bits, Operation::Allreduce));
  EXPECT_TRUE(is_named_native(same_bits, Operation::Broadcast));
}

TEST(Settings, NonBlockingCallsArePlannedAllOrNoneOrWhereThatIsMeasuredToGain) {
  const auto which = [](const Variables& variables) {
    return settings_from_text(to_text(*read(variables))).nonblocking;
  };
  EXPECT_TRUE(which({}) == NonBlocking::Measured);
  EXPECT_TRUE(which({{"ESPALIER_NONBLOCKING", ""}}) == NonBlocking::Measured);
  EXPECT_TRUE(which({{"ESPALIER_NONBLOCKING", "measured"}}) == NonBlocking::Measured);
  EXPECT_TRUE(which({{"ESPALIER_NONBLOCKING", "0"}}) == NonBlocking::Native);
  EXPECT_TRUE(which({{"ESPALIER_NONBLOCKING", "1"}}) == NonBlocking::Planned);
  EXPECT_FALSE(read({{"ESPALIER_NONBLOCKING", "2"}}));
}

TEST(Settings, TheMemoryOfANodeIsTriedUnlessToldOtherwise) {
  const auto which = [](const Variables& variables) {
    return settings_from_text(to_text(*read(variables))).shared;
  };
  EXPECT_TRUE(which({}) == SharedMemory::Tried);
  EXPECT_TRUE(which({{"ESPALIER_SHARED", ""}}) == SharedMemory::Tried);
  EXPECT_TRUE(which({{"ESPALIER_SHARED", "tried"}}) == SharedMemory::Tried);
  EXPECT_TRUE(which({{"ESPALIER_SHARED", "0"}}) == SharedMemory::Never);
  EXPECT_TRUE(which({{"ESPALIER_SHARED", "1"}}) == SharedMemory::Always);
  EXPECT_FALSE(read({{"ESPALIER_SHARED", "maybe"}}));
}

TEST(Settings, OneCopyIsTriedUnlessToldOtherwise) {
  const auto which = [](const Variables& variables) {
    return settings_from_text(to_text(*read(variables))).one_copy;
  };
  EXPECT_TRUE(which({}) == SharedMemory::Tried);
  EXPECT_TRUE(which({{"ESPALIER_ONE_COPY", "tried"}}) == SharedMemory::Tried);
  EXPECT_TRUE(which({{"ESPALIER_ONE_COPY", "0"}}) == SharedMemory::Never);
  EXPECT_TRUE(which({{"ESPALIER_ONE_COPY", "1"}}) == SharedMemory::Always);
  const auto wrong = read({{"ESPALIER_ONE_COPY", "64KiB"}});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().where, "ESPALIER_ONE_COPY");
}

TEST(Settings, DiscoveryAndItsCacheAreSwitchedOff) {
  const auto usual = read({{"ESPALIER_DISCOVER", ""}, {"ESPALIER_CACHE", ""}});
  ASSERT_TRUE(usual) << usual.error();
  EXPECT_TRUE(usual->discover && usual->cache);
  const auto on = read({{"ESPALIER_DISCOVER", "1"}, {"ESPALIER_CACHE", "1"}});
  ASSERT_TRUE(on) << on.error();
  EXPECT_TRUE(on->discover && on->cache);
  const auto off = read({{"ESPALIER_DISCOVER", "0"}, {"ESPALIER_CACHE", "0"}});
  ASSERT_TRUE(off) << off.error();
  EXPECT_FALSE(off->discover || off->cache);
  EXPECT_EQ(settings_from_text(to_text(*off)), *off);
  const auto wrong = read({{"ESPALIER_DISCOVER", "later"}});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().where, "ESPALIER_DISCOVER");
}

TEST(Settings, ReadsEveryVariable) {
  const auto settings =
      read({{"ESPALIER_DISABLE", "0"},
            {"ESPALIER_FORCE", "1"},
            {"ESPALIER_REPRODUCIBLE", "1"},
            {"ESPALIER_REORDER", "1"},
            {"ESPALIER_LOG", "2"},
            {"ESPALIER_EXPLAIN", "out.txt"},
            {"ESPALIER_TRACE", "out.json"},
            {"ESPALIER_MACHINE", "proc:4"},
            {"ESPALIER_MEMORY", "100KiB"},
            {"ESPALIER_ALGORITHM",
             "broadcast=binomial 4 KiB,allreduce=ring,neighbour-alltoall=joined"}});
  ASSERT_TRUE(settings) << settings.error();
  EXPECT_FALSE(settings->disabled);
  EXPECT_TRUE(settings->force);
  EXPECT_TRUE(settings->reproducible);
  EXPECT_TRUE(settings->reorder);
  EXPECT_EQ(settings->log, 2);
  EXPECT_EQ(settings->explain, "out.txt");
  EXPECT_EQ(settings->trace, "out.json");
  EXPECT_EQ(settings->machine, "proc:4");
  EXPECT_EQ(settings->bundle_limit, Bytes{102400});
  EXPECT_EQ(settings->algorithm.at(Operation::Broadcast), "binomial 4 KiB");
  EXPECT_EQ(settings->algorithm.at(Operation::Allreduce), "ring");
  EXPECT_EQ(settings->algorithm.at(Operation::NeighbourAlltoall), "joined");
  EXPECT_EQ(settings_from_text(to_text(*settings)), *settings);
}

TEST(Settings, NamesTheVariableItRefuses) {
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"ESPALIER_FORCE", "yes"},
                                          {"ESPALIER_LOG", "3"},
                                          {"ESPALIER_MEMORY", "plenty"},
                                          {"ESPALIER_DISABLE", "true"},
                                          {"ESPALIER_REORDER", "all"},
                                          {"ESPALIER_REPRODUCIBLE", "2"}}) {
    const auto settings = read({{name, value}});
    ASSERT_FALSE(settings) << name;
    EXPECT_EQ(settings.error().where, name);
    EXPECT_FALSE(settings.error().hint.empty());
  }
}

TEST(Settings, AlgorithmsThatThereAreNotAreAsGoodAsNotNamed) {
  EXPECT_EQ(*read({{"ESPALIER_ALGORITHM", "allreduce=rign,sorcery=ring,ring"}}), Settings{});
  EXPECT_EQ(*read({{"ESPALIER_ALGORITHM", "allreduce=rign,broadcast=binomial"}}),
            *read({{"ESPALIER_ALGORITHM", "broadcast=binomial"}}));
}

TEST(Settings, WhateverBytesTheEnvironmentHoldsTravel) {
  const auto settings = read({{"ESPALIER_EXPLAIN", "a\xff\"\n"}});
  ASSERT_TRUE(settings);
  EXPECT_NO_THROW((void)settings_from_text(to_text(*settings)));
}

}  // namespace
}  // namespace espalier::runtime
