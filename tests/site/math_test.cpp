#include "site/math.h"

#include <gtest/gtest.h>

namespace lectern {
namespace {

/// Formulas as "[tex]" or "[[tex]]", so that a test reads as one line.
std::string extracted(std::string_view markdown) {
  const ExtractedMath math = extract_math(markdown);
  return fill_placeholders(math.markdown, math.formulas, [](const Formula& formula) {
    return formula.display ? "[[" + formula.tex + "]]" : "[" + formula.tex + "]";
  });
}

TEST(ExtractMath, FindsInlineAndDisplay) {
  EXPECT_EQ(extracted("a $x$ b $$y$$ c"), "a [x] b [[y]] c");
  EXPECT_EQ(extracted("$x$"), "[x]");
  EXPECT_EQ(extracted("$$\na\n$$"), "[[\na\n]]");
  EXPECT_EQ(extracted("($x$), **$y$**"), "([x]), **[y]**");
}

TEST(ExtractMath, KeepsWhatMarkdownWouldTakeForItsOwn) {
  EXPECT_EQ(extracted("$a*b*c$"), "[a*b*c]");
  EXPECT_EQ(extracted(R"($\mathbb{E}_{x}[f](y)$)"), R"([\mathbb{E}_{x}[f](y)])");
  EXPECT_EQ(extracted(R"($a \\ b$)"), R"([a \\ b])");
  EXPECT_EQ(extracted(R"($\{a\}$)"), R"([\{a\}])");
}

TEST(ExtractMath, LeavesMoneyAlone) {
  EXPECT_EQ(extracted("from $5 to $10"), "from $5 to $10");
  EXPECT_EQ(extracted("$20,000 and $30,000 a year"), "$20,000 and $30,000 a year");
  EXPECT_EQ(extracted("$ x $"), "$ x $");
  EXPECT_EQ(extracted("$x $ and $ y$"), "$x $ and $ y$");
  EXPECT_EQ(extracted("$x$5"), "$x$5");
  EXPECT_EQ(extracted("one $ alone"), "one $ alone");
  EXPECT_EQ(extracted("costs $5, or $x$"), "costs $5, or [x]");
}

TEST(ExtractMath, LeavesEscapedDollarsAlone) {
  EXPECT_EQ(extracted(R"(\$x\$)"), R"(\$x\$)");
  EXPECT_EQ(extracted(R"(\$5 and $x$)"), R"(\$5 and [x])");
  EXPECT_EQ(extracted(R"($a \$ b$)"), R"([a \$ b])");
  EXPECT_EQ(extracted(R"(\\$x$)"), R"(\\[x])");
}

TEST(ExtractMath, LeavesCodeAlone) {
  EXPECT_EQ(extracted("`$x$` and $y$"), "`$x$` and [y]");
  EXPECT_EQ(extracted("``a ` $x$`` $y$"), "``a ` $x$`` [y]");
  EXPECT_EQ(extracted("a ` b $x$"), "a ` b [x]");
  EXPECT_EQ(extracted(R"(\`$x$`)"), R"(\`[x]`)");
  EXPECT_EQ(extracted("```\n$x$\n```\n$y$"), "```\n$x$\n```\n[y]");
  EXPECT_EQ(extracted("```sh\necho $HOME $x$\n````\n$y$"), "```sh\necho $HOME $x$\n````\n[y]");
  EXPECT_EQ(extracted("~~~\n$x$\n```\n$z$\n~~~\n$y$"), "~~~\n$x$\n```\n$z$\n~~~\n[y]");
  EXPECT_EQ(extracted("- ```\n  $x$\n  ```\n- $y$"), "- ```\n  $x$\n  ```\n- [y]");
  EXPECT_EQ(extracted("> ```\n> $x$\n> ```\n> $y$"), "> ```\n> $x$\n> ```\n> [y]");
  EXPECT_EQ(extracted("```\n$x$ never closed"), "```\n$x$ never closed");
}

TEST(ExtractMath, StaysWithinAParagraph) {
  EXPECT_EQ(extracted("$a\n\nb$"), "$a\n\nb$");
  EXPECT_EQ(extracted("$$a\n\nb$$"), "$$a\n\nb$$");
  EXPECT_EQ(extracted("`a\n\n$x$ b`"), "`a\n\n[x] b`");
  EXPECT_EQ(extracted("$a\nb$"), "[a\nb]");
}

TEST(ExtractMath, ForgedPlaceholdersAreRefused) {
  const ExtractedMath math = extract_math("a \uE0000\uE001 b $x$");
  EXPECT_EQ(math.formulas.size(), 1u);
  EXPECT_EQ(extracted("a \uE0000\uE001 b $x$"), "a \uFFFD0\uFFFD b [x]");
  EXPECT_EQ(extracted("$a \uE0007\uE001$"), "[a \uFFFD7\uFFFD]");
}

TEST(ExtractMath, GivesBackTheSourceWhereItIsNoMathematics) {
  for (const char* text : {"a $x$ b $$y$$ c", "$a*b$ `$z$` \\$"}) {
    const ExtractedMath math = extract_math(text);
    EXPECT_EQ(fill_placeholders(math.markdown, math.formulas, formula_source), text);
  }
}

TEST(Typesetting, MakesHtmlWithMathMl) {
  MathTypesetter math;
  const std::string inlined = math.typeset({"x^2", false});
  EXPECT_NE(inlined.find("class=\"katex\""), std::string::npos);
  EXPECT_NE(inlined.find("<math"), std::string::npos);
  EXPECT_EQ(inlined.find("katex-display"), std::string::npos);
  EXPECT_TRUE(math.typeset({"x^2", true}).starts_with("<span tabindex=\"0\" class=\"katex-display\">"));
  EXPECT_TRUE(math.take_errors().empty());
}

TEST(Typesetting, DistinctFormulasOnce) {
  MathTypesetter math;
  const std::string* const first = &math.typeset({"a+b", false});
  for (int i = 0; i < 100; ++i) math.typeset({std::to_string(i), false});
  EXPECT_EQ(&math.typeset({"a+b", false}), first);
}

TEST(Typesetting, ShowsTheSourceOfWhatItRefuses) {
  MathTypesetter math;
  const std::string html = math.typeset({R"(\nonsense <b>)", false});
  EXPECT_NE(html.find("math-error"), std::string::npos);
  EXPECT_NE(html.find("$\\nonsense &lt;b&gt;$"), std::string::npos);
  const std::vector<std::string> errors = math.take_errors();
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_NE(errors[0].find("nonsense"), std::string::npos);
  EXPECT_TRUE(math.take_errors().empty());
}

TEST(Typesetting, CommandsThatLeadElsewhereAreRefused) {
  MathTypesetter math;
  for (const char* tex : {R"(\href{javascript:alert(1)}{x})", R"(\url{https://example.org})",
                          R"(\includegraphics{https://example.org/x.png})", R"(\htmlData{a=b}{x})",
                          R"(\htmlStyle{background:url(https://example.org)}{x})"}) {
    const std::string html = math.typeset({tex, false});
    EXPECT_EQ(html.find("<a "), std::string::npos) << tex;
    EXPECT_EQ(html.find("<img"), std::string::npos) << tex;
    EXPECT_EQ(html.find("data-a"), std::string::npos) << tex;
    EXPECT_EQ(html.find("style=\"background"), std::string::npos) << tex;
  }
}

/// A macro of `length` fractions, called `calls` times.
Formula repetition(int length, int calls) {
  std::string tex = R"(\def\a{)";
  for (int i = 0; i < length; ++i) tex += R"(\frac11)";
  tex += "}";
  for (int i = 0; i < calls; ++i) tex += R"(\a )";
  return {tex, false};
}

bool is_refused(const std::string& html) {
  return html.find("math-error") != std::string::npos;
}

TEST(Typesetting, MacrosThatMakeMuchOfLittleAreRefused) {
  MathTypesetter math;
  EXPECT_FALSE(is_refused(math.typeset(repetition(1, 2))));
  const std::string html = math.typeset(repetition(3, 20));
  EXPECT_TRUE(is_refused(html));
  EXPECT_LE(html.size(), 2000U);
  EXPECT_NE(html.find("what its macros make of it is too long"), std::string::npos);
}

TEST(Typesetting, MemoryEndsBeforeTheMachines) {
  MathTypesetter math;
  EXPECT_TRUE(is_refused(math.typeset(repetition(8000, 900))));
  EXPECT_FALSE(is_refused(math.typeset({"x", false}))) << "the next one is typeset";
}

TEST(Typesetting, AfterManyThatAreTooLongNoneIsTried) {
  MathTypesetter math;
  for (int i = 0; i < 8; ++i) {
    EXPECT_FALSE(is_refused(math.typeset({"x_" + std::to_string(i), false})));
    EXPECT_TRUE(is_refused(math.typeset(repetition(3, 20 + i))));
  }
  EXPECT_TRUE(is_refused(math.typeset({"x_9", false})));
  EXPECT_FALSE(is_refused(math.typeset({"x_0", false}))) << "known already";
}

TEST(Typesetting, EndlessMacrosEnd) {
  MathTypesetter math;
  EXPECT_NE(math.typeset({R"(\def\a{\a\a}\a)", false}).find("math-error"), std::string::npos);
}

}  // namespace
}  // namespace lectern
