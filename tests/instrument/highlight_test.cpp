#include "instrument/highlight.h"

#include <string>

#include <gtest/gtest.h>

namespace lectern {
namespace {

std::string class_of(const std::string& source, std::string_view part, std::string_view language = "cpp") {
  const std::size_t at = source.find(part);
  for (const Highlight& h : highlight(source, language)) {
    if (h.begin <= at && at + part.size() <= h.end) return std::string(to_string(h.kind));
  }
  return "plain";
}

const std::string example = R"(#include <vector>
// a comment
template <typename T> constexpr T twice(const T& value) { return 2 * value; }
namespace n { class Box { int size_ = 0; }; }
const char* text = "text"; const char* raw = R"x(raw)x"; bool none = nullptr == text;
static constexpr int LIMIT = LARGEST;
)";

TEST(Highlight, ClassesOfCpp) {
  EXPECT_EQ(class_of(example, "#include"), "preprocessor");
  EXPECT_EQ(class_of(example, "<vector>"), "string");
  EXPECT_EQ(class_of(example, "// a comment"), "comment");
  EXPECT_EQ(class_of(example, "template"), "keyword");
  EXPECT_EQ(class_of(example, "constexpr"), "keyword");
  EXPECT_EQ(class_of(example, "namespace"), "keyword");
  EXPECT_EQ(class_of(example, "twice"), "function");
  EXPECT_EQ(class_of(example, "return"), "keyword");
  EXPECT_EQ(class_of(example, "Box"), "type");
  EXPECT_EQ(class_of(example, "\"text\""), "string");
  EXPECT_EQ(class_of(example, "(raw)"), "string");
  EXPECT_EQ(class_of(example, "nullptr"), "constant");
  EXPECT_EQ(class_of(example, "LARGEST"), "constant");
  EXPECT_EQ(class_of(example, "2"), "number");
  EXPECT_EQ(class_of(example, "size_"), "plain");
}

TEST(Highlight, RangesAreSortedAndDoNotOverlap) {
  std::uint32_t end = 0;
  for (const Highlight& h : highlight(example + "\xff broken ( {", "cpp")) {
    EXPECT_LE(end, h.begin);
    EXPECT_LT(h.begin, h.end);
    end = h.end;
  }
  EXPECT_GT(end, 0U);
}

TEST(Highlight, OtherLanguagesAreReadByTokens) {
  const std::string source = "def f(x):  # half\n    return \"a\" + 2";
  EXPECT_EQ(class_of(source, "def", "python"), "keyword");
  EXPECT_EQ(class_of(source, "# half", "python"), "comment");
  EXPECT_EQ(class_of(source, "\"a\"", "python"), "string");
  EXPECT_EQ(class_of(source, "2", "python"), "number");
  EXPECT_EQ(class_of(source, "x", "python"), "plain");
}

}  // namespace
}  // namespace lectern
