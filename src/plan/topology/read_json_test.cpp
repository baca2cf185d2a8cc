#include <gtest/gtest.h>

#include "support/for_all_seeds.hpp"
#include "topology/random_machine.hpp"
#include "topology/readers.hpp"
#include "topology/writers.hpp"

namespace espalier::topology {
namespace {

std::string json_machine(const std::string& body) {
  return "{\n\"format\": \"espalier-machine-1\",\n" + body + "\n}";
}

Error error_of(const std::string& text) {
  const auto result = read_json(text, "m.json");
  EXPECT_FALSE(result) << text;
  return result ? Error{} : result.error();
}

TEST(ReadJson, ReadsLevelsOverridesAndPairs) {
  const auto m = read_json(json_machine(R"(
    "name": "three sites, [a b c]",
    "levels": [{"name": "wan", "members": "site", "latency": "30 ms", "uplink": "100 Mbit/s"},
               {"name": "lan", "latency": "50 us", "backbone": "10 Gbit/s",
                "uplink": {"bandwidth": "1 Gbit/s", "duplex": "half", "latency": "1 us"}}],
    "send": "20 us",
    "children": [{"name": "a", "processes": 2},
                 {"name": "b", "channel": {"latency": "1 ms"}, "processes": 2, "send": "5 us"},
                 {"name": "c", "children": [{"count": 2, "recv": {"fixed": "1 us", "rate": "1 GB/s"}}]}],
    "pairs": [{"between": ["a", "c"], "latency": "80 ms"}])"),
                           "m.json");
  ASSERT_TRUE(m) << m.error();
  EXPECT_EQ(m->size(), 6u);
  EXPECT_EQ(m->path(0, 2).latency, milliseconds(30) + microseconds(2));
  EXPECT_EQ(m->path(0, 5).latency, milliseconds(80) + microseconds(2));
  EXPECT_EQ(m->path(2, 3).latency, milliseconds(1) + microseconds(2));
  EXPECT_EQ(m->path(0, 1).bandwidth, bits_per_second(1'000'000'000));
  EXPECT_EQ(m->costs(0).send.fixed, microseconds(20));
  EXPECT_EQ(m->costs(2).send.fixed, microseconds(5));
  EXPECT_EQ(m->costs(4).recv.of(Bytes{1000}), microseconds(2));
}

TEST(ReadJson, NamesFileLineAndCureOfEveryMistake) {
  EXPECT_EQ(error_of(json_machine("\"processes\": 2,\n\"procesess\": 3")).where, "m.json:4");
  EXPECT_NE(error_of(json_machine("\"processes\": 2,\n\"x\": 3")).hint.find("children"),
            std::string::npos);
  EXPECT_EQ(error_of(json_machine("\"processes\": \"2\"")).where, "m.json:3");
  EXPECT_EQ(error_of(json_machine("\"send\": \"2 parsecs\",\n\"processes\": 1")).where, "m.json:3");
  EXPECT_EQ(error_of(json_machine("\"processes\": -4")).what,
            "\"processes\" is -4, not a whole number");
  EXPECT_EQ(error_of(json_machine("\"processes\": [4]")).what,
            "\"processes\" is an array, not a whole number");
  EXPECT_EQ(error_of("[]").what, "the machine is an array, not an object");
  EXPECT_EQ(error_of(json_machine("\"processes\": 2,\n\"notes\": [\"a\", 3]")).what,
            "a note is a number, not a string");
  const std::string unitless = "\"processes\": 2, \"channel\": {\"latency\": 30}";
  EXPECT_EQ(error_of(json_machine(unitless)).what, "\"latency\" is 30, a number without a unit");
  EXPECT_EQ(error_of(json_machine(unitless)).hint, "write it with its unit, in quotes: \"30 ms\"");
  EXPECT_EQ(error_of(json_machine("\"processes\": 2,\n\"send\": 30")).hint,
            "write it with its unit, in quotes: \"30 ms\"");
  const Error twice = error_of(
      json_machine("\"children\": [{\"name\": \"a\"},\n{\"name\": \"b\"},\n{\"name\": \"a\"}]"));
  EXPECT_EQ(twice.where, "m.json:5");
  EXPECT_EQ(twice.what, "two members of one cluster are called \"a\"; the other one: m.json:3");
  EXPECT_EQ(error_of("{\"processes\": 1}").what, "no \"format\"");
  EXPECT_NE(error_of("{\"format\": \"espalier-machine-9\"}").hint.find("another version"),
            std::string::npos);
}

TEST(ReadJson, RefusesWhatIsNoMachine) {
  for (const char* body :
       {"\"children\": []", "\"processes\": 0", "\"processes\": -1", "\"processes\": 1.5",
        "\"processes\": 99999999999", "\"children\": [{\"children\": []}]", "\"children\": [3]",
        "\"processes\": 2, \"placement\": [0, 0]", "\"processes\": 2, \"placement\": \"random\"",
        "\"processes\": 2, \"levels\": []  , \"pairs\": [{}]", "\"processes\": 2, \"speed\": 0",
        "\"children\": [{\"name\": \"a\", \"count\": 2}]",
        "\"children\": [{\"name\": \"a\"}, {\"name\": \"a\"}]",
        R"("processes": 2, "levels": [{"uplink": {"out": "1 Mbit/s", "duplex": "half"}}])"}) {
    error_of(json_machine(body));
  }
}

TEST(WriteJsonProperty, WhatIsWrittenIsReadBackAsTheSameMachine) {
  for_all_seeds(2000, [](Random& rng) {
    const Machine m = random_machine(rng.next());
    const std::string text = write_json(m);
    const auto again = read_json(text, "m.json");
    ASSERT_TRUE(again) << again.error() << "\n" << text;
    ASSERT_TRUE(*again == m) << text;
    ASSERT_EQ(write_json(*again), text);
  });
}

TEST(WriteJson, KeepsDirectLinksBetweenMembersWhoseNamesAreNumbers) {
  const auto m = read_json(json_machine(R"(
    "children": [{"name": "1"}, {"name": "2"}, {"name": "3"}],
    "pairs": [{"between": ["2", "3"], "latency": "9 ms"}])"),
                           "m.json");
  ASSERT_TRUE(m) << m.error();
  EXPECT_EQ(m->path(1, 2).latency, milliseconds(9));
  const auto again = read_json(write_json(*m), "m.json");
  ASSERT_TRUE(again) << again.error() << "\n" << write_json(*m);
  EXPECT_TRUE(*again == *m) << write_json(*m) << write_json(*again);
}

TEST(ReadJson, TakesANumberForAnIndexAndAStringForANameFirst) {
  const auto far_from_0 = [](const std::string& between) {
    return read_json(json_machine(R"("children": [{"name": "a"}, {"name": "2"}, {"name": "b"}],
      "pairs": [{"between": )" + between +
                                  R"(, "latency": "9 ms"}])"),
                     "m.json");
  };
  EXPECT_EQ(far_from_0("[0, 2]")->path(0, 2).latency, milliseconds(9));
  EXPECT_EQ(far_from_0("[\"a\", 2]")->path(0, 2).latency, milliseconds(9));
  EXPECT_EQ(far_from_0("[0, \"2\"]")->path(0, 1).latency, milliseconds(9));
  EXPECT_EQ(far_from_0("[\"0\", \"2\"]")->path(0, 1).latency, milliseconds(9));
}

TEST(WriteJson, KeepsALargeMachineShort) {
  const Machine m = *parse_synthetic("site:8(30ms) node:1024(1us,1Gbit/s) proc:16(100ns)");
  ASSERT_EQ(m.size(), 131'072u);
  const std::string text = write_json(m);
  EXPECT_LT(text.size(), 1000u) << text;
  EXPECT_TRUE(*read_json(text, "m.json") == m);
}

TEST(ReadJson, TakesNotesAlong) {
  const std::vector<std::string> notes{"uncertain: \"x\" was busy", "and more"};
  const Machine two = *read_json(json_machine("\"processes\": 2"), "m.json");
  const auto again = read_json_and_notes(write_json(two, notes), "m.json");
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(again->notes, notes);
  EXPECT_TRUE(again->machine == two);
  EXPECT_EQ(write_json(two).find("notes"), std::string::npos);
}

}  // namespace
}  // namespace espalier::topology
