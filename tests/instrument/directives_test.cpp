#include "instrument/directives.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

using Kind = Directive::Kind;

/// "inspect[x|y] hide[]": all that was read, in order.
std::string read(std::string_view comment) {
  std::string list;
  for (const Directive& directive : parse_directives(comment, 0).found) {
    constexpr const char* names[] = {"inspect", "clear",    "stepover", "hide",
                                     "full",    "volatile", "tol",      "steps"};
    list += (list.empty() ? "" : " ") + std::string(names[static_cast<int>(directive.kind)]) + "[";
    for (std::size_t i = 0; i < directive.items.size(); ++i)
      list += (i > 0 ? "|" : "") + directive.items[i].text;
    list += "]";
  }
  return list;
}

std::string error(std::string_view comment) {
  const Directives directives = parse_directives(comment, 100);
  return directives.errors.empty()
             ? ""
             : std::to_string(directives.errors[0].offset) + ": " + directives.errors[0].message;
}

TEST(Directives, AListIsSeparatedBySpacesOrCommas) {
  EXPECT_EQ(read("// @inspect x y, z,w"), "inspect[x|y|z|w]");
  EXPECT_EQ(read("// @inspect x, @inspect y"), "inspect[x] inspect[y]");
  EXPECT_EQ(read("// 4x8 of zeros  @inspect x"), "inspect[x]");
}

TEST(Directives, SeveralInOneComment) {
  EXPECT_EQ(read("/* @inspect x @clear y @stepover @hide @full z @volatile v */"),
            "inspect[x] clear[y] stepover[] hide[] full[z] volatile[v]");
  EXPECT_EQ(read("// @volatile @hide because it is dull"), "volatile[] hide[]");
}

TEST(Directives, ExpressionsMayHoldBlanksAndCommasInBrackets) {
  EXPECT_EQ(read("// @inspect f(a, b) m[i, j] model.layers[0].weight w.grad()"),
            "inspect[f(a, b)|m[i, j]|model.layers[0].weight|w.grad()]");
  EXPECT_EQ(read("// @inspect get<0, 1>(t) a<b s[\"a b, c\"] c['x'] *p &q -n std::size(v)"),
            "inspect[get<0, 1>(t)|a<b|s[\"a b, c\"]|c['x']|*p|&q|-n|std::size(v)]");
}

TEST(Directives, BlockCommentsOverLines) {
  EXPECT_EQ(read("/** @inspect a\n *  b\n * @clear c\n */"), "inspect[a|b] clear[c]");
  EXPECT_EQ(read("/* @inspect a\r\n   b */"), "inspect[a|b]");
}

TEST(Directives, CommentsOfPython) {
  EXPECT_EQ(read("# @inspect x, y @stepover"), "inspect[x|y] stepover[]");
}

TEST(Directives, OtherWordsAreProse) {
  EXPECT_EQ(read("/// @param x what it is, mail ada@inspect.org or @someone"), "");
  EXPECT_EQ(error("/// @param x what it is, mail ada@inspect.org or @someone"), "");
  EXPECT_EQ(read("// @inspect x @note y"), "inspect[x]");
}

TEST(Directives, AWordOneEditAwayIsAnErrorThatNamesIt) {
  for (const char* word : {"inspct", "inspectt", "inspekt", "isnpect", "Inspect"}) {
    const std::string message = error("// @" + std::string(word) + " x");
    EXPECT_EQ(message, "103: unknown directive @" + std::string(word) + "; write @inspect, or remove the @");
  }
  EXPECT_NE(error("// @clea x").find("@clear"), std::string::npos);
  EXPECT_NE(error("// @stepovr").find("@stepover"), std::string::npos);
  EXPECT_EQ(error("// @inspection x"), "");
}

TEST(Directives, Tolerances) {
  const Directives directives = parse_directives("// @tol rel=1e-4 abs=0.5 loss, acc", 0);
  ASSERT_EQ(directives.found.size(), 1U);
  EXPECT_EQ(directives.found[0].relative, 1e-4);
  EXPECT_EQ(directives.found[0].absolute, 0.5);
  EXPECT_EQ(directives.found[0].items.size(), 2U);
  for (const char* wrong :
       {"// @tol loss", "// @tol", "// @tol rel= x", "// @tol rel=-1", "// @tol rel=1e-4x",
        "// @tol relative=1", "// @tol rel=nan", "// @tol rel=inf"}) {
    EXPECT_NE(error(wrong), "") << wrong;
    EXPECT_EQ(read(wrong), "") << wrong;
  }
}

