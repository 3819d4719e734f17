#include "site/single_file.h"

#include <gtest/gtest.h>

#include "base/base64.h"
#include "base/error.h"
#include "base/files.h"
#include "site/calculator.h"
#include "site/html_tags.h"
#include "site/inline_fonts.h"
#include "site/pack.h"
#include "site/policy_hash.h"
#include "site/used_rules.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

TEST(PolicyHash, IsThatOfTheStandard) {
  EXPECT_EQ(policy_hash(""), "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
  EXPECT_EQ(policy_hash("abc"), "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='");
}

TEST(HtmlTags, AreFoundWithTheirAttributes) {
  const std::string html = "<!doctype html>a &lt;b&gt; <p class=\"x raw\" title=\"a > b src=\"><br></p>";
  const auto first = next_tag(html, 0);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->name, "p");
  EXPECT_EQ(first->attribute("title"), "a > b src=");
  EXPECT_FALSE(first->attribute("src"));
  EXPECT_TRUE(first->is_a("raw"));
  EXPECT_FALSE(first->is_a("ra"));
  EXPECT_EQ(next_tag(html, first->end)->name, "br");
  EXPECT_EQ(element_end(html, *first), html.size());
  EXPECT_FALSE(next_tag(html, html.find("</p>")));
}

TEST(HtmlTags, ElementsEndAfterThoseInThem) {
  const std::string html = "<div><div>a</div><divider></divider><div><div>b</div></div></div><div>c</div>";
  EXPECT_EQ(element_end(html, *next_tag(html, 0)), html.find("<div>c"));
  EXPECT_EQ(element_end("<div>", *next_tag("<div>", 0)), 5U) << "one that does not end goes to the end";
}

TEST(HtmlTags, ChangeTheirAttributes) {
  const std::string tag = "<a class=\"x\" href=\"y\">";
  EXPECT_EQ(with_attribute(tag, "href", "z"), "<a class=\"x\" href=\"z\">");
  EXPECT_EQ(with_attribute(tag, "href", std::nullopt), "<a class=\"x\">");
  EXPECT_EQ(with_attribute(tag, "src", "z"), tag);
}

class InlineFonts : public testing::Test {
 protected:
  static constexpr const char* kStyle =
      "a{b:c}@font-face{font-family:\"L\";src:url(fonts/latin.woff2) format(\"woff2\");"
      "unicode-range:U+0000-00FF,U+2014}"
      "@font-face{font-family:\"G\";src:url(fonts/greek.woff2);unicode-range:U+0370-03FF}"
      "@font-face{font-family:\"F\";src:local(\"Arial\")}"
      "@font-face{font-family:KaTeX_Math;font-style:italic;src:url(fonts/KaTeX_Math-Italic.woff2)}d{e:f}";

  InlineFonts() {
    for (const char* name : {"latin", "greek", "KaTeX_Math-Italic"})
      write_file(folder_ / "fonts" / (std::string(name) + ".woff2"), name);
  }

  /// Which of the fonts come with the text.
  std::string kept(const std::string& text) {
    SetText set;
    set.add(text);
    covered_after_ = covered_;
    const std::string css = with_inline_fonts(kStyle, folder_.path(), set, covered_after_);
    EXPECT_TRUE(css.starts_with("a{b:c}") && css.ends_with("d{e:f}")) << css;
    EXPECT_EQ(css.find("url(fonts"), css.npos);
    EXPECT_NE(css.find("local(\"Arial\")"), css.npos);
    std::string names;
    for (const char* name : {"latin", "greek", "KaTeX_Math-Italic"}) {
      if (css.find("url(data:font/woff2;base64," + base64(name) + ")") != css.npos)
        names += std::string(name) + " ";
    }
    return names;
  }

  const test::TemporaryFolder folder_;
  std::set<char32_t> covered_, covered_after_;
};

TEST_F(InlineFonts, AreThoseOfTheText) {
  EXPECT_EQ(kept("a"), "latin ");
  EXPECT_EQ(kept("α"), "greek ");
  EXPECT_EQ(kept("&#945;"), "latin greek ") << "with the characters of the reference itself";
  EXPECT_EQ(kept("\u2014\u03B1"), "latin greek ");
  EXPECT_EQ(kept("\"\\u03b1\""), "latin greek ");
  EXPECT_EQ(kept("я"), "");
}

