#include "site/renderings.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "has.h"
#include "site/inert_html.h"
#include "site/trace_builder.h"
#include "temporary_folder.h"
#include "trace/decode.h"

namespace lectern {
namespace {

using test::has;
using test::TraceBuilder;

class RenderingsTest : public ::testing::Test {
 protected:
  RenderingsTest() : builder_("struct Merge {\n};\nint lm::count(int x) {\n}\nclass Other;\n") {
    builder_.trace.functions.push_back({"lm::count", 0, {3, 1, 4, 2}, {}});
    builder_.site("struct Merge");
    write_file(folder_ / "a.svg", "<svg width=\"64\" height=\"32\">");
  }

  std::string html(const char* rendering) {
    const Assets assets({{"a.svg", folder_ / "a.svg"},
                         {"themed.svg", folder_ / "themed.svg"},
                         {"photo.png", folder_ / "photo.png"}});
    Renderings renderings(builder_.trace, assets, math_);
    const ShownRenderings shown = renderings.render({rendering_from_json(Json::parse(rendering))}, 0);
    warnings_ = renderings.take_warnings();
    EXPECT_TRUE(test::active_parts(shown.html).empty()) << shown.html;
    return shown.html;
  }

  TraceBuilder builder_;
  const test::TemporaryFolder folder_;
  MathTypesetter math_;
  std::vector<std::string> warnings_;
};

TEST_F(RenderingsTest, ReferencesAreLabelled) {
  const auto label = [](const char* json) {
    return reference_label(*rendering_from_json(Json::parse(json)).as<rendering::Link>());
  };
  EXPECT_EQ(
      label(R"({"kind":"link","authors":["Rico Sennrich","Barry Haddow"],"date":"2016-08","title":"t"})"),
      "[Sennrich+ 2016]");
  EXPECT_EQ(label(R"({"kind":"link","authors":["Sennrich, Rico"],"date":"2016"})"), "[Sennrich 2016]");
  EXPECT_EQ(label(R"({"kind":"link","authors":["DeepSeek-AI"]})"), "[DeepSeek-AI]");
  EXPECT_EQ(label(R"({"kind":"link","authors":["A B"],"label":"this paper"})"), "this paper");
  EXPECT_EQ(label(R"({"kind":"link","title":"A title","url":"https://x"})"), "A title");
  EXPECT_EQ(label(R"({"kind":"link","url":"https://x"})"), "https://x");
}

TEST_F(RenderingsTest, NoBlankBeforePunctuationAfterALink) {
  const Assets assets;
  Renderings renderings(builder_.trace, assets, math_);
  std::vector<Rendering> show;
  for (const char* const rendering :
       {R"({"kind":"text","markdown":"See ("})", R"({"kind":"link","url":"https://e.org","label":"here"})",
        R"({"kind":"text","markdown":"), and"})", R"({"kind":"text","markdown":".5 more"})"})
    show.push_back(rendering_from_json(Json::parse(rendering)));
  EXPECT_TRUE(has(renderings.render(show, 0).html,
                  "See (<a class=\"ref\" href=\"https://e.org\">here</a>), and .5 more"));
}

TEST_F(RenderingsTest, ReferencesHaveACardThatTheyName) {
  const std::string made = html(
      R"({"kind":"link","url":"https://example.org/?a=1&b=2","title":"T","authors":["A B","C D","E F","G H"],
                                    "organization":"ACL","date":"2016-08","description":"D","notes":"N"})");
  EXPECT_TRUE(has(made,
                  "<a class=\"ref\" href=\"https://example.org/?a=1&amp;b=2\" "
                  "aria-describedby=\"site0.card0\" data-ref=\"1\">[B+ 2016]</a>"));
  EXPECT_TRUE(has(made, "<span class=\"card\" id=\"site0.card0\" role=\"tooltip\">"));
  EXPECT_TRUE(has(made, "A B, C D, E F et al."));
  EXPECT_TRUE(has(made, "ACL, August 2016"));
  EXPECT_FALSE(has(html(R"({"kind":"link","url":"https://example.org","label":"here"})"), "card"));
}

TEST_F(RenderingsTest, WhatAStatementShowsTogetherHasIdsOfItsOwn) {
  const Assets assets;
  Renderings renderings(builder_.trace, assets, math_);
  std::vector<Rendering> show;
  for (const char* const rendering :
       {R"({"kind":"text","markdown":"# Softmax\n\na[^1]\n\n[^1]: b","lang":"en"})",
        R"({"kind":"text","markdown":"# Softmax\n\na[^1]\n\n[^1]: b","lang":"fr"})",
        R"({"kind":"callout","type":"note","markdown":"a[^1]\n\n[^1]: b"})"})
    show.push_back(rendering_from_json(Json::parse(rendering)));
  const ShownRenderings shown = renderings.render(show, 0);
  EXPECT_EQ(shown.headings[0].id, "softmax");
  EXPECT_EQ(shown.headings[1].id, "softmax-2");
  for (const char* const id : {"site0.-fn-1", "site0.2-fn-1", "site0.3-fn-1"})
    EXPECT_TRUE(has(shown.html, "id=\"" + std::string(id) + "\"")) << id;
  EXPECT_EQ(renderings.render(show, 0).html, shown.html) << "in each pass";
}

TEST_F(RenderingsTest, BoxesTabsAndTablesHaveTheDirectionOfTheirText) {
  const std::string written = " lang=\"he\" dir=\"auto\">";
  EXPECT_TRUE(has(html(R"({"kind":"callout","type":"note","markdown":"זיכרון"})"),
                  written + "<p class=\"box-title\"><bdi>Note</bdi></p>"));
  EXPECT_TRUE(has(html(R"({"kind":"exercise","markdown":"זיכרון"})"),
                  written + "<p class=\"box-title\"><bdi>Exercise</bdi></p>"));
  EXPECT_TRUE(has(html(R"({"kind":"card","title":"זיכרון"})"), "<div class=\"box\"" + written));
  EXPECT_TRUE(has(html(R"({"kind":"note","markdown":"זיכרון"})"), "<div class=\"note\"" + written));
  EXPECT_TRUE(has(html(R"({"kind":"table","rows":[["זיכרון"]]})"), "tabindex=\"0\"" + written + "<table>"));
  const std::string tabs =
      html(R"({"kind":"tabs","tabs":[{"title":"זיכרון","markdown":"m"},{"title":"B","markdown":"זיכרון"}]})");
  EXPECT_TRUE(has(tabs, "<div class=\"tabs\"" + written)) << tabs;
  EXPECT_TRUE(has(tabs, "<div class=\"tab\"><p>m</p>"));
  EXPECT_TRUE(has(tabs, "<div class=\"tab\"" + written));
  const std::string known = html(R"({"kind":"callout","type":"note","markdown":"זיכרון","lang":"he"})");
  EXPECT_TRUE(has(known, "<div class=\"callout callout-note\" role=\"note\">")) << known;
}

TEST_F(RenderingsTest, LinksThatShowTheirAddressSaySo) {
  EXPECT_TRUE(has(html(R"({"kind":"link","url":"https://x/?a&b"})"),
                  "<a class=\"ref address\" href=\"https://x/?a&amp;b\">https://x/?a&amp;b</a>"));
  EXPECT_FALSE(has(html(R"({"kind":"link","url":"https://x","label":"here"})"), "address"));
}

TEST_F(RenderingsTest, AuthorsAreListed) {
  EXPECT_EQ(author_list({}), "");
  EXPECT_EQ(author_list({"A"}), "A");
  EXPECT_EQ(author_list({"A", "B"}), "A and B");
  EXPECT_EQ(author_list({"A", "B", "C"}), "A, B and C");
  EXPECT_EQ(author_list({"A", "B", "C", "D"}), "A, B, C et al.");
}

TEST_F(RenderingsTest, LinksToOtherSchemesAreLeftOut) {
  EXPECT_FALSE(has(html(R"x({"kind":"link","url":"javascript:alert(1)","title":"T"})x"), "href"));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_TRUE(warnings_[0].starts_with("example.cpp:1: ")) << warnings_[0];
  EXPECT_FALSE(has(html(R"({"kind":"card","url":"data:text/html,x","title":"T","markdown":"m"})"), "href"));
}

TEST_F(RenderingsTest, FunctionsAndClassesAreLinked) {
  EXPECT_TRUE(has(html(R"({"kind":"link","function":"lm::count"})"),
                  "<a class=\"fn\" href=\"#s0-3\"><code>lm::count</code></a>"));
  EXPECT_TRUE(has(html(R"({"kind":"link","function":"count"})"), "href=\"#s0-3\""));
  EXPECT_TRUE(has(html(R"({"kind":"link","function":"Merge"})"), "href=\"#s0-1\""));
  EXPECT_TRUE(has(html(R"({"kind":"link","function":"lm::Merge"})"), "href=\"#s0-1\""));
  EXPECT_FALSE(has(html(R"({"kind":"link","function":"Other"})"), "href")) << "a declaration only";
  builder_.trace.functions.push_back({"lm::Merge::Merge", 0, {2, 1, 2, 2}, {}});
  for (const char* json :
       {R"({"kind":"link","function":"lm::Merge"})", R"({"kind":"link","function":"lm::Merge::Merge"})"})
    EXPECT_TRUE(has(html(json), "<a class=\"fn\" href=\"#s0-1\"><code>lm::Merge</code></a>")) << json;
  EXPECT_FALSE(has(html(R"({"kind":"link","function":"unknown"})"), "href"));
}

TEST_F(RenderingsTest, ImagesKeepTheirPlaceFree) {
  EXPECT_TRUE(has(html(R"({"kind":"image","src":"a.svg","alt":"an \"a\"","caption":"*c*"})"),
                  "<figure class=\"fig image\"><a class=\"enlarge\" href=\"assets/a.svg\" "
                  "title=\"Enlarge\"><img loading=\"lazy\" src=\"assets/a.svg\" alt=\"an "
                  "&quot;a&quot;\" width=\"64\" "
                  "height=\"32\"></a><figcaption><em>c</em></figcaption></figure>"));
  EXPECT_TRUE(
      has(html(R"({"kind":"image","src":"a.svg","alt":"a","width":128})"), "width=\"128\" height=\"64\""));
}

TEST_F(RenderingsTest, ImagesWithColoursForDarkPagesAreMarked) {
  write_file(folder_ / "themed.svg",
             "<svg width=\"64\" height=\"32\"><style>@media (prefers-color-scheme: dark) {}</style></svg>");
  write_file(folder_ / "photo.png", "\x89PNG prefers-color-scheme");
  constexpr std::string_view kMarked = "<img class=\"themed\" loading=\"lazy\" src=\"assets/themed.svg\"";
  EXPECT_TRUE(has(html(R"({"kind":"image","src":"themed.svg","alt":"a"})"), kMarked));
  EXPECT_TRUE(has(html(R"x({"kind":"text","markdown":"![a](themed.svg)"})x"), kMarked));
  EXPECT_FALSE(has(html(R"({"kind":"image","src":"a.svg","alt":"a"})"), "themed"));
  EXPECT_FALSE(has(html(R"({"kind":"image","src":"photo.png","alt":"a"})"), "themed"));
}

TEST_F(RenderingsTest, CaptionsOfTablesStandUnderThem) {
  const std::string made = html(R"({"kind":"table","header":["h"],"rows":[["c"]],"caption":"*long*"})");
  EXPECT_TRUE(made.starts_with("<figure class=\"fig table\"><div class=\"scroll\"")) << made;
  EXPECT_TRUE(made.ends_with("</table></div><figcaption><em>long</em></figcaption></figure>")) << made;
}

TEST_F(RenderingsTest, NumbersOfTablesStandOnTheRight) {
  EXPECT_TRUE(has(html(R"({"kind":"table","header":["h","n"],"rows":[["c","12"],["d",""]],"numbers":[1,9]})"),
                  "<thead><tr><th scope=\"col\">h</th><th scope=\"col\" align=\"right\">n</th></tr></thead>"
                  "<tbody><tr><td>c</td><td align=\"right\">12</td></tr>"
                  "<tr><td>d</td><td align=\"right\"></td></tr></tbody>"));
}

TEST_F(RenderingsTest, OutputOfCommandsHasNoTerminalCodes) {
  const std::string made =
      html(R"({"kind":"system","command":"ls","text":"\u001b[1;31mred\u001b[0m <b>\n","status":0})");
  EXPECT_TRUE(has(made, ">red &lt;b&gt;\n</pre>")) << made;
}

TEST_F(RenderingsTest, ImagesFromElsewhereAreNotShown) {
  for (const char* json : {R"({"kind":"image","src":"../a.svg","alt":"the alt"})",
                           R"({"kind":"image","src":"https://x/a.svg","alt":"the alt"})",
                           R"({"kind":"image","src":"missing.svg","alt":"the alt"})",
                           R"({"kind":"video","src":"/a.mp4","alt":"the alt"})"}) {
    const std::string made = html(json);
    EXPECT_TRUE(has(made, "the alt")) << json;
    EXPECT_FALSE(has(made, "src=")) << json;
    EXPECT_EQ(warnings_.size(), 1u) << json;
  }
}

TEST_F(RenderingsTest, EveryKindShowsWhatItHolds) {
  EXPECT_TRUE(has(html(R"({"kind":"verbatim","text":"a  <b>"})"),
                  "<pre class=\"verbatim\" tabindex=\"0\">a  &lt;b&gt;</pre>"));
  EXPECT_TRUE(has(html(R"({"kind":"plot","spec":{"mark":"bar"},"caption":"c"})"), "&quot;mark&quot;"));
  EXPECT_TRUE(has(html(R"({"kind":"graph","edges":[{"from":"a","to":"b","label":"l"}]})"), "a \u2192 b  l"));
  EXPECT_TRUE(has(html(R"({"kind":"table","header":["*h*"],"rows":[["`c`"]]})"), "<td><code>c</code></td>"));
  EXPECT_TRUE(has(html(R"({"kind":"card","title":"T","markdown":"m"})"),
                  "<div class=\"box\"><p class=\"box-title\">T</p><p>m</p>"));
  EXPECT_TRUE(
      has(html(R"({"kind":"callout","type":"warning","markdown":"m","title":"t"})"), "callout-warning"));
  EXPECT_TRUE(has(html(R"({"kind":"callout","type":"x y","markdown":"m"})"), "callout-note"));
  const std::string tabs =
      html(R"({"kind":"tabs","tabs":[{"title":"*A*","markdown":"*m*"},{"title":"B","markdown":"n"}]})");
  EXPECT_TRUE(has(
      tabs, "checked><label for=\"site0.tabs0-0\"><em>A</em></label><div class=\"tab\"><p><em>m</em></p>"))
      << tabs;
  EXPECT_TRUE(has(tabs, "id=\"site0.tabs0-1\"><label")) << tabs;
  EXPECT_TRUE(has(html(R"({"kind":"exercise","markdown":"m","answer":"a"})"),
                  "<details class=\"answer\"><summary>Answer</summary><p>a</p></details>"));
  EXPECT_TRUE(has(html(R"({"kind":"note","markdown":"m"})"), "<div class=\"note\">"));
  EXPECT_TRUE(has(html(R"({"kind":"system","command":"ls","text":"o","status":2})"), "exit status 2"));
  EXPECT_TRUE(has(html(R"({"kind":"value","name":"x","value":{"type":"int","value":5}})"),
                  "<b>x</b> <span class=\"ty\">int</span>"));
  EXPECT_TRUE(has(html(R"({"kind":"hologram","x":1})"), "hologram"));
  EXPECT_EQ(html(R"({"kind":"front","title":"T"})"), "");
}

TEST_F(RenderingsTest, CalculatorsShowTheirInputsAndWhatTheyGave) {
  const std::string made = html(
      R"({"kind":"calculator","title":"A <b>","module":"x.wasm","function":"f","inputs":[)"
      R"({"name":"a","kind":"number","label":"A","unit":"kg","value":"70B","min":1.0,"max":10.0,"logarithmic":true},)"
      R"({"name":"b","kind":"switch","value":"true"},{"name":"c","kind":"choice","value":"y","choices":["x","y"]},)"
      R"({"name":"d","kind":"text","value":"\"><script>","lines":1000000},{"name":"e","kind":"text","value":"v","hidden":true}],)"
      R"("result":{"quantities":[{"label":"Q","text":"5 <i>","value":5.0,"note":"n"}],)"
      R"("bars":[{"label":"B","segments":[{"label":"s","text":"1","value":1.0},{"label":"t","text":"2","value":{"float":"nan"}}],)"
      R"("limits":[{"label":"l","text":"4","value":4.0}]}],)"
      R"("drawings":[{"alt":"a \"","width":10.0,"height":{"float":"inf"},"shapes":[)"
      R"({"kind":"line","points":[0.25,1.0,{"float":"inf"},-3.0],"color":3},{"kind":"label","points":[],"text":"<t>"},)"
      R"({"kind":"rect","points":[1.0]},{"kind":"onload","points":[1e300,2.0],"color":99}]}],)"
      R"("cells":[{"label":"C","cells":[{"text":"<c>","color":1,"title":"\"","marked":true}]}],)"
      R"("tables":[{"header":["h"],"rows":[["r","1"]]}],"notes":["<n>"]}})");
  EXPECT_TRUE(
      has(made, "<div class=\"calculator\" role=\"group\" aria-label=\"A &lt;b&gt;\" data-function=\"f\">"))
      << "no such module" << made;
  EXPECT_TRUE(has(made, "<fieldset disabled>"));
  EXPECT_TRUE(has(made, "data-min=\"1\" data-max=\"10\" data-log>"));
  EXPECT_TRUE(
      has(made, "name=\"b\" aria-describedby=\"site0.calculator0-1-problem\" spellcheck=\"false\" checked>"));
  EXPECT_TRUE(has(made, "<option>x</option><option selected>y</option>"));
  EXPECT_TRUE(has(made, "<textarea rows=\"40\""));
  EXPECT_TRUE(has(made, "&lt;script&gt;</textarea>"));
  EXPECT_TRUE(has(made, "<input type=\"hidden\" name=\"e\" value=\"v\">"));
  EXPECT_TRUE(has(made, "<dd>5 &lt;i&gt;<small>n</small></dd>"));
  EXPECT_TRUE(has(
      made, "<span class=\"c1\" style=\"width:25%\"></span><span class=\"c2\" style=\"width:0%\"></span>"));
  EXPECT_TRUE(has(made, "<i class=\"limit\" style=\"left:100%\"></i>"));
  EXPECT_TRUE(has(made, "viewBox=\"0 0 10 0\""));
  EXPECT_TRUE(has(made, "points=\"0.3 1 0 -3\"")) << made;
  EXPECT_TRUE(has(made, "<text class=\"ink\" x=\"0\" y=\"0\" text-anchor=\"middle\">&lt;t&gt;</text>"));
  EXPECT_TRUE(has(made, "<li class=\"c1 on\" title=\"&quot;\">&lt;c&gt;</li>"));
  EXPECT_TRUE(has(made, "<td>r</td><td align=\"right\">1</td>"));
  EXPECT_TRUE(test::active_parts(made).empty()) << test::active_parts(made)[0];
}

TEST_F(RenderingsTest, PlotsAreNamedByTheirAltTextElseTheirCaption) {
  const std::string both =
      html(R"({"kind":"plot","spec":{"mark":"bar"},"alt":"a","caption":"c","width":300})");
  EXPECT_TRUE(has(both, "<figure class=\"fig plot\"><div class=\"chart\" role=\"img\" aria-label=\"a\""))
      << both;
  EXPECT_TRUE(has(both, "max-width:300px"));
  EXPECT_TRUE(has(both, "<details><summary>Specification of a plot</summary>"));
  EXPECT_TRUE(has(html(R"({"kind":"plot","spec":{},"caption":"c"})"), "aria-label=\"c\""));
  EXPECT_TRUE(has(html(R"({"kind":"plot"})"), "<div class=\"plot\"><div class=\"chart\""));
}

TEST_F(RenderingsTest, MathematicsThatFailsIsAWarning) {
  EXPECT_TRUE(has(html(R"({"kind":"text","markdown":"$\\nonsense$"})"), "math-error"));
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_TRUE(has(warnings_[0], "mathematics that cannot be typeset"));
}

}  // namespace
}  // namespace lectern
