#include "site/writing.h"

#include <gtest/gtest.h>

#include "site/trace_builder.h"

namespace lectern {
namespace {

TEST(Writing, FollowsTheScriptsOfAText) {
  EXPECT_EQ(writing_attributes("<p>plain, naïve, ψυχή, мир, 1 → 2</p>"), "");
  EXPECT_EQ(writing_attributes("这是一个张量。"), " lang=\"zh\"");
  EXPECT_EQ(writing_attributes("漢字とかな"), " lang=\"ja\"");
  EXPECT_EQ(writing_attributes("텐서의 모양 (形)"), " lang=\"ko\"");
  EXPECT_EQ(writing_attributes("שלום world"), " lang=\"he\" dir=\"auto\"");
  EXPECT_EQ(writing_attributes("The word مرحبا"), " dir=\"auto\"")
      << "which language, Arabic letters do not tell";
  EXPECT_EQ(writing_attributes("\xFF\xD7"), "") << "what is not UTF-8 is passed over";
}

TEST(Writing, ProseHasItsAttributes) {
  test::TraceBuilder builder("text(\"t\");\n");
  builder.hook("text(\"t\");", R"([{"kind":"text","markdown":"- مرحبا\n- بالعالم"}])");
  const test::Page page(builder.trace);
  EXPECT_NE(page.body.find("<div class=\"prose\" dir=\"auto\"><ul>"), std::string::npos) << page.body;
}

}  // namespace
}  // namespace lectern
