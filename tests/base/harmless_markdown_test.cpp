#include "base/harmless_markdown.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

std::string harmless(std::string_view markdown) {
  return harmless_markdown(markdown, [](const std::string& address) { return address == "a.png"; });
}

TEST(HarmlessMarkdown, LeavesAloneWhatIsHarmless) {
  for (const char* const same :
       {"[a](https://e.org/?a&b=c) *b*", "[a](b.pdf#page=2)", "![i](a.png)", "[a](#top \"title\")",
        "`[a](javascript:b)`", "```\n![a](http://e.org)\n```", "a\\[b](c)", "wow![1]", "$x[i](j)$",
        "[a]: https://e.org\n[a]", "[a](mailto:a@e.org)", "a [b", "](", ""})
    EXPECT_EQ(harmless(same), same);
}

TEST(HarmlessMarkdown, UnsafeLinksLeadNowhere) {
  EXPECT_EQ(harmless("[a](javascript:alert(1)) b"), "[a](#) b");
  EXPECT_EQ(harmless("[`c` *d*](JavaScript:b)"), "[`c` *d*](#)");
  EXPECT_EQ(harmless("[a]( \n javascript:b \"t\")"), "[a]( \n # \"t\")");
  EXPECT_EQ(harmless("[a](<javascript:b>)"), "[a](#)");
  EXPECT_EQ(harmless("[a](&#106;avascript:b)"), "[a](#)");
  EXPECT_EQ(harmless("[a](javascript&colon;b)"), "[a](#)");
  EXPECT_EQ(harmless("[a][b]\n\n[b]: javascript:c\n"), "[a][b]\n\n[b]: #\n");
  EXPECT_EQ(harmless("[a](//e.org/b)"), "[a](#)");
}

TEST(HarmlessMarkdown, ImagesFromElsewhereAreLinks) {
  EXPECT_EQ(harmless("![i](https://e.org/i.png)"), "[i](https://e.org/i.png)");
  EXPECT_EQ(harmless("![i](data:image/png;base64,AA)"), "[i](#)");
  EXPECT_EQ(harmless("[![i](https://e.org/i.png)](b.html)"), "[[i](https://e.org/i.png)](b.html)");
  EXPECT_EQ(harmless("![i][j]\n\n[j]: https://e.org/i.png"), "[i][j]\n\n[j]: https://e.org/i.png");
  EXPECT_EQ(harmless("\\![i](https://e.org)"), "\\![i](https://e.org)") << "a mark before a link";
}

}  // namespace
}  // namespace lectern
