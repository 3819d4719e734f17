#include "site/markdown.h"

#include <filesystem>
#include <regex>
#include <set>

#include <gtest/gtest.h>

#include "base/files.h"
#include "has.h"
#include "site/inert_html.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

using test::has;

/// As the only text of a statement.
MarkdownHtml render_in(std::string_view statement, Markdown& markdown, std::string_view text) {
  TextScope scope(statement);
  return markdown.render(text, scope);
}

class MarkdownTest : public ::testing::Test {
 protected:
  MarkdownHtml render(std::string_view text) { return render_in("site7.", markdown_, text); }
  std::string html(std::string_view text) { return render(text).html; }

  Assets assets_;
  MathTypesetter math_;
  Markdown markdown_{assets_, math_};
};

TEST_F(MarkdownTest, ControlCharactersAreSeen) {
  EXPECT_EQ(html("a\x01 **b\x1B** `c\x7F`\n\te"),
            "<p>a\u2401 <strong>b\u241B</strong> <code>c\u2421</code>\ne</p>");
}

TEST_F(MarkdownTest, GitHubsFlavour) {
  EXPECT_EQ(html("a *b* **c** `d` ~~e~~"),
            "<p>a <em>b</em> <strong>c</strong> <code>d</code> <del>e</del></p>");
  EXPECT_NE(html("| a | b |\n|---|--:|\n| 1 | 2 |").find("<table>"), std::string::npos);
  EXPECT_NE(html("- [x] done").find("type=\"checkbox\" checked"), std::string::npos);
  EXPECT_EQ(html("see https://example.org/a"),
            "<p>see <a class=\"address\" href=\"https://example.org/a\">https://example.org/a</a></p>");
  EXPECT_TRUE(render("one *paragraph*").single_paragraph);
  EXPECT_FALSE(render("two\n\nparagraphs").single_paragraph);
  EXPECT_FALSE(render("# heading").single_paragraph);
  EXPECT_EQ(html(""), "");
}

TEST_F(MarkdownTest, RawHtmlIsShownAsText) {
  EXPECT_EQ(html("a vector<int> b"), "<p>a vector&lt;int&gt; b</p>");
  EXPECT_EQ(html("<script>alert(1)</script>"), "<p>&lt;script&gt;alert(1)&lt;/script&gt;\n</p>");
  EXPECT_EQ(html("a <b onclick=\"x\">b</b>"), "<p>a &lt;b onclick=&quot;x&quot;&gt;b&lt;/b&gt;</p>");
  EXPECT_NE(html("| vector<int> |\n|---|\n| a <b>b</b> |").find("<td>a &lt;b&gt;b&lt;/b&gt;</td>"),
            std::string::npos);
}

TEST_F(MarkdownTest, BrBreaksALine) {
  EXPECT_EQ(html("a<br>b<BR />c"), "<p>a<br />b<br />c</p>");
  EXPECT_NE(html("| a<br/>b |\n|---|").find("<th>a<br />b</th>"), std::string::npos);
  EXPECT_EQ(html("<br>\n<i>"), "<p><br />\n&lt;i&gt;\n</p>");
  EXPECT_EQ(html("<br class=\"x\">"), "<p>&lt;br class=&quot;x&quot;&gt;\n</p>");
  EXPECT_EQ(html("`<br>` <brx>"), "<p><code>&lt;br&gt;</code> &lt;brx&gt;</p>");
  EXPECT_EQ(html("<!-- raw HTML omitted -->"), "<p>&lt;!-- raw HTML omitted --&gt;\n</p>");
}

TEST_F(MarkdownTest, LinksToFilesLeadToTheirCopies) {
  const test::TemporaryFolder folder;
  const Assets assets({{"papers/a.pdf", folder / "a.pdf"}});
  Markdown markdown(assets, math_);
  const MarkdownHtml made =
      render_in("s", markdown,
                "[a](./papers/a.pdf#page=2) [b](b.txt) [c](../x/y.txt) [d](#top) [e](cuda/index.html) "
                "[f](notes.html#x)");
  EXPECT_NE(made.html.find("href=\"assets/papers/a.pdf#page=2\""), std::string::npos) << made.html;
  EXPECT_NE(made.html.find("href=\"b.txt\""), std::string::npos) << made.html;
  const std::vector<std::string> warnings{
      "the link to notes.html#x leads nowhere: notes.html is not among the lecture's files",
      "the link to b.txt leads nowhere: b.txt is not among the lecture's files"};
  EXPECT_EQ(made.warnings, warnings);
}

