#include <algorithm>
#include <regex>

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "site/site_search.h"
#include "site/trace_builder.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

using test::Page;
using test::TraceBuilder;

/// "kind text @anchor (detail)", the kind by its number.
std::vector<std::string> lines_of(const std::vector<SearchEntry>& entries) {
  std::vector<std::string> lines;
  for (const SearchEntry& entry : entries) {
    lines.push_back(std::to_string(static_cast<int>(entry.kind)) + " " + entry.text + " @" + entry.anchor +
                    (entry.function.empty() ? "" : " (" + entry.function + ", " + entry.value + ")"));
  }
  return lines;
}

TEST(SearchEntries, WhatAPageShowsIsFoundOnce) {
  TraceBuilder built(
      "text(a);\nint x = 3;  // @inspect x\nfor (int i = 0; i < 2; ++i) {\n  int x = "
      "3;\n}\nsecret();\nnote(b);\n");
  built.hook("text(a);",
             R"([{"kind":"text","markdown":"## Sums\n\nThey *add up*: $x$.\n\nThey *add up*: $x$."}])");
  const int first = built.site("int x = 3;"),
            loop = built.site("for (int i = 0; i < 2; ++i) {\n  int x = 3;\n}"),
            again = built.site("int x = 3;", SiteKind::statement, false, 2),
            hidden = built.site("secret();", SiteKind::statement, true);
  built.step(first, R"({"vars":{"x":{"type":"int","value":3}}})");
  built.step(loop).step(again).step(again).step(hidden);
  built.hook("note(b);", R"([{"kind":"note","markdown":"quiet words"}])");
  const Page page(built.trace);
  EXPECT_EQ(lines_of(search_entries(page.trace, page.steps)),
            (std::vector<std::string>{"3 main @s0-1", "0 Sums @sums", "1 They add up: . @s0-1",
                                      "2 int x = 3; @s0-2", "4 x @s0-2 (main, 3)",
                                      "2 for (int i = 0; i < 2; ++i) { @s0-3"}));
}

TEST(SearchEntries, TheOpeningIsTheFirstParagraphThatAReaderComesTo) {
  TraceBuilder built("secret();\nnote(n);\ntext(h);\ntext(a);\ntext(b);\n");
  built.step(built.site("secret();", SiteKind::hook, true),
             R"({"show":[{"kind":"text","markdown":"hidden"}]})");
  built.hook("note(n);", R"([{"kind":"note","markdown":"quiet words"}])");
  built.hook("text(h);", R"([{"kind":"text","markdown":"# A heading"}])");
  EXPECT_EQ(opening_paragraph(built.trace, Page(built.trace).steps), "");
  std::string words;
  for (int i = 0; i < 50; ++i) words += "*wörd* ";
  built.hook("text(a);", R"([{"kind":"text","markdown":")" + words + R"("}])");
  built.hook("text(b);", R"([{"kind":"text","markdown":"later"}])");
  const std::string opening = opening_paragraph(built.trace, Page(built.trace).steps);
  EXPECT_TRUE(opening.starts_with("wörd wörd ")) << opening;
  EXPECT_TRUE(opening.ends_with("wörd\u2026")) << opening;
  EXPECT_LT(opening.size(), 210U);
}

TEST(SearchEntries, WhatIsFoldedAwayIsFoundWhereItIsText) {
  const test::TemporaryFolder folder;
  write_file(folder.path() / "v.webm", "");
  write_file(folder.path() / "a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nspoken words\n");
  TraceBuilder built("video(v);\nexercise(e);\nplot(p);\ngraph(g);\n");
  built.hook("video(v);",
             R"([{"kind":"video","src":"v.webm","alt":"A clip","captions":[{"src":"a.vtt","lang":"en"}]}])");
  built.hook("exercise(e);", R"([{"kind":"exercise","markdown":"Why?","answer":"Because *so*."}])");
  built.hook("plot(p);", R"([{"kind":"plot","spec":{"mark":"bar","data":{"values":[{"a":1}]}}}])");
  built.hook("graph(g);",
             R"([{"kind":"graph","nodes":[{"id":"a"},{"id":"b"}],"edges":[{"from":"a","to":"b"}]}])");
  const Page page(built.trace, {{"v.webm", folder.path() / "v.webm"}, {"a.vtt", folder.path() / "a.vtt"}});
  std::vector<std::string> prose;
  for (const SearchEntry& entry : search_entries(page.trace, page.steps)) {
    if (entry.kind == SearchKind::prose) prose.push_back(entry.text + " @" + entry.anchor);
  }
  EXPECT_EQ(prose, (std::vector<std::string>{"spoken words @s0-1", "Exercise @s0-2", "Why? @s0-2",
                                             "Because so. @s0-2"}));
}

TEST(SearchEntries, AreReadAsTheyWereWritten) {
  const std::vector<SearchEntry> entries = {{SearchKind::variable, "x", "s0-2", "main", "\"</script>\""},
                                            {SearchKind::prose, "漢字 \xff", "s1-3"}};
  const auto read = search_entries_from_json(to_json(entries), "search.json");
  EXPECT_EQ(lines_of(read),
            (std::vector<std::string>{"4 x @s0-2 (main, \"</script>\")", "1 漢字 \uFFFD @s1-3"}));
  for (const char* broken : {"", "{", "3", "[[1]]", "[[1,\"a\",\"b\",3]]", "[[\"a\",\"b\",\"c\"]]"})
    EXPECT_THROW(search_entries_from_json(broken, "search.json"), Error) << broken;
}

TEST(SearchEntries, TheScriptOfASiteHasAllLectures) {
  EXPECT_EQ(searched_json({}), "[]");
  const std::vector<SearchedLecture> lectures = {{"a", "First \"A\"", {{SearchKind::section, "One", "one"}}},
                                                 {"b", "B", {}}};
  EXPECT_EQ(searched_json(lectures),
            "[[[\"a\",\"First \\\"A\\\"\"],[[0,\"One\",\"one\"]]],[[\"b\",\"B\"],[]]]");
  const std::string script = search_script(lectures);
  EXPECT_TRUE(std::regex_match(script, std::regex("lecternSearch\\(\"KLUv/[A-Za-z0-9+/]*={0,2}\"\\);\n")))
      << script << " is no Zstandard frame in base64";
}

TEST(SearchEntries, ParagraphsAreTextWithoutMarkup) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(
      paragraphs_of(
          "<h2 id=\"a\">Title</h2><p>One <em>two</em>\n &lt;three&gt;</p><ul><li>A</li><li>B</li></ul>"),
      (Texts{"One two <three>", "A", "B"}));
  EXPECT_EQ(paragraphs_of("<p>before <span class=\"katex\"><span>x</span><span>y</span></span> after</p>"),
            (Texts{"before after"}));
  EXPECT_EQ(
      paragraphs_of("<div class=\"callout exercise\"><p>Why?</p><details class=\"answer\"><summary>Answer"
                    "</summary><p>Because</p></details></div><div class=\"note\"><p>to me</p></div>"),
      (Texts{"Why?", "Because"}));
  EXPECT_EQ(paragraphs_of("<div><details><summary>Edges of a graph</summary><pre>a b</pre></details></div>"
                          "<p title=\"a > b\">after</p>"),
            (Texts{"after"}));
  EXPECT_EQ(paragraphs_of("<table><tr><td>1</td><td>…</td><td>漢字</td></tr></table>"),
            (Texts{"1", "…", "漢字"}));
  EXPECT_EQ(paragraphs_of("<svg><text>7</text></svg>"), Texts());
  for (const char* broken : {"<", "<p", "<p>a</", "<svg><p>a", "a<details", "</p></p>b"})
    EXPECT_LE(paragraphs_of(broken).size(), 1u) << broken;
}

}  // namespace
}  // namespace lectern
