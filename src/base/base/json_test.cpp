#include "base/json.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "support/for_all_seeds.hpp"

namespace espalier {
namespace {

TEST(Json, KeepsMembersInTheOrderOfAdding) {
  Json value{{"b", 1}, {"a", {1, "two", nullptr, true, 2.5}}};
  value["c"]["d"] = "e";
  value["b"] = 3;
  EXPECT_EQ(value.dump(), R"({"b":3,"a":[1,"two",null,true,2.5],"c":{"d":"e"}})");
  EXPECT_EQ(value.dump(1),
            "{\n \"b\": 3,\n \"a\": [\n  1,\n  \"two\",\n  null,\n  true,\n  2.5\n ],\n \"c\": {\n"
            "  \"d\": \"e\"\n }\n}");
}

TEST(Json, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(Json{"\xff"}.dump(), "[\"\uFFFD\"]");
  EXPECT_EQ(Json("\xff\n").dump(), "\"\uFFFD\\n\"");
}

TEST(Json, CopiesAndMovesWholeValues) {
  Json value{{"a", {1, 2}}};
  Json copy = value;
  copy["a"].push_back(3);
  EXPECT_EQ(value.at("a").size(), 2U);
  value = std::move(copy);
  EXPECT_EQ(value.at("a").size(), 3U);
  value = value.at("a");  // a part of itself
  EXPECT_EQ(value, (Json{1, 2, 3}));
}

TEST(Json, SaysWhatIsWrong) {
  const Json value{{"a", "text"}, {"much", std::uint64_t{1} << 40U}, {"below", -1}, {"half", 0.5}};
  const auto words = [](auto act) -> std::string {
    try {
      act();
    } catch (const JsonError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(words([&] { (void)value.at("b"); }), "key 'b' not found");
  EXPECT_EQ(words([&] { (void)value.at("a").get<int>(); }), "type must be number, but is string");
  EXPECT_EQ(words([&] { (void)value.at("a").at("x"); }), "type must be object, but is string");
  EXPECT_EQ(words([&] { (void)value.begin(); }), "type must be array, but is object");
  EXPECT_EQ(words([&] { (void)Json::array().front(); }), "array index 0 is out of range");
  EXPECT_EQ(words([&] { (void)value.at("much").get<std::uint32_t>(); }),
            "number 1099511627776 is out of range");
  EXPECT_EQ(words([&] { (void)value.at("below").get<std::uint64_t>(); }),
            "number -1 is out of range");
  EXPECT_EQ(words([&] { (void)value.at("half").get<int>(); }), "number 0.5 is out of range");
  EXPECT_EQ(words([] { (void)Json::parse("[1,"); }),
            "no JSON: it breaks off or goes wrong at byte 4");
}

TEST(Json, TakesTheLastOfMembersOfOneName) {
  EXPECT_EQ(Json::parse(R"({"a":1,"b":{"c":1,"c":[2]},"a":2,"d":3,"a":{"a":4}})").dump(),
            R"({"a":{"a":4},"b":{"c":[2]},"d":3})");
}

/// 400,000 members took more than a minute when each looked for its name among the ones before.
TEST(Json, ReadsObjectsWithManyMembers) {
  std::string text = "{";
  for (int i = 0; i < 400'000; ++i) text += "\"m" + std::to_string(i) + "\":0,";
  text += "\"m7\":1}";
  const Json value = Json::parse(text);
  EXPECT_EQ(value.size(), 400'000U);
  EXPECT_EQ(value.at("m7").get<int>(), 1);
}

TEST(Json, RefusesDeepNesting) {
  EXPECT_TRUE(Json::read(std::string(256, '[') + std::string(256, ']')));
  EXPECT_FALSE(Json::read(std::string(100000, '[') + std::string(100000, ']')));
}

TEST(Json, TakesNumbersThatFit) {
  EXPECT_EQ(Json::parse("18446744073709551615").get<std::uint64_t>(),
            std::numeric_limits<std::uint64_t>::max());
  EXPECT_THROW((void)Json::parse("18446744073709551615").get<std::int64_t>(), JsonError);
  EXPECT_EQ(Json::parse("-9223372036854775808").get<std::int64_t>(),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(Json::parse("1e3").get<int>(), 1000);
  EXPECT_THROW((void)Json::parse("1e300").get<std::int64_t>(), JsonError);
  EXPECT_EQ(Json(1), Json(std::uint64_t{1}));
  EXPECT_NE(Json(-1), Json(std::numeric_limits<std::uint64_t>::max()));
  EXPECT_EQ(Json(1), Json(1.0));
}

TEST(Json, GivesDefaultsForMissingMembersOnly) {
  const Json value{{"a", 1}, {"list", {1, 2}}};
  EXPECT_EQ(value.value("a", 7), 1);
  EXPECT_EQ(value.value("b", 7), 7);
  EXPECT_EQ(value.value("b", "none"), "none");
  EXPECT_EQ(value.value("list", std::vector<int>{}), (std::vector<int>{1, 2}));
  EXPECT_THROW((void)value.value("a", "none"), JsonError);
  EXPECT_THROW((void)Json(1).value("a", 7), JsonError);
}

/// A random value, as nlohmann-json has it.
nlohmann::ordered_json random_value(Random& random, int depth) {
  using Other = nlohmann::ordered_json;
  const auto text = [&] {
    static const char* const kTexts[] = {"", "plain", "q\"\\", "\n\t\x01\x7f", "ä€😀", "a/b"};
    return std::string(kTexts[random.next() % std::size(kTexts)]);
  };
  switch (random.next() % (depth > 3 ? 6 : 8)) {
    case 0:
      return nullptr;
    case 1:
      return random.next() % 2 == 0;
    case 2:
      return static_cast<std::int64_t>(random.next() >> (random.next() % 64)) *
             (random.next() % 2 == 0 ? 1 : -1);
    case 3:
      return random.next() >> (random.next() % 64);
    case 4:
      return std::ldexp(static_cast<double>(random.next()),
                        static_cast<int>(random.next() % 200) - 130);
    case 5:
      return text();
    case 6: {
      Other array = Other::array();
      for (std::size_t i = random.next() % 5; i > 0; --i) {
        array.push_back(random_value(random, depth + 1));
      }
      return array;
    }
    default: {
      Other object = Other::object();
      for (std::size_t i = random.next() % 5; i > 0; --i) {
        object[text() + std::to_string(i)] = random_value(random, depth + 1);
      }
      return object;
    }
  }
}

nlohmann::ordered_json random_document(Random& random) {
  auto document = nlohmann::ordered_json::array();
  for (int i = 0; i < 6; ++i) document.push_back(random_value(random, 0));
  return document;
}

TEST(JsonProperty, ReadsAndWritesAsNlohmannJson) {
  for_all_seeds(2000, [](Random& random) {
    const nlohmann::ordered_json other = random_document(random);
    const auto ours = Json::read(other.dump());
    ASSERT_TRUE(ours) << other;
    EXPECT_EQ(ours->dump(), other.dump());
    EXPECT_EQ(ours->dump(2), other.dump(2));
    EXPECT_EQ(*ours, Json::parse(ours->dump(3)));
  });
}

TEST(JsonProperty, RefusesWhatNlohmannJsonRefuses) {
  for_all_seeds(2000, [](Random& random) {
    std::string text = random_document(random).dump();
    for (int i = 0; i < 2 && !text.empty(); ++i) {
      text[random.next() % text.size()] = "{}[],:\"x0-\xff"[random.next() % 11];
    }
    EXPECT_EQ(Json::read(text).has_value(), nlohmann::json::accept(text)) << text;
  });
}

}  // namespace
}  // namespace espalier