TEST_F(MarkdownTest, OnlyHarmlessLinksPass) {
  EXPECT_EQ(html("[a](https://example.org \"t\")"),
            "<p><a href=\"https://example.org\" title=\"t\">a</a></p>");
  EXPECT_EQ(html("[a](notes.html#x)"), "<p><a href=\"notes.html#x\">a</a></p>");
  for (const char* url :
       {"javascript:alert(1)", "JAVASCRIPT:alert(1)", "data:text/html,x", "vbscript:x", "file:///etc/passwd",
        "//evil.example", "&#106;avascript:alert(1)", "java&Tab;script:alert(1)"}) {
    const MarkdownHtml made = render("[a](" + std::string(url) + ")");
    EXPECT_EQ(made.html, "<p>a</p>") << url;
    EXPECT_EQ(made.warnings.size(), 1u) << url;
  }
  EXPECT_EQ(html("<javascript:alert(1)>"), "<p>javascript:alert(1)</p>");
  EXPECT_EQ(html("[*a* `b`](javascript:x)"), "<p><em>a</em> <code>b</code></p>");
  EXPECT_EQ(html("[a][r]\n\n[r]: javascript:alert(1)"), "<p>a</p>");
}

TEST_F(MarkdownTest, ImagesAreFilesOfTheLecture) {
  const test::TemporaryFolder folder;
  write_file(folder / "a.svg", "<svg width=\"64\" height=\"32\">");
  const Assets assets({{"a.svg", folder / "a.svg"}});
  Markdown markdown(assets, math_);
  EXPECT_EQ(render_in("s", markdown, "![an *a*](a.svg)").html,
            "<p><a class=\"enlarge\" href=\"assets/a.svg\" title=\"Enlarge\"><img loading=\"lazy\" "
            "src=\"assets/a.svg\" alt=\"an a\" width=\"64\" height=\"32\"></a></p>");
  for (const char* const inside :
       {"Words ![a](a.svg)", "[![a](a.svg)](https://example.org)", "# ![a](a.svg)"})
    EXPECT_EQ(render_in("s", markdown, inside).html.find("enlarge"), std::string::npos)
        << "no figure: " << inside;
  for (const char* src :
       {"https://example.org/a.png", "../a.svg", "missing.svg", "data:image/png;base64,AAAA", "/a.svg"}) {
    const MarkdownHtml made = render_in("s", markdown, "![an *a* <b>](" + std::string(src) + ")");
    EXPECT_EQ(made.html, "<p>an a &lt;b&gt;</p>") << src;
    EXPECT_EQ(made.warnings.size(), 1u) << src;
  }
  EXPECT_NE(render_in("s", markdown, "| ![an *a*](a.svg) |\n|---|\n| ![b](b.svg) |")
                .html.find("<th><img src=\"assets/a.svg\" alt=\"an a\" /></th>"),
            std::string::npos);
  EXPECT_NE(
      render_in("s", markdown, "| ![an *a*](a.svg) |\n|---|\n| ![*b*](b.svg) |").html.find("<td>b</td>"),
      std::string::npos);
}

TEST_F(MarkdownTest, HeadingsAreOneLevelLowerAndHaveIds) {
  const MarkdownHtml made = render("# Byte-pair *encoding*\n\n## Step $n^2$\n\n## Step $n^2$");
  ASSERT_EQ(made.headings.size(), 3u);
  EXPECT_EQ(made.headings[0].level, 1);
  EXPECT_EQ(made.headings[0].text, "Byte-pair encoding");
  EXPECT_EQ(made.headings[0].id, "byte-pair-encoding");
  EXPECT_EQ(made.headings[1].text, "Step n^2");
  EXPECT_EQ(made.headings[2].id, "step-n-2-2");
  EXPECT_NE(made.html.find("<h2 id=\"byte-pair-encoding\">Byte-pair <em>encoding</em></h2>"),
            std::string::npos);
}

