#include "base/located_json.hpp"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(LocatedJson, KnowsTheLineOfEveryValue) {
  const auto json = parse_located_json("{\n \"a\": 1,\n \"b\": [\n  2\n ,\"x\"]\n}", "f.json");
  ASSERT_TRUE(json) << json.error();
  EXPECT_EQ(json->line, 1u);
  EXPECT_EQ(json->find("a")->line, 2u);
  EXPECT_EQ(json->find("b")->line, 3u);
  EXPECT_EQ(json->find("b")->items[0].line, 4u);
  EXPECT_EQ(json->find("b")->items[1].line, 5u);
  EXPECT_EQ(json->find("c"), nullptr);
}

TEST(LocatedJson, NamesTheLineOfASyntaxError) {
  const auto json = parse_located_json("{\n \"a\": 1\n \"b\": 2}", "f.json");
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().where, "f.json:3");
}

TEST(LocatedJson, RefusesAKeyThatStandsTwice) {
  const auto json = parse_located_json("{\"a\": 1,\n \"b\": 2,\n \"a\": 3}", "f.json");
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().where, "f.json:3");
}

TEST(LocatedJson, RefusesDeepNestingAndEmptyText) {
  EXPECT_FALSE(parse_located_json(std::string(1000, '['), "f"));
  EXPECT_FALSE(parse_located_json(std::string(300, '[') + std::string(300, ']'), "f"));
  EXPECT_FALSE(parse_located_json("", "f"));
  EXPECT_FALSE(parse_located_json("{} {}", "f"));
  EXPECT_FALSE(parse_located_json(std::string("\"\xff\xfe\""), "f"));
}

TEST(IsNestedTooDeep, CountsBracketsOutsideOfStrings) {
  EXPECT_FALSE(is_nested_too_deep(""));
  EXPECT_FALSE(is_nested_too_deep(std::string(256, '[') + std::string(256, ']')));
  EXPECT_TRUE(is_nested_too_deep(std::string(257, '[') + std::string(257, ']')));
  std::string alternating;
  for (int i = 0; i < 200; ++i) alternating += R"({"a":[)";
  EXPECT_TRUE(is_nested_too_deep(alternating));
  EXPECT_FALSE(is_nested_too_deep("[\"" + std::string(1000, '[') + "\"]"));
  EXPECT_FALSE(is_nested_too_deep(R"(["\")" + std::string(1000, '{') + "\"]"));
  EXPECT_TRUE(is_nested_too_deep(R"(["\\",)" + std::string(1000, '{')));
  std::string wide = "[";
  for (int i = 0; i < 1000; ++i) wide += "[],{},";
  EXPECT_FALSE(is_nested_too_deep(wide));
}

}  // namespace
}  // namespace espalier
