#include "base/located_xml.hpp"

#include <gtest/gtest.h>

namespace espalier {
namespace {

TEST(LocatedXml, KnowsTheLineOfEveryElement) {
  const auto xml =
      LocatedXml::parse("<?xml version='1.0'?>\n<a>\n <b\n  x='1'/><c/>\n</a>", "f.xml");
  ASSERT_TRUE(xml) << xml.error();
  EXPECT_EQ(xml->where(xml->root()), "f.xml:2");
  EXPECT_EQ(xml->where(xml->root().child("b")), "f.xml:3");
  EXPECT_EQ(xml->where(xml->root().child("c")), "f.xml:4");
}

TEST(LocatedXml, StillKnowsTheLinesAfterEntitiesAndCarriageReturns) {
  const auto xml = LocatedXml::parse("<a t='&amp;&lt;&#65;'>\r\n &gt;\r\n<b/></a>", "f.xml");
  ASSERT_TRUE(xml) << xml.error();
  EXPECT_EQ(xml->where(xml->root().child("b")), "f.xml:3");
}

TEST(LocatedXml, NamesTheLineOfASyntaxError) {
  const auto xml = LocatedXml::parse("<a>\n<b>\n</a>\n", "f.xml");
  ASSERT_FALSE(xml);
  EXPECT_EQ(xml.error().where, "f.xml:3");
}

TEST(LocatedXml, RefusesTextWithoutAnElement) {
  for (const char* text : {"", " \n", "plain", "<!-- only a comment -->", "<", "<?xml?>"}) {
    EXPECT_FALSE(LocatedXml::parse(text, "f.xml")) << text;
  }
}

}  // namespace
}  // namespace espalier
