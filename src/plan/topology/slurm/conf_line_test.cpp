#include "topology/slurm/conf_line.hpp"

#include <gtest/gtest.h>

namespace espalier::topology::slurm {
namespace {

/// "key=value@line ..." of one line, lines joined by " | ".
std::string read(const std::string& text) {
  const auto lines = read_conf_lines(text, "f");
  if (!lines) return to_string(lines.error());
  std::string out;
  for (const ConfLine& line : *lines) {
    if (!out.empty()) out += " | ";
    for (const ConfPair& pair : line) {
      out += "<" + pair.key + "=" + pair.value + "@" + std::to_string(pair.line) + ">";
    }
  }
  return out;
}

TEST(ConfLines, ReadsPairsWithoutRegardToTheCaseOfKeys) {
  EXPECT_EQ(read("SwitchName=S0 NODES=a[0-1]\n\n nodes = b\n"),
            "<switchname=S0@1><nodes=a[0-1]@1> | <nodes=b@3>");
}

TEST(ConfLines, JoinsContinuedLinesAndKnowsWhereEachPairStands) {
  EXPECT_EQ(read("a=1 \\\n b=2\\\n,3 \\ \nc=4\nd=5"), "<a=1@1><b=2,3@2><c=4@4> | <d=5@5>");
  EXPECT_EQ(read("a=1 \\"), "<a=1@1>");
}

TEST(ConfLines, EndsALineAtAnUnguardedNumberSign) {
  EXPECT_EQ(read("# all\na=1#b=2\nc=x\\#y # z\nd=\\\\# e"), "<a=1@2> | <c=x#y@3> | <d=\\@4>");
}

TEST(ConfLines, ReadsQuotedValuesAndCarriageReturns) {
  EXPECT_EQ(read("a=\"x y\" b=2\r\nc=3\r\n"), "<a=x y@1><b=2@1> | <c=3@2>");
}

TEST(ConfLines, RefusesWhatIsNotKeyAndValue) {
  for (const char* text : {"word", "=1", "a=", "a= ", "a=\"x", "a=\"\"", "a=\"x\"y", "a+=1",
                           "a b=1", "a-b=1", "Include other.conf", "a=1 b"}) {
    const auto lines = read_conf_lines(std::string("ok=1\n") + text, "f");
    ASSERT_FALSE(lines) << text;
    EXPECT_EQ(lines.error().where, "f:2") << lines.error();
  }
}

}  // namespace
}  // namespace espalier::topology::slurm
