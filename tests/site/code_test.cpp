#include "site/code.h"

#include <gtest/gtest.h>

#include "base/html.h"
#include "has.h"

namespace lectern {
namespace {

using test::has;

/// What a reader sees of a line: without its directives.
std::string visible(std::string html) {
  for (;;) {
    const std::size_t begin = html.find("<span class=\"directive\">");
    if (begin == std::string::npos) return html_to_text(html);
    std::size_t end = begin, depth = 0;
    do {
      const std::size_t open = html.find("<span", end), close = html.find("</span>", end);
      depth += open < close ? 1 : static_cast<std::size_t>(-1);
      end = open < close ? open + 5 : close + 7;
    } while (depth > 0);
    html.erase(begin, end - begin);
  }
}

TEST(Code, IsTheSourceWithHighlights) {
  const std::vector<std::string> lines = {"#include <map>", "int main() {", "\treturn 1 < 2;  // a & b", "}"};
  const std::vector<CodeLine> code = code_lines(lines, "cpp");
  ASSERT_EQ(code.size(), lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(html_to_text(code[i].html), lines[i]);
  EXPECT_NE(code[2].html.find("<span class=\"k\">return</span>"), std::string::npos);
  EXPECT_NE(code[2].html.find("<span class=\"cm\">// a &amp; b</span>"), std::string::npos);
}

TEST(Code, HighlightsOverSeveralLinesAreSplit) {
  const std::vector<CodeLine> code = code_lines({"/* one", "   two */ int x;"}, "cpp");
  EXPECT_EQ(code[0].html, "<span class=\"cm\">/* one</span>");
  EXPECT_TRUE(code[1].html.starts_with("<span class=\"cm\">   two */</span>")) << code[1].html;
}

TEST(Code, DirectivesAreSeenInRawViewOnly) {
  const std::vector<std::string> lines = {
      "int x = 1;  // @inspect x",
      "int y = 2;  // the second  @inspect y",
      "// @stepover",
      "int z = 3;  /* @inspect z */",
      "// mail me@example.org",
      "",
      "int w = 4;  // @inspect w, @clear x",
  };
  const std::vector<CodeLine> code = code_lines(lines, "cpp");
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(html_to_text(code[i].html), lines[i]);
  EXPECT_EQ(visible(code[0].html), "int x = 1;");
  EXPECT_EQ(visible(code[1].html), "int y = 2;  // the second");
  EXPECT_EQ(visible(code[2].html), "");
  EXPECT_TRUE(code[2].hidden);
  EXPECT_EQ(visible(code[3].html), "int z = 3;");
  EXPECT_EQ(visible(code[4].html), lines[4]);
  EXPECT_TRUE(code[5].blank);
  EXPECT_FALSE(code[5].hidden);
  EXPECT_EQ(visible(code[6].html), "int w = 4;");
}

TEST(Code, CommentsAreBlankInTheCode) {
  const std::vector<CodeLine> code = code_lines({"int x;  // \u00E4", "/* a", "b */ y(\"//\");"}, "cpp");
  EXPECT_EQ(code[0].code, "int x;       ");
  EXPECT_EQ(code[1].code, "    ");
  EXPECT_EQ(code[2].code, "     y(\"//\");");
}

TEST(Code, HyphensAreNoPlaceForABreak) {
  const std::vector<std::string> lines = {"it->second = a - b;  // byte-pair", "f(\"byte-pair\", --i, x-"};
  const std::vector<CodeLine> code = code_lines(lines, "cpp");
  EXPECT_TRUE(has(code[0].html, "it<span class=\"h\">-</span>&gt;second = a - b;")) << code[0].html;
  EXPECT_TRUE(has(code[0].html, "// byte-pair</span>"));
  EXPECT_TRUE(has(code[1].html, "byte-pair&quot;</span>"));
  EXPECT_TRUE(has(code[1].html, "<span class=\"h\">-</span><span class=\"h\">-</span>i, x-"));
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(html_to_text(code[i].html), lines[i]);
}

TEST(Code, LongWordsHaveSeams) {
  const auto seams = [](const std::string& line) {
    std::string html = code_lines({line}, "cpp")[0].html;
    for (std::size_t at = html.find("<wbr>"); at != std::string::npos; at = html.find("<wbr>", at))
      html.replace(at, 5, "|");
    return html_to_text(html);
  };
  EXPECT_EQ(seams("x = a->b.c(std::move(d));"), "x = a->b.c(std::move(d));") << "fits into a row";
  EXPECT_EQ(seams("x = first->second.third(std::move(fourth),1.5,.5)->f();"),
            "x = first|->second|.third(|std::|move(|fourth),|1.5,|.5)|->f();");
}

TEST(Code, HostileTextIsEscapedAndEndsNowhere) {
  for (const char* language : {"cpp", "python", "no-such-language", ""}) {
    const std::string line = "auto s = \"</code><script>alert(1)</script>\"; /* <!-- ";
    const std::vector<CodeLine> code = code_lines({line, "\xE4\xBD broken"}, language);
    EXPECT_EQ(code[0].html.find("<script"), std::string::npos);
    EXPECT_EQ(html_to_text(code[0].html), line) << language;
  }
}

TEST(Code, PiecesKeepTheirText) {
  EXPECT_EQ(html_to_text(highlighted("int x;\nif (a < b) {}\n", "cpp")), "int x;\nif (a < b) {}\n");
  EXPECT_EQ(highlighted("a < b", ""), "a &lt; b");
}

}  // namespace
}  // namespace lectern