TEST(Directives, Steps) {
  const Directives both = parse_directives("// @steps first 3, last 1  @inspect x", 0);
  ASSERT_EQ(both.found.size(), 2U);
  EXPECT_EQ(both.found[0].first, 3);
  EXPECT_EQ(both.found[0].last, 1);
  EXPECT_EQ(both.found[0].span.end, 25U);
  const Directives last = parse_directives("// @steps last 2", 0);
  ASSERT_EQ(last.found.size(), 1U);
  EXPECT_EQ(last.found[0].first, 0);
  EXPECT_EQ(last.found[0].last, 2);
}

TEST(Directives, WrongSteps) {
  const std::string usage = "; write @steps first 3 last 1, or one of both";
  EXPECT_EQ(error("// @stpes first 3"), "103: unknown directive @stpes; write @steps, or remove the @");
  EXPECT_EQ(error("// @steps"), "103: @steps without numbers" + usage);
  EXPECT_EQ(error("// @steps fist 3"), "110: 'fist' after @steps is neither first nor last" + usage);
  EXPECT_EQ(error("// @steps 3"), "110: '3' after @steps is a number of which passes is not said" + usage);
  EXPECT_EQ(error("// @steps first x"), "116: 'x' after first is no number of passes up to 1000000" + usage);
  EXPECT_EQ(error("// @steps first"), "115: '' after first is no number of passes up to 1000000" + usage);
  for (const char* wrong : {"// @steps first -1", "// @steps last 1.5", "// @steps first 99999999999",
                            "// @steps first 1 first 2", "// @steps first 3 or so", "// @steps first 0"})
    EXPECT_NE(error(wrong), "") << wrong;
}

TEST(Directives, HideFileAndNothingElse) {
  EXPECT_EQ(read("// @hide file"), "hide[file]");
  EXPECT_EQ(read("// @hide file @stepover"), "hide[file] stepover[]");
  EXPECT_EQ(read("// @hide file handling"), "hide[]");
  EXPECT_EQ(read("// @hide files"), "hide[]");
}

TEST(Directives, AnErrorAtOneLeavesTheNextAlone) {
  const Directives directives = parse_directives("// @tol loss @tol rel=1 x @tol y", 0);
  EXPECT_EQ(directives.found.size(), 1U);
  EXPECT_EQ(directives.errors.size(), 2U);
}

TEST(Directives, MalformedLists) {
  EXPECT_EQ(error("// @inspect"), "103: @inspect without names; write @inspect followed by names");
  EXPECT_NE(error("// @clear @inspect x"), "");
  EXPECT_NE(error("// @inspect f(x"), "");
  EXPECT_NE(error("// @inspect x)"), "");
  EXPECT_NE(error("// @inspect \"x"), "");
  EXPECT_NE(error("// @inspect x;"), "");
  EXPECT_NE(error("// @volatile f(a, b)"), "");
}

TEST(Directives, PositionsAreThoseOfTheSource) {
  const std::string source = "x = 1;  // then @inspect x, y z  @hide\ny = \"@inspect n\"; /* @clear q */";
  const std::vector<ByteSpan> spans = directive_spans(source, "cpp");
  ASSERT_EQ(spans.size(), 3U);
  EXPECT_EQ(source.substr(spans[0].begin, spans[0].end - spans[0].begin), "@inspect x, y z");
  EXPECT_EQ(source.substr(spans[1].begin, spans[1].end - spans[1].begin), "@hide");
  EXPECT_EQ(source.substr(spans[2].begin, spans[2].end - spans[2].begin), "@clear q");
  const Directives directives = parse_directives("/* @inspect ab */", 7);
  EXPECT_EQ(directives.found[0].items[0].begin, 19U);
}

}  // namespace
}  // namespace lectern
