#include "site/inert_svg.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

std::string inert(const std::string& inside, const std::string& attributes = "width=\"7\"") {
  return inert_svg("<svg xmlns=\"http://www.w3.org/2000/svg\" " + attributes + ">" + inside + "</svg>",
                   "class=\"still\"", "p-");
}

TEST(InertSvg, KeepsShapesTextAndTheirLooks) {
  const std::string parts =
      "<g fill=\"none\" transform=\"translate(1,2)\"><path d=\"M0,0h1\" stroke=\"var(--c1)\" "
      "stroke-width=\"2\"/>"
      "<text font-size=\"12px\" fill=\"#fff\">a &lt; b &amp; c 语言<tspan dy=\"14\">d</tspan></text></g>";
  EXPECT_EQ(inert(parts), "<svg class=\"still\" width=\"7\">" + parts + "</svg>");
}

TEST(InertSvg, LeavesOutWhatPagesHaveAUseOfTheirOwnFor) {
  EXPECT_EQ(inert("<g class=\"skip\" role=\"button\" aria-label=\"x\" tabindex=\"0\" style=\"top:0\" "
                  "onload=\"alert(1)\" data-site=\"1\"><rect width=\"1\"/></g>"),
            "<svg class=\"still\" width=\"7\"><g><rect width=\"1\"/></g></svg>");
  EXPECT_EQ(inert("<a xlink:href=\"javascript:alert(1)\" href=\"https://e/\"><path d=\"M0\"/></a>"),
            "<svg class=\"still\" width=\"7\"><path d=\"M0\"/></svg>");
  EXPECT_EQ(inert("<text>\u202eturned\x1b</text>").find("\u202e"), std::string::npos);
}

TEST(InertSvg, LeavesOutWhatIsSoAnyway) {
  EXPECT_EQ(inert("<g transform=\"translate(0,0)\"><line x2=\"0\" y2=\"5\" opacity=\"1\"/>"
                  "<text font-family=\"inherit\">a</text></g>"),
            "<svg class=\"still\" width=\"7\"><g><line y2=\"5\"/><text>a</text></g></svg>");
  const std::string said =
      "<linearGradient x2=\"0\"/><g opacity=\"0.5\" transform=\"translate(0,1)\"><text>a<tspan "
      "x=\"0\">b</tspan>"
      "</text></g>";
  EXPECT_EQ(inert(said), "<svg class=\"still\" width=\"7\">" + said + "</svg>");
}

TEST(InertSvg, NamesInsideAreItsOwn) {
  EXPECT_EQ(inert("<defs><clipPath id=\"clip1\"><rect/></clipPath></defs><g clip-path=\"url(#clip1)\"/>"),
            "<svg class=\"still\" width=\"7\"><defs><clipPath id=\"p-clip1\"><rect/></clipPath></defs>"
            "<g clip-path=\"url(#p-clip1)\"/></svg>");
}

TEST(InertSvg, RefusesWhatActsOrComesFromElsewhere) {
  for (const char* active : {"<script>alert(1)</script>",
                             "<image href=\"https://e/\"/>",
                             "<foreignObject/>",
                             "<use href=\"#a\"/>",
                             "<style>*{}</style>",
                             "<animate/>",
                             "<set/>",
                             "<svg:script/>",
                             "<iframe/>",
                             "<!--x-->",
                             "<![CDATA[x]]>",
                             "<?x?>",
                             "<path fill=\"url(https://e/#a)\"/>",
                             "<path fill=\"URL(//e)\"/>",
                             "<path fill=\"url(#a) url(//e)\"/>",
                             "<path fill=\"u\\72l(//e)\"/>",
                             "<path fill=\"image-set('//e')\"/>",
                             "<path fill=\"a<b\"/>",
                             "<path fill='x'/>",
                             "<path d=\"M0\"",
                             "<path",
                             "<g>",
                             "</g>",
                             "</svg><svg>",
                             "<PATH/>"})
    EXPECT_EQ(inert(active), "") << active;
  EXPECT_EQ(inert_svg("", "", ""), "");
  EXPECT_EQ(inert_svg("<g></g>", "", ""), "");
  EXPECT_EQ(inert_svg("<svg width=\"1\"><g>", "", ""), "");
}

}  // namespace
}  // namespace lectern
