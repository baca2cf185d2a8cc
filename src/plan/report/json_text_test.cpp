#include "report/json_text.hpp"

#include <gtest/gtest.h>

#include "base/contract.hpp"
#include "base/json.hpp"

namespace espalier::report {
namespace {

TEST(JsonText, GivesEachElementOfAnArrayOfObjectsALine) {
  EXPECT_EQ(json_text({{"b", 1}, {"a", Json::array({Json{{"x", 1}}, Json{{"x", 2}}})}}),
            "{\n  \"b\": 1,\n  \"a\": [\n    {\"x\":1},\n    {\"x\":2}\n  ]\n}\n");
}

TEST(JsonText, KeepsArraysOfNumbersOnOneLine) {
  EXPECT_EQ(json_text({{"a", {1, 2}}}), "{\n  \"a\": [1,2]\n}\n");
}

TEST(JsonText, ReplacesWhatIsNotUtf8) {
  const std::string text = json_text({{"name", "\xff"}});
  EXPECT_EQ(Json::parse(text)["name"], "\uFFFD");
}

TEST(JsonText, RefusesWhatIsNoObject) {
  EXPECT_THROW((void)json_text(Json::array()), ContractViolation);
}

}  // namespace
}  // namespace espalier::report