TEST_F(InlineFonts, LeaveOutWhatOthersCover) {
  covered_ = {U'a'};
  EXPECT_EQ(kept("a"), "");
  EXPECT_EQ(kept("aé"), "latin ");
  EXPECT_TRUE(covered_after_.contains(U'é'));
}

TEST_F(InlineFonts, OfCodeAloneAreThoseForCode) {
  const std::string face =
      "@font-face{font-family:\"%\";src:url(fonts/greek.woff2);unicode-range:U+0370-03FF}";
  const auto comes = [&](const std::string& family, const SetText& text) {
    std::string css = face;
    css.replace(css.find('%'), 1, family);
    std::set<char32_t> covered;
    return with_inline_fonts(css, folder_.path(), text, covered) != "";
  };
  SetText code, prose;
  code.add_code("\u03B1");
  prose.add("\u03B1");
  EXPECT_TRUE(comes("JetBrains Mono More", code));
  EXPECT_FALSE(comes("Inter More", code));
  EXPECT_TRUE(comes("JetBrains Mono More", prose));
  EXPECT_TRUE(comes("Inter More", prose));
}

TEST_F(InlineFonts, OfMathematicsAreThoseOfItsClasses) {
  EXPECT_EQ(kept("<b class=\"mord mathnormal\">"), "latin KaTeX_Math-Italic ");
  EXPECT_EQ(kept("<b class=\\\"mathnormal\\\">"), "latin KaTeX_Math-Italic ");
  EXPECT_EQ(kept("<b class=\"mathnormality\">mathnormal"), "latin ");
}

TEST(UsedRules, AreThoseOfThePagesClasses) {
  const auto used = [](const char* css) { return with_used_rules(css, {"katex", "mord", "a-b"}); };
  EXPECT_EQ(used(".katex{a:b}.other{c:d}"), ".katex{a:b}");
  EXPECT_EQ(used(".katex .mord>.other{a:b}"), "");
  EXPECT_EQ(used(".other,.katex.a-b:after{a:b}"), ".other,.katex.a-b:after{a:b}");
  EXPECT_EQ(used(".a{b:c}.a-{b:c}.a-b-c{b:c}"), "");
  EXPECT_EQ(used("body{a:b}*{c:d}"), "body{a:b}*{c:d}");
  EXPECT_EQ(used(".katex:not(.other){a:b}.other:not(.katex){a:b}"), ".katex:not(.other){a:b}");
  EXPECT_EQ(used(".katex:is(.a,.b){a:b}"), ".katex:is(.a,.b){a:b}");
  EXPECT_EQ(used("@font-face{src:url(.other)}@media print{.other{a:b}}.other{a:b}"),
            "@font-face{src:url(.other)}@media print{.other{a:b}}");
  EXPECT_EQ(used(".other{content:\"(\" counter(.x) \")\"}.katex{a:calc(1px + 2px)}"),
            ".katex{a:calc(1px + 2px)}");
  EXPECT_EQ(used(".katex{"), ".katex{") << "torn";
}

TEST(Modules, ComeBackFromTheirScripts) {
  for (const std::string& bytes : {std::string("\0asm\1", 5), std::string("\0a", 2), std::string("abc")})
    EXPECT_EQ(module_bytes(module_script("a/b.wasm", bytes)), bytes);
  EXPECT_THROW(module_bytes("lecternModule(\"a\",\"%%%%\");"), Error);
}

TEST(Pack, HasWhatFilesShareOnce) {
  std::string noise;
  unsigned state = 1;
  for (int i = 0; i < 100'000; ++i)
    noise += static_cast<char>((state = state * 1664525U + 1013904223U) >> 24U);
  const std::size_t once = pack({{{"a", noise}}, {}, {}}).size();
  EXPECT_LT(pack({{{"a", noise}, {"b", noise + "x"}}, {}, {}}).size(), once + 1000);
}

}  // namespace
}  // namespace lectern
