#include "edtrace/python_outline.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

const std::vector<std::string> lines{
    "import os  # names",            // 1
    "@cache",                        // 2
    "@wraps(",                       // 3
    "    f)",                        // 4
    "async def outer(a,",            // 5
    "                b):",           // 6
    "    \"\"\"Says",                // 7
    "what it does.\"\"\"",           // 8
    "    def inner():",              // 9
    "        return [1,",            // 10
    "  2]  # not the end of inner",  // 11
    "# nor this",                    // 12
    "    x = 1 + \\",                // 13
    "        2; y = 3",              // 14
    "    while x: break",            // 15
    "",                              // 16
    "if __name__ == '__main__':",    // 17
    "    outer()",                   // 18
};

std::string joined(const std::vector<std::string>& source_lines) {
  std::string source;
  for (const std::string& line : source_lines) source += line + "\n";
  return source;
}

std::string span_at(const PythonOutline& outline, int line) {
  const TextSpan* const span = outline.statement_at(line);
  if (span == nullptr) return "none";
  return std::to_string(span->line) + ":" + std::to_string(span->column) + "-" +
         std::to_string(span->end_line) + ":" + std::to_string(span->end_column);
}

TEST(PythonOutline, StatementsOverSeveralLines) {
  const PythonOutline outline(joined(lines));
  EXPECT_EQ(span_at(outline, 1), "1:1-1:10");
  EXPECT_EQ(span_at(outline, 5), "5:1-6:20");
  EXPECT_EQ(span_at(outline, 6), "none");
  EXPECT_EQ(span_at(outline, 7), "7:5-8:17");
  EXPECT_EQ(span_at(outline, 10), "10:9-11:5");
  EXPECT_EQ(span_at(outline, 13), "13:5-14:17");
  EXPECT_EQ(span_at(outline, 12), "none");
  EXPECT_EQ(span_at(outline, 99), "none");
}

TEST(PythonOutline, FunctionsWithDecoratorsAndBody) {
  const PythonOutline outline(joined(lines));
  ASSERT_EQ(outline.functions.size(), 2U);
  EXPECT_EQ(outline.functions[0].name, "outer");
  EXPECT_EQ(outline.functions[0].span.line, 2);
  EXPECT_EQ(outline.functions[0].span.end_line, 15);
  EXPECT_EQ(outline.functions[1].name, "inner");
  EXPECT_EQ(outline.functions[1].span.end_line, 11);
}

TEST(PythonOutline, BracketsThatStandTogether) {
  const PythonOutline outline(joined({"x = f([[1, 2],", "       [3, 4]])", "y = x"}));
  EXPECT_EQ(span_at(outline, 1), "1:1-2:16");
  EXPECT_EQ(span_at(outline, 2), "none");
  EXPECT_EQ(span_at(outline, 3), "3:1-3:6");
}

TEST(PythonOutline, WhatIsNoPythonHasAnOutlineToo) {
  EXPECT_TRUE(PythonOutline("").functions.empty());
  const PythonOutline broken(joined({"def", ")))]", "def f(:", "  '''never closed", "def g(): pass"}));
  EXPECT_EQ(broken.functions.at(0).name, "");
}

}  // namespace
}  // namespace lectern
