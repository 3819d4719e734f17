#include "site/media.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "has.h"
#include "site/document.h"
#include "site/inert_html.h"
#include "site/trace_builder.h"
#include "site/translations.h"
#include "temporary_folder.h"
#include "trace/languages.h"

namespace lectern {
namespace {

using test::has;
using test::TraceBuilder;

TEST(Webvtt, HasCues) {
  const auto [cues, refused] = webvtt_captions(
      "WEBVTT - title\r\n\r\nSTYLE\r\n::cue { color: red }\r\n\r\nNOTE a --\r\n\r\n"
      "7\r\n01:02.500 --> 1:00:03.000 align:start\r\n<v Ada>One <b>&amp;</b> two</v>\r\nthree\r\n\r\n"
      "00:04.000 --> 00:05.000\nfour\n");
  ASSERT_EQ(cues.size(), 2u);
  EXPECT_DOUBLE_EQ(cues[0].begin, 62.5);
  EXPECT_DOUBLE_EQ(cues[0].end, 3603);
  EXPECT_EQ(cues[0].text, "One & two\nthree");
  EXPECT_EQ(cues[1].text, "four");
  EXPECT_EQ(refused, 0u);
}

TEST(Webvtt, WhatIsNoCueIsLeftOut) {
  for (const char* const text :
       {"", "WEBVTT", "WEBVTT\n\n-->\nx", "a --> b\nx", "00:02.000 --> 00:01.000\nback",
        "00:0x.000 --> 00:03.000\nx", "5 --> 6\nx", "-1:00.000 --> 00:03.000\nx", "00:1e9 --> 00:2e9\nx",
        "1:2:3:4.000 --> 1:2:3:5.000\nx"})
    EXPECT_TRUE(webvtt_captions(text).cues.empty()) << text;
}

class MediaTest : public ::testing::Test {
 protected:
  std::string video(const char* captions) {
    const Assets assets(
        {{"v.webm", folder_ / "v.webm"}, {"a.vtt", folder_ / "a.vtt"}, {"b.svg", folder_ / "b.svg"}});
    warnings_.clear();
    rendering::Video shown{"v.webm", "A \"clip\"", "", 0};
    shown.captions = {{captions, "fr", "Fran<ais"}};
    shown.poster = "b.svg";
    const std::string html =
        video_html(assets, shown, 320, [this](const std::string& what) { warnings_.push_back(what); });
    EXPECT_TRUE(test::active_parts(html).empty()) << html;
    return html;
  }

