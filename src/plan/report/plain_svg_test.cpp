#include "report/plain_svg.hpp"

#include <gtest/gtest.h>

#include "report/plot.hpp"
#include "report/svg.hpp"

namespace espalier::report {
namespace {

std::string with(const std::string& inside) {
  std::string drawing = Svg(10, 10).finish();
  drawing.insert(drawing.rfind("</svg>"), inside);
  return drawing;
}

TEST(PlainSvg, TakesWhatWeDraw) {
  Svg svg(100, 50);
  svg.rect(1, 2, 3, 4, {.colour = "#112233", .edge = "#000000", .radius = 2, .opacity = 0.5},
           "<a>");
  svg.line(1, 2, 3, 4, {.dash = "4 3"});
  svg.path("M0 0L1 1", {});
  svg.circle(1, 2, 3, {});
  svg.text(1, 2, "a < b & \"c\"", {.bold = true, .anchor = Anchor::End, .turned = -90});
  const std::string drawing = std::move(svg).finish();
  EXPECT_TRUE(is_plain_svg(drawing)) << drawing;
  EXPECT_TRUE(is_plain_svg(stack_svg({drawing, drawing})));
  LineChart chart{"t", {}, {}, {{"s", {{1, 1}, {2, 2}}, true}}, 300, 200};
  EXPECT_TRUE(is_plain_svg(line_chart(chart)));
}

TEST(PlainSvg, RefusesWhatRunsOrLoads) {
  ASSERT_TRUE(is_plain_svg(with("")));
  for (const char* inside :
       {"<script>1</script>", "<rect onload=\"x\"/>", "<rect\nonload=\"x\"/>",
        "<rect/onload=\"x\"/>", "<a href=\"x\"><rect/></a>", "<image href=\"http://x/\"/>",
        "<style>*{}</style>", "<rect fill=\"url(http://x/)\"/>", "<rect style=\"x\"/>",
        "<foreignObject></foreignObject>", "<rect fill='x' onload='y'/>", "<rect fill=\"",
        "<!-- x -->", "<", "a > b", "<rect fill=\"<script>\"/>", "</script>", "<RECT/>"}) {
    EXPECT_FALSE(is_plain_svg(with(inside))) << inside;
  }
  EXPECT_FALSE(is_plain_svg(""));
  EXPECT_FALSE(is_plain_svg("<html></html>"));
}

}  // namespace
}  // namespace espalier::report
