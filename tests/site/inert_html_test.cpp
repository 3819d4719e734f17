#include "site/inert_html.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(InertHtml, SeesWhatActs) {
  using test::active_parts;
  EXPECT_TRUE(active_parts("<p class=\"x\">a &lt;script&gt;</p>").empty());
  for (const char* html : {"<script>", "<p onclick=\"x\">", "<img src=x>", "<a href=\"javascript:x\">",
                           "<a href=\"//x\">", "<p", "<iframe src=\"x\">", "<style>"}) {
    EXPECT_FALSE(active_parts(html).empty()) << html;
  }
}

}  // namespace
}  // namespace lectern