  const test::TemporaryFolder folder_;
  std::vector<std::string> warnings_;
};

TEST_F(MediaTest, VideosHaveTracksAndTranscripts) {
  write_file(folder_ / "a.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n<i>Un</i> &lt;b&gt;\n");
  const std::string html = video("a.vtt");
  EXPECT_TRUE(has(html,
                  " poster=\"assets/b.svg\" width=\"320\"><track kind=\"captions\" src=\"assets/a.vtt\" "
                  "srclang=\"fr\" label=\"Fran&lt;ais\" default=\"\"></video>"))
      << html;
  EXPECT_TRUE(has(html,
                  "<summary>Transcript, Fran&lt;ais</summary><ol lang=\"fr\"><li data-begin=\"1.000\" "
                  "data-end=\"2.000\"><span class=\"at\">0:01</span> <span>Un &lt;b&gt;</span></li></ol>"))
      << html;
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(MediaTest, WhatIsNoCaptionsIsNoTrack) {
  write_file(folder_ / "a.vtt", "<script>alert(1)</script>");
  write_file(folder_ / "b.svg", "<svg/>");
  for (const char* const file : {"a.vtt", "b.svg", "missing.vtt", "../a.vtt"}) {
    EXPECT_FALSE(has(video(file), "<track")) << file;
    EXPECT_EQ(warnings_.size(), 1u) << file;
  }
  write_file(folder_ / "a.vtt", "WEBVTT\n");
  EXPECT_FALSE(has(video("a.vtt"), "<track")) << "it says nothing";
}

TEST_F(MediaTest, CuesBeyondAnyVideoAreRefusedWithAWarning) {
  const std::string good =
      "WEBVTT\n\n00:01.000 --> 00:02.000\nsaid\n\n999999:00:00.000 --> 999999:00:01.000\nlate\n\n";
  write_file(folder_ / "a.vtt", good);
  EXPECT_TRUE(has(video("a.vtt"), ">999999:00:00</span> <span>late"));
  EXPECT_TRUE(warnings_.empty());
  const std::string many(300, '9');
  for (const std::string& time : {many + ":00:00.000", many + ":00.000", std::string("1000001:00:00.000")}) {
    write_file(folder_ / "a.vtt", good + "00:01.000 --> " + time + "\nnever\n");
    const std::string html = video("a.vtt");
    EXPECT_TRUE(has(html, "<span>late</span>") && !has(html, "never")) << time;
    ASSERT_EQ(warnings_.size(), 1u) << time;
    EXPECT_TRUE(warnings_.front().starts_with("the captions a.vtt have a cue that cannot be shown;"));
  }
}

constexpr const char* kAlternatives =
    R"([{"kind":"text","markdown":"One","lang":"en"},{"kind":"text","markdown":"واحد","lang":"ar"},)"
    R"({"kind":"text","markdown":"plain"},{"kind":"text","markdown":"mot","lang":"fr"}])";

TEST(Languages, AlternativesStandTogether) {
  TraceBuilder builder("f();\n");
  builder.hook("f();", kAlternatives);
  const std::string& html = test::Page(builder.trace).body;
  EXPECT_TRUE(has(
      html,
      "<div class=\"tongues\"><div class=\"tongue\" lang=\"en\"><div class=\"prose\"><p>One</p></div></div>"
      "<div class=\"tongue\" lang=\"ar\" dir=\"rtl\"><div class=\"prose\"><p>واحد</p></div></div></div>"))
      << html;
  EXPECT_TRUE(has(html, "<div lang=\"fr\"><div class=\"prose\"><p>mot</p>"))
      << "a text in another language is none";
  EXPECT_EQ(languages_in(html, {}), (std::vector<std::string>{"en", "ar"}));
  EXPECT_EQ(languages_in(html, {"ar", "en"}), (std::vector<std::string>{"ar", "en"}));
}

TEST(Languages, NotesTabsAndVerbatimTextsHaveThem) {
  TraceBuilder builder("f();\ng();\nh();\n");
  builder.hook(
      "f();",
      R"([{"kind":"verbatim","text":"One","lang":"en"},{"kind":"verbatim","text":"واحد","lang":"ar"}])");
  builder.hook("g();",
               R"([{"kind":"tabs","tabs":[{"title":"A","markdown":"a tab"},{"title":"B"}],"lang":"en"},)"
               R"({"kind":"tabs","tabs":[{"title":"C","markdown":"une page"},{"title":"D"}],"lang":"fr"}])");
  builder.hook("h();", R"([{"kind":"note","markdown":"Slowly","lang":"en"},)"
                       R"({"kind":"note","markdown":"Lentement","lang":"fr"}])");
  const std::string& html = test::Page(builder.trace).body;
  EXPECT_TRUE(has(html,
                  "<div class=\"tongues\"><div class=\"tongue\" lang=\"en\"><div class=\"verbatim-figure\">"
                  "<pre class=\"verbatim\" tabindex=\"0\">One</pre></div></div><div class=\"tongue\" "
                  "lang=\"ar\" dir=\"rtl\"><div class=\"verbatim-figure\">"))
      << html;
  for (const char* const kind : {"tabs", "note"}) {
    for (const char* const language : {"en", "fr"})
      EXPECT_TRUE(has(
          html, std::string("<div class=\"tongue\" lang=\"") + language + "\"><div class=\"" + kind + "\">"))
          << kind << " in " << language;
  }
  EXPECT_EQ(languages_in(html, {"fr"}), (std::vector<std::string>{"fr", "en", "ar"}));
  const std::string french = markdown_text(lecture_document(in_language(builder.trace, "fr"), {}));
  EXPECT_TRUE(has(french, "une page") && !has(french, "a tab")) << french;
  EXPECT_TRUE(has(french, "One") && has(french, "واحد")) << "what is not there in it stays";
}

TEST(Languages, WhatIsNoTagIsNone) {
  TraceBuilder builder("f();\n");
  builder.hook(
      "f();",
      R"([{"kind":"text","markdown":"x","lang":"\"><script>"},{"kind":"text","markdown":"y","lang":"en"}])");
  const std::string html = test::Page(builder.trace).body;
  EXPECT_FALSE(has(html, "<script>"));
  EXPECT_EQ(languages_in(html, {}), std::vector<std::string>{"en"});
}

TEST(Languages, AReaderReadsOneOfThem) {
  TraceBuilder one("f();\n"), two("f();\n");
  one.hook("f();", R"([{"kind":"text","markdown":"one two three"}])");
  two.hook(
      "f();",
      R"([{"kind":"text","markdown":"one two three","lang":"en"},{"kind":"text","markdown":"eins zwei drei","lang":"de"}])");
  EXPECT_EQ(test::Page(one.trace).steps.words, 3u);
  EXPECT_EQ(test::Page(two.trace).steps.words, 3u);
}

TEST(Languages, AnExportHasAllOrOne) {
  TraceBuilder builder("f();\n");
  builder.hook("f();", kAlternatives);
  const auto text = [](const Trace& trace) { return markdown_text(lecture_document(trace, {})); };
  const std::string all = text(builder.trace);
  for (const char* const part : {"One", "واحد", "plain", "mot"}) EXPECT_TRUE(has(all, part)) << part;
  const std::string english = text(in_language(builder.trace, "en"));
  for (const char* const part : {"One", "plain", "mot"}) EXPECT_TRUE(has(english, part)) << part;
  EXPECT_FALSE(has(english, "واحد"));
  EXPECT_EQ(text(in_language(builder.trace, "ja")), all) << "what is not there in it stays";
}

TEST(Languages, WhatIsMissingIsSaid) {
  const std::vector<Rendering> show = {Rendering{rendering::Text{"One", "en"}},
                                       Rendering{rendering::Text{"Eins", "de"}}};
  ASSERT_EQ(alternatives_end(show, 0), 2u);
  EXPECT_TRUE(translation_problems(show, 0, 2, {}).empty());
  EXPECT_TRUE(translation_problems(show, 0, 2, {"de", "en"}).empty());
  const std::vector<std::string> problems = translation_problems(show, 0, 2, {"en", "fr"});
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_TRUE(has(problems[0], "not there in \"fr\""));
  EXPECT_TRUE(has(problems[1], "\"de\" is not among the languages of site.toml"));
}

}  // namespace
}  // namespace lectern
