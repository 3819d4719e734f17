#include "site/highlight.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

namespace lectern {
namespace {

constexpr std::array names{"keyword", "type",         "function", "number",  "string",
                           "comment", "preprocessor", "constant", "operator"};

std::string class_of(const std::string& source, std::string_view part, std::string_view language = "cpp") {
  const std::size_t at = source.find(part);
  for (const Highlight& h : highlight(source, language)) {
    if (h.begin <= at && at + part.size() <= h.end) return names[static_cast<std::size_t>(h.kind)];
  }
  return "plain";
}

const std::string kSample = R"(#include <vector>
// a comment
template <typename T> constexpr T twice(const T& value) { return 2 * value; }
namespace n { class Box { int size_ = 0; }; }
const char* text = "text"; const char* raw = R"x(raw)x"; bool none = nullptr == text;
static constexpr int LIMIT = LARGEST;
)";

TEST(Highlight, ClassesOfCpp) {
  EXPECT_EQ(class_of(kSample, "#include"), "preprocessor");
  EXPECT_EQ(class_of(kSample, "<vector>"), "string");
  EXPECT_EQ(class_of(kSample, "// a comment"), "comment");
  EXPECT_EQ(class_of(kSample, "template"), "keyword");
  EXPECT_EQ(class_of(kSample, "constexpr"), "keyword");
  EXPECT_EQ(class_of(kSample, "namespace"), "keyword");
  EXPECT_EQ(class_of(kSample, "twice"), "function");
  EXPECT_EQ(class_of(kSample, "return"), "keyword");
  EXPECT_EQ(class_of(kSample, "Box"), "type");
  EXPECT_EQ(class_of(kSample, "\"text\""), "string");
  EXPECT_EQ(class_of(kSample, "(raw)"), "string");
  EXPECT_EQ(class_of(kSample, "nullptr"), "constant");
  EXPECT_EQ(class_of(kSample, "LARGEST"), "constant");
  EXPECT_EQ(class_of(kSample, "2"), "number");
  EXPECT_EQ(class_of(kSample, "size_"), "plain");
}

TEST(Highlight, RangesAreSortedAndDoNotOverlap) {
  std::uint32_t end = 0;
  for (const Highlight& h : highlight(kSample + "\xff broken ( {", "cpp")) {
    EXPECT_LE(end, h.begin);
    EXPECT_LT(h.begin, h.end);
    end = h.end;
  }
  EXPECT_GT(end, 0U);
}

TEST(Highlight, ClassesOfPython) {
  const std::string source =
      "from torch import nn  # names\n"
      "@torch.no_grad()\n"
      "def half(x: int, *, LIMIT=None):  # half\n"
      "    if x not in seen and x is True:\n"
      "        return \"a # b\" + f'{x}' + 0x2F / print(x).item()\n"
      "class Box(nn.Module):\n"
      "    \"\"\"Keeps\n    things.\"\"\"\n"
      "    match = Box()\n";
  const auto python = [&](std::string_view part) { return class_of(source, part, "python"); };
  EXPECT_EQ(python("from"), "keyword");
  EXPECT_EQ(python("# names"), "comment");
  EXPECT_EQ(python("def"), "keyword");
  EXPECT_EQ(python("half"), "function");
  EXPECT_EQ(python("int"), "type");
  EXPECT_EQ(python("LIMIT"), "constant");
  EXPECT_EQ(python("None"), "constant");
  EXPECT_EQ(python("# half"), "comment");
  EXPECT_EQ(python("not in"), "keyword");
  EXPECT_EQ(python("and"), "keyword");
  EXPECT_EQ(python("True"), "constant");
  EXPECT_EQ(python("\"a # b\""), "string");
  EXPECT_EQ(python("0x2F"), "number");
  EXPECT_EQ(python("print"), "function");
  EXPECT_EQ(python("item"), "function");
  EXPECT_EQ(python("Box"), "type");
  EXPECT_EQ(python("Keeps\n    things"), "string");
  EXPECT_EQ(python("x: int"), "plain");
}

TEST(Highlight, PythonThatDoesNotParseIsHighlightedAsFarAsItDoes) {
  const std::string broken = "def f(:\n  return (\n# here\nx = 'a\n";
  EXPECT_EQ(class_of(broken, "def", "python"), "keyword");
  EXPECT_EQ(class_of(broken, "# here", "python"), "comment");
}

TEST(Highlight, UnknownLanguagesArePlain) {
  for (const char* const language : {"", "rust", "text"}) {
    EXPECT_TRUE(highlight("int x = 1;  // one\ndef f(): return \"a\"", language).empty()) << language;
  }
}

}  // namespace
}  // namespace lectern
