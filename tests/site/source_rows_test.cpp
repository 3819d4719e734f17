#include "site/source_rows.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(SourceRows, LeavePlacesOfNeighbours) {
  std::string body =
      "<div class=\"block near\">\n<div class=\"row shown\" id=\"s0-2\"><p>a</p></div>\n"
      "<div class=\"row code raw\" id=\"s0-2r\"><pre>text(\"&lt;/script>\")</pre></div>\n"
      "<div class=\"row code raw hide\" id=\"s0-3\"><div>b</div></div>\n"
      "<div class=\"row code\" id=\"s0-4\">c</div>\n</div>\n"
      "<div class=\"block raw\">\n<div class=\"row code raw\">d</div>\n</div>\n";
  const std::string script = take_source_rows(body);
  EXPECT_EQ(body,
            "<div class=\"block near\">\n<div class=\"row shown\" id=\"s0-2\"><p>a</p></div>\n"
            "<template></template>\n<div class=\"row code\" id=\"s0-4\">c</div>\n</div>\n"
            "<template></template>\n");
  EXPECT_TRUE(script.starts_with("lecternSource(["));
  EXPECT_EQ(script.find('<'), script.npos);
  EXPECT_NE(script.find("s0-3\\\""), script.npos);
}

TEST(SourceRows, WithoutAnyThereIsNoScript) {
  std::string body = "<div class=\"block\"><div class=\"row code\">a</div></div>";
  const std::string before = body;
  EXPECT_EQ(take_source_rows(body), "");
  EXPECT_EQ(body, before);
}

}  // namespace
}  // namespace lectern