TEST_F(MarkdownTest, IdsAreUniqueOnThePage) {
  EXPECT_EQ(render_in("a", markdown_, "# Stack").headings[0].id, "stack-2");  // the page's own part
  EXPECT_EQ(render_in("a", markdown_, "# One").headings[0].id, "one");
  EXPECT_EQ(render_in("b", markdown_, "# One").headings[0].id, "one-2");
  EXPECT_EQ(render_in("a", markdown_, "# One").headings[0].id, "one")
      << "a statement's renderings replace one another";
  EXPECT_EQ(render_in("a", markdown_, "# s0-12").headings[0].id, "h-s0-12");
}

TEST_F(MarkdownTest, TextsOfOneStatementHaveIdsOfTheirOwn) {
  for (int pass = 0; pass < 2; ++pass) {
    TextScope scope("site7.");
    EXPECT_EQ(markdown_.render("# Softmax", scope).headings[0].id, "softmax");
    EXPECT_EQ(markdown_.render("# Softmax", scope).headings[0].id, "softmax-2");
  }
  EXPECT_EQ(render("# Softmax").headings[0].id, "softmax");
}

TEST_F(MarkdownTest, HeadingsHaveNoIdOfThePage) {
  const std::filesystem::path root = LECTERN_SOURCE_DIR;
  const std::regex static_id(R"re(\bid(=|: )(\\?)"([a-z-]+)\2")re");
  std::set<std::string> ids;
  const auto read_ids = [&](const std::filesystem::path& file) {
    const std::string text = read_file(file);
    for (std::sregex_iterator at(text.begin(), text.end(), static_id), end; at != end; ++at)
      ids.insert((*at)[3]);
  };
  for (const char* const folder : {"engine/site", "site_templates/src"}) {
    for (const auto& entry : std::filesystem::directory_iterator(root / folder))
      if (entry.is_regular_file()) read_ids(entry.path());
  }
  for (const char* const name : {"lecture.mustache", "terms.mustache"})
    read_ids(root / "site_templates" / name);
  for (const char* const id : {"outline", "cost-title", "costs", "found"})
    EXPECT_TRUE(ids.contains(id)) << id;
  for (const std::string& id : ids) EXPECT_NE(render("# " + id).headings[0].id, id);
}

TEST_F(MarkdownTest, HeadingsWithoutWordsAreNoPlaces) {
  const MarkdownHtml made = render("##\n\nWords\n\n### ###\n");
  EXPECT_TRUE(made.headings.empty());
  EXPECT_FALSE(has(made.html, "<h")) << made.html;
  EXPECT_TRUE(has(made.html, "<p>Words</p>"));
}

TEST_F(MarkdownTest, BoxesOfTasksSayWhatTheyMean) {
  const std::string tasks = html("- [ ] a\n- [x] b");
  EXPECT_TRUE(has(tasks, "<input type=\"checkbox\" aria-label=\"to do\" disabled=\"\" /> a")) << tasks;
  EXPECT_TRUE(has(tasks, "aria-label=\"done\" disabled=\"\" /> b")) << tasks;
}

TEST_F(MarkdownTest, FootnotesBelongToTheirText) {
  TextScope scope("site7.");
  const std::string note = markdown_.render("a[^1]\n\n[^1]: b", scope).html;
  EXPECT_NE(note.find("id=\"site7.-fnref-1\""), std::string::npos) << note;
  EXPECT_NE(note.find("href=\"#site7.-fn-1\""), std::string::npos);
  EXPECT_FALSE(has(markdown_.render("none", scope).html, "site7"));
  const std::string other = markdown_.render("a[^1]\n\n[^1]: b", scope).html;
  EXPECT_TRUE(has(other, "id=\"site7.2-fnref-1\"")) << other;
  EXPECT_TRUE(has(other, "href=\"#site7.2-fn-1\"")) << other;
}

