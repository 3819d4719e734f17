#include "lecture/dedent.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

TEST(Dedent, TakesOffTheCommonIndentation) {
  EXPECT_EQ(dedented(R"(
      The mean is
      $$\frac{1}{n} \sum_i x_i$$
  )"),
            "The mean is\n$$\\frac{1}{n} \\sum_i x_i$$");
  EXPECT_EQ(dedented("\n  one line\n"), "one line");
  EXPECT_EQ(dedented("  \t\n    a\n  b"), "  a\nb") << "a first line of blanks is blank";
}

TEST(Dedent, KeepsRelativeIndentation) {
  EXPECT_EQ(dedented(R"(
    - a list
      - within it

    ```cpp
    if (x) {
      y();
    }
    ```

        indented code
    )"),
            "- a list\n  - within it\n\n```cpp\nif (x) {\n  y();\n}\n```\n\n    indented code");
}

TEST(Dedent, LeavesOtherTextsAsTheyAre) {
  for (const char* text : {"", "one line", "  one line  ", "    code\n    code", "1. a\n   - b\n   - c",
                           "first\n\n    code\n", "text\n", " ", "\t"}) {
    EXPECT_EQ(dedented(text), text);
  }
}

TEST(Dedent, BlankLinesHaveNoIndentation) {
  EXPECT_EQ(dedented("\n    a\n\n  \n    b\n\n  \n"), "a\n\n\nb");
  EXPECT_EQ(dedented("\n\n  a"), "\na") << "only the line of the opening goes";
  EXPECT_EQ(dedented("\n"), "");
  EXPECT_EQ(dedented("\n  \n\t\n"), "");
}

TEST(Dedent, ATabIsNotSpaces) {
  EXPECT_EQ(dedented("\n\ta\n\t\tb"), "a\n\tb");
  EXPECT_EQ(dedented("\n\t  a\n\t b"), " a\nb");
  EXPECT_EQ(dedented("\n\ta\n    b"), "\ta\n    b") << "nothing in common";
  EXPECT_EQ(dedented("\n  \ta\n  b"), "\ta\nb");
}

TEST(Dedent, LinesMayEndAsOnWindows) {
  EXPECT_EQ(dedented("\r\n  a\r\n\r\n  b\r\n  "), "a\n\nb");
}

TEST(Dedent, CountsNoOtherBlanks) {
  EXPECT_EQ(dedented("\n\u00A0a\n\u00A0b"), "\u00A0a\n\u00A0b") << "a no-break space is text";
}

}  // namespace
}  // namespace lectern
