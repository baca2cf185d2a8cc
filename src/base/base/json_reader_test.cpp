#include "base/json_reader.hpp"

#include <gtest/gtest.h>

namespace espalier {
namespace {

/// {"format": "pond-1", "depth": "3 ms", "flow": "1 Mbit/s", "fish": 3, "names": ["a"]}
struct Pond : JsonReader {
  explicit Pond(const std::string& file) : JsonReader(file, "pond-1", "see the pond's page") {}
  void read(const LocatedJson& json) const {
    expect_kind(json, Kind::Object, "the pond");
    check_format(json);
    refuse_unknown(json, {"format", "depth", "flow", "fish", "names"});
    EXPECT_EQ(time(member(json, "depth"), "\"depth\"").picoseconds, 3'000'000'000);
    if (const LocatedJson* flow = json.find("flow")) {
      EXPECT_EQ(bandwidth(*flow, "\"flow\"").bits_per_second, 1'000'000U);
    }
    if (const LocatedJson* fish = json.find("fish")) number(*fish, "\"fish\"", 9);
    if (const LocatedJson* names = json.find("names")) {
      for (const LocatedJson& name : array(*names, "\"names\"").items) text(name, "a name");
    }
  }
};

/// "" if it is taken; else the error without its hint.
std::string refusal(const std::string& text) {
  const auto json = parse_located_json(text, "f");
  try {
    Pond("f").read(*json);
  } catch (const JsonReader::Refused& refused) {
    EXPECT_FALSE(refused.error.hint.empty()) << text;
    return refused.error.where + ": " + refused.error.what;
  }
  return "";
}

TEST(JsonReader, SaysWhereAndWhatIsWrong) {
  const std::string begin = "{\"format\": \"pond-1\",\n \"depth\": \"3 ms\"";
  EXPECT_EQ(refusal(begin + ", \"flow\": \"1 Mbit/s\", \"fish\": 9, \"names\": [\"a\"]}"), "");
  EXPECT_EQ(refusal("[]"), "f:1: the pond is an array, not an object");
  EXPECT_EQ(refusal("{}"), "f:1: no \"format\"");
  EXPECT_EQ(refusal("{\"format\": \"lake-1\"}"), "f:1: the format is \"lake-1\", not \"pond-1\"");
  EXPECT_EQ(refusal("{\"format\": \"pond-1\"}"), "f:1: no \"depth\"");
  EXPECT_EQ(refusal(begin + ", \"fis\": 1}"), "f:2: unknown key \"fis\"");
  EXPECT_EQ(refusal(begin + ", \"fish\": -1}"), "f:2: \"fish\" is -1, not a whole number up to 9");
  EXPECT_EQ(refusal(begin + ", \"fish\": 10}"), "f:2: \"fish\" is 10, not a whole number up to 9");
  EXPECT_EQ(refusal(begin + ",\n\"names\": [2]}"), "f:3: a name is a number, not a string");
  EXPECT_EQ(refusal(begin + ", \"flow\": 5}"), "f:2: \"flow\" is 5, a number without a unit");
}

TEST(JsonReader, SaysWhoReadsAnotherFormatOfOurs) {
  const auto hint = [](const std::string& format) {
    try {
      Pond("f").read(*parse_located_json("{\"format\": \"" + format + "\"}", "f"));
    } catch (const JsonReader::Refused& refused) {
      return refused.error.hint;
    }
    return std::string();
  };
  EXPECT_EQ(hint("espalier-inventory-1"), "it is an inventory, for espalier place --inventory");
  EXPECT_EQ(hint("pond-2"),
            "is this of another version? espalier --version says which this one is");
  EXPECT_EQ(hint("lake-1"), "is this another kind of file, or of a newer version?");
}

}  // namespace
}  // namespace espalier