TEST_F(MarkdownTest, MathematicsIsTypesetOnlyWhereItIsMathematics) {
  EXPECT_NE(html("a $x*y*z$ b").find("katex"), std::string::npos);
  EXPECT_EQ(html("a $x*y*z$ b").find("<em>"), std::string::npos);
  EXPECT_EQ(html("`$x$`"), "<p><code>$x$</code></p>");
  EXPECT_EQ(html("    $x$"), "<pre class=\"verbatim\" tabindex=\"0\"><code>$x$\n</code></pre>");
  EXPECT_EQ(html("[a](https://example.org/$x$)"), "<p><a href=\"https://example.org/$x$\">a</a></p>");
  EXPECT_EQ(html("\\$5 and \\$6"), "<p>$5 and $6</p>");
  EXPECT_NE(html("| $a$ |\n|---|\n| $\\|b\\|$ |").find("<td><span class=\"katex\">"), std::string::npos);
}

TEST_F(MarkdownTest, CodeBlocksAreHighlightedAndEscaped) {
  const std::string code = html("```cpp\nreturn a < b;\n```");
  EXPECT_NE(code.find("<span class=\"k\">return</span>"), std::string::npos) << code;
  EXPECT_EQ(html("```\n</code><script>\n```"),
            "<pre class=\"verbatim\" tabindex=\"0\"><code>&lt;/code&gt;&lt;script&gt;\n</code></pre>");
}

TEST_F(MarkdownTest, HostileTextIsInert) {
  const std::string script = "<script>alert(1)</script>";
  for (const std::string& text :
       std::initializer_list<std::string>{script,
                                          "a " + script,
                                          "# " + script,
                                          "- " + script,
                                          "> " + script,
                                          "`" + script + "`",
                                          "```" + script + "\nx\n```",
                                          "~~~\"><script>\nx\n~~~",
                                          "[a](<\"onmouseover=\"alert(1)>)",
                                          "[a](https://x \"\\\" onmouseover=alert(1)\")",
                                          "![\" onerror=alert(1)](x)",
                                          "$" + script + "$",
                                          "$$\\text{" + script + "}$$",
                                          "[^\"><script>]: x\n\na[^\"><script>]",
                                          "| " + script + " |\n|---|\n| <img src=x onerror=alert(1)> |",
                                          "<img src=x onerror=alert(1)>",
                                          "<!-- -->" + script,
                                          "<![CDATA[" + script + "]]>",
                                          "<?php " + script + " ?>",
                                          "&lt;script&gt;",
                                          "\uE0000\uE001<b>",
                                          "a\xE4\xBD\xFF<b>"}) {
    const std::string made = html(text);
    EXPECT_TRUE(test::active_parts(made).empty()) << text << "\n" << made;
  }
}

TEST_F(MarkdownTest, TextsThatWouldTakeForeverAreShownAsTheyAre) {
  const MarkdownHtml long_text = render("# <b>" + std::string(64 * 1024, '['));
  EXPECT_TRUE(long_text.html.starts_with("<pre class=\"verbatim\" tabindex=\"0\"># &lt;b&gt;[[["))
      << long_text.html.substr(0, 80);
  EXPECT_EQ(long_text.warnings.size(), 1U);
  EXPECT_TRUE(render(std::string(64 * 1024, 'a')).warnings.empty());
}

TEST_F(MarkdownTest, ManyEqualHeadingsHaveIdsOfTheirOwn) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "# a\n";
  const MarkdownHtml many = render(text + "# a-2");
  ASSERT_EQ(many.headings.size(), 10'001U);
  std::set<std::string> ids;
  for (const Heading& heading : many.headings) ids.insert(heading.id);
  EXPECT_EQ(ids.size(), 10'001U);
  EXPECT_TRUE(ids.contains("a-10000"));
}

TEST_F(MarkdownTest, ManyMarksWithoutTheirMatchAreRead) {
  for (const char* mark : {"$", "$ ", "` ``", "$$ $", "[", "*a ", "> ", "<", "![", "$x$ "}) {
    std::string text;
    while (text.size() < 60'000) text += mark;
    EXPECT_TRUE(test::active_parts(html(text)).empty()) << mark;
  }
}

TEST(Slug, KeepsWords) {
  EXPECT_EQ(slug("Byte-pair encoding, step 2"), "byte-pair-encoding-step-2");
  EXPECT_EQ(slug("数学"), "数学");
  EXPECT_EQ(slug("?!"), "section");
}

}  // namespace
}  // namespace lectern
