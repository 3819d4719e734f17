#include "lecture/hooks.h"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/depfile.h"
#include "base/files.h"
#include "lecture/code_link.h"
#include "lecture/dependencies.h"
#include "lecture/format.h"
#include "lecture/hook_test.h"
#include "lecture/table.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;
using test::fake;

class Hooks : public test::HookTest {};

TEST_F(Hooks, FrontMatter) {
  lecture({.title = "T \"q\"", .date = "2026-11-21", .authors = {"A", "B"}, .tags = {"x"}, .course = "C"});
  expect_shown(
      R"({"kind":"front","title":"T \"q\"","date":"2026-11-21","authors":["A","B"],"tags":["x"],"course":"C"})");
  lecture({.title = "T", .date = "2026-11-21T18:00+01:00"});
  expect_shown(R"({"kind":"front","title":"T","date":"2026-11-21T18:00+01:00"})");
  expect_refused([] { lecture({.title = "", .date = "2026-11-21"}); }, "title is missing");
  expect_refused([] { lecture({.title = "T", .date = ""}); }, "date is missing");
  for (const char* date : {"2026", "2026-02-30", "2026-13-01", "21.11.2026", "2026-11-2x", "2026-00-10",
                           "2025-02-29", "2026-11-21T18:00", "2026-11-21 18:00+01:00"}) {
    expect_refused([&] { lecture({.title = "T", .date = date}); }, "is not a date");
  }
  expect_refused([] { lecture({.title = "T", .date = "2024-02-29", .authors = {""}}); }, "authors is empty");
}

TEST_F(Hooks, FrontMatterOfACourse) {
  lecture({.title = "T",
           .date = "2026-11-21",
           .authors = {"A", {"B", "https://b.example"}},
           .series = "S",
           .subseries = "P",
           .order = 2,
           .categories = {"K"},
           .draft = true,
           .lang = "pt-BR",
           .license = {"CC BY 4.0", "https://cc.example"},
           .show = {.contents_open = false, .word_count = true},
           .goals = {"g"},
           .prerequisites = {"p", "q"}});
  expect_shown(
      R"({"kind":"front","title":"T","date":"2026-11-21","authors":["A","B"],"author_urls":{"B":"https://b.example"},)"
      R"("series":"S","subseries":"P","order":2,"categories":["K"],"draft":true,"lang":"pt-BR",)"
      R"("license":{"name":"CC BY 4.0","url":"https://cc.example"},"show":{"contents_open":false,"word_count":true},)"
      R"("goals":["g"],"prerequisites":["p","q"]})");
  const std::string day = "2026-11-21";
  expect_refused([&] { lecture({.title = "T", .date = day, .subseries = "P"}); }, "part of a series");
  expect_refused([&] { lecture({.title = "T", .date = day, .order = -1}); }, "counts from 1");
  expect_refused([&] { lecture({.title = "T", .date = day, .categories = {""}}); }, "categories is empty");
  expect_refused([&] { lecture({.title = "T", .date = day, .goals = {""}}); }, "goals is empty");
  expect_refused([&] { lecture({.title = "T", .date = day, .prerequisites = {""}}); },
                 "prerequisites is empty");
  expect_refused([&] { lecture({.title = "T", .date = day, .lang = "deutsch!"}); }, "tag of a language");
  expect_refused(
      [&] {
        lecture({.title = "T", .date = day, .authors = {{"A", "javascript:x"}}});
      },
      "javascript");
  expect_refused([&] { lecture({.title = "T", .date = day, .license = {.url = "https://x"}}); },
                 "has no name");
  expect_refused([&] { lecture({.title = "T", .date = day, .cover = {.alt = "x"}}); }, "has no image");
  expect_refused([&] { lecture({.title = "T", .date = day, .cover = {.image = "none.png", .alt = "x"}}); },
                 "lecture: the cover: \"none.png\" does not exist beside the lecture");
}

TEST_F(Hooks, Texts) {
  text("a *b* {} $x$\n");
  expect_shown(R"({"kind":"text","markdown":"a *b* {} $x$\n"})");
  verbatim("x\ty");
  expect_shown(R"({"kind":"verbatim","text":"x\ty"})");
  note("say this");
  expect_shown(R"({"kind":"note","markdown":"say this"})");
  exercise("why?", "because");
  expect_shown(R"({"kind":"exercise","markdown":"why?","answer":"because"})");
  exercise("why?", {.answer = "because", .answer_from = "2026-12-01"});
  expect_shown(R"({"kind":"exercise","markdown":"why?","answer":"because","answer_from":"2026-12-01"})");
  callout(Callout::definition, "a *merge*", "Merge");
  expect_shown(R"({"kind":"callout","type":"definition","title":"Merge","markdown":"a *merge*"})");
  card("T", "text", "https://example.org");
  expect_shown(R"({"kind":"card","title":"T","markdown":"text","url":"https://example.org"})");
  text("\xFF not UTF-8");
  expect_shown("{\"kind\":\"text\",\"markdown\":\"\uFFFD not UTF-8\"}");
  expect_refused([] { card("", ""); }, "neither title nor text");
  expect_refused([] { callout(static_cast<Callout>(9), "x"); }, "no such type");
}

TEST_F(Hooks, RawStringsAreDedented) {
  text(R"(
    A *list*:
    - one
      - two
  )");
  expect_shown(R"({"kind":"text","markdown":"A *list*:\n- one\n  - two"})");
  verbatim(R"(
    if (x)
      y();
  )");
  expect_shown(R"({"kind":"verbatim","text":"if (x)\n  y();"})");
  verbatim(std::string("\n  data\n"));
  expect_shown(R"({"kind":"verbatim","text":"\n  data\n"})");
  note("\n  say\n  this\n");
  expect_shown(R"({"kind":"note","markdown":"say\nthis"})");
  exercise("\n  why?\n", "\n  because\n  it is\n");
  expect_shown(R"({"kind":"exercise","markdown":"why?","answer":"because\nit is"})");
  callout(Callout::definition, "\n  a *merge*\n", "Merge");
  expect_shown(R"({"kind":"callout","type":"definition","title":"Merge","markdown":"a *merge*"})");
  card("T", "\n  text\n", "https://example.org");
  expect_shown(R"({"kind":"card","title":"T","markdown":"text","url":"https://example.org"})");
  tabs({{"A", "\n  a\n"}, {"B", "b"}});
  expect_shown(R"({"kind":"tabs","tabs":[{"title":"A","markdown":"a"},{"title":"B","markdown":"b"}]})");
  system_text(R"(
    for i in 1 2; do
      echo $i
    done
  )");
  expect_shown(R"({"kind":"system","command":"for i in 1 2; do\n  echo $i\ndone","text":"1\n2\n"})");
  plot(R"(
    {"mark": "bar",
      "n": 1}
  )");
  expect_shown("{\"kind\":\"plot\",\"spec\":{\"mark\": \"bar\",\n  \"n\": 1}}");
}

TEST_F(Hooks, Images) {
  image("figures/a.svg", {.alt = "A", .caption = "C", .width = 300});
  expect_shown(R"({"kind":"image","src":"a.svg","alt":"A","caption":"C","width":300})");
  EXPECT_TRUE(fs::exists(fake().assets / "a.svg"));
  EXPECT_TRUE(fake().warnings.empty());
  image("figures/a.svg");
  expect_shown(R"({"kind":"image","src":"a.svg"})");
  ASSERT_EQ(fake().warnings.size(), 1U);
  EXPECT_NE(fake().warnings[0].find("add {.alt"), std::string::npos);
}

TEST_F(Hooks, VideosHaveCaptions) {
  write("en.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\nOne\n");
  write("fr/clip.vtt", "\xEF\xBB\xBFWEBVTT\n");
  video("clip.mp4", {.alt = "V",
                     .captions = {{"en.vtt", "en", "English"}, {"fr/clip.vtt", "fr"}},
                     .poster = "figures/a.svg"});
  expect_shown(R"({"kind":"video","src":"clip.mp4","alt":"V","captions":[{"src":"en.vtt","lang":"en",)"
               R"("label":"English"},{"src":"clip.vtt","lang":"fr"}],"poster":"a.svg"})");
  EXPECT_TRUE(fs::exists(fake().assets / "clip.vtt"));
  EXPECT_TRUE(fake().warnings.empty());
  video("clip.mp4", {.alt = "V", .silent = true});
  expect_shown(R"({"kind":"video","src":"clip.mp4","alt":"V"})");
  EXPECT_TRUE(fake().warnings.empty());
  video("clip.mp4");
  expect_shown(R"({"kind":"video","src":"clip.mp4"})");
  ASSERT_EQ(fake().warnings.size(), 2U);
  EXPECT_NE(fake().warnings[0].find("add {.alt"), std::string::npos);
  EXPECT_NE(fake().warnings[1].find("no captions for those who don't hear it; add {.captions"),
            std::string::npos);
}

TEST_F(Hooks, WrongCaptionsAreRefused) {
  const auto with = [](const std::string& file, const std::string& language) {
    return [=] { video("clip.mp4", {.alt = "V", .captions = {{file, language}}}); };
  };
  write("en.vtt", "WEBVTT\n");
  write("subrip.vtt", "1\n00:00:01,000 --> 00:00:02,000\nOne\n");
  write("latin1.vtt", "WEBVTT\n\n00:01.000 --> 00:02.000\n\xE9\n");
  write("captions.txt", "WEBVTT\n");
  expect_refused(with("none.vtt", "en"),
                 "video: the captions: \"none.vtt\" does not exist beside the lecture");
  expect_refused(with("subrip.vtt", "en"), "\"subrip.vtt\" is not WebVTT");
  expect_refused(with("latin1.vtt", "en"), "\"latin1.vtt\" is not WebVTT, in UTF-8");
  expect_refused(with("captions.txt", "en"), "use one of .vtt");
  expect_refused(with("en.vtt", ""), "has no language");
  expect_refused(with("en.vtt", "fr_FR"), "\"fr_FR\" is not the tag of a language");
  expect_refused(with("../en.vtt", "en"), "outside of the lecture's folder");
  expect_refused([] { video("clip.mp4", {.alt = "V", .poster = "none.svg"}); },
                 "video: the poster: \"none.svg\" does not exist");
}

TEST_F(Hooks, TextsHaveLanguages) {
  text("Bonjour", {.language = "fr"});
  expect_shown(R"({"kind":"text","markdown":"Bonjour","lang":"fr"})");
  const auto both = [](const char* english, const char* german) {
    EXPECT_EQ(fake().renderings,
              (std::vector<std::string>{
                  std::string(R"({"kind":"text","markdown":")") + english + R"(","lang":"en"})",
                  std::string(R"({"kind":"text","markdown":")") + german + R"(","lang":"de-CH"})"}));
    fake().renderings.clear();
  };
  text({{"en", "A {brace}"}, {"de-CH", R"(
    Eine Klammer
  )"}});
  both("A {brace}", "Eine Klammer");
  text({{"en", "a mean of {:.1f}"}, {"de-CH", "ein Mittel von {:.2f}"}}, 2.5);
  both("a mean of 2.5", "ein Mittel von 2.50");
  text({{"fr", "un seul"}});
  expect_shown(R"({"kind":"text","markdown":"un seul","lang":"fr"})");
  text({{"fr", "{} fois"}}, 2);
  expect_shown(R"({"kind":"text","markdown":"2 fois","lang":"fr"})");
  callout(Callout::note, "Achtung", "", {.language = "de"});
  expect_shown(R"({"kind":"callout","type":"note","markdown":"Achtung","lang":"de"})");
  exercise("Warum?", {.answer = "Darum", .language = "de"});
  expect_shown(R"({"kind":"exercise","markdown":"Warum?","answer":"Darum","lang":"de"})");
  card("Titel", "m", "", {.language = "de"});
  expect_shown(R"({"kind":"card","title":"Titel","markdown":"m","lang":"de"})");
  image("figures/a.svg", {.alt = "Bild", .language = "de"});
  expect_shown(R"({"kind":"image","src":"a.svg","alt":"Bild","lang":"de"})");
  verbatim(R"(
    Zeile
  )",
           {.language = "de"});
  expect_shown(R"({"kind":"verbatim","text":"Zeile","lang":"de"})");
  verbatim(std::string("\n  Daten\n"), {.language = "de"});
  expect_shown(R"({"kind":"verbatim","text":"\n  Daten\n","lang":"de"})");
  tabs({{"Eins", "a"}, {"Zwei", "b"}}, {.language = "de"});
  expect_shown(
      R"({"kind":"tabs","tabs":[{"title":"Eins","markdown":"a"},{"title":"Zwei","markdown":"b"}],"lang":"de"})");
  note("\n  Langsam\n", {.language = "de"});
  expect_shown(R"({"kind":"note","markdown":"Langsam","lang":"de"})");
}

TEST_F(Hooks, LanguagesAreTags) {
  const TextStyle wrong{.language = "deutsch!"};
  expect_refused([&] { text("x", wrong); }, "text: \"deutsch!\" is not the tag of a language");
  expect_refused([&] { callout(Callout::note, "x", "", wrong); }, "callout: \"deutsch!\" is not the tag");
  expect_refused([&] { verbatim("x", wrong); }, "verbatim: \"deutsch!\" is not the tag");
  expect_refused([&] { tabs({{"A", "a"}, {"B", "b"}}, wrong); }, "tabs: \"deutsch!\" is not the tag");
  expect_refused([&] { note("x", wrong); }, "note: \"deutsch!\" is not the tag");
}

TEST_F(Hooks, WrongLanguagesAreRefused) {
  expect_refused([] { text("x", {.language = "fr_FR"}); }, "text: \"fr_FR\" is not the tag of a language");
  expect_refused([] { text({{"en", "x"}, {"en", "y"}}); }, "two translations are in \"en\"");
  expect_refused([] { text({{"en", "x"}, {"", "y"}}); }, "one of the translations has no language");
  expect_refused([] { text({{"en", "x {}"}, {"deutsch!", "y {}"}}, 1); }, "\"deutsch!\" is not the tag");
  expect_refused([] { text({{"en", "no field"}}, 1); }, "0 fields, 1 argument");
  expect_refused([] { callout(Callout::note, "x", "", {.language = "!"}); }, "callout: \"!\" is not the tag");
  expect_refused([] { exercise("x", {.language = "!"}); }, "exercise: \"!\" is not the tag");
  expect_refused([] { card("x", "", "", {.language = "!"}); }, "card: \"!\" is not the tag");
  expect_refused([] { image("figures/a.svg", {.alt = "A", .language = "!"}); },
                 "image: \"!\" is not the tag");
  expect_refused([] { plot("{}", {.language = "!"}); }, "plot: \"!\" is not the tag");
}

TEST_F(Hooks, DrawingsAreImagesThatTheLectureMade) {
  image(Drawing{"loss.svg", "<svg>1</svg>"}, {.alt = "Loss"});
  expect_shown(R"({"kind":"image","src":"loss.svg","alt":"Loss"})");
  EXPECT_TRUE(fs::exists(fake().assets / "loss.svg"));
  image(Drawing{"loss.svg", "<svg>2</svg>"}, {.alt = "Loss"});
  expect_shown(R"({"kind":"image","src":"loss-2.svg","alt":"Loss"})");
  for (const char* name : {"", ".svg", "loss", "loss.png", "../loss.svg", "a/loss.svg", "/loss.svg"}) {
    expect_refused([&] { image(Drawing{name, "<svg></svg>"}); }, "is no name for a drawing");
  }
  expect_refused([] { image(Drawing{"loss.svg", "loss"}); }, "is not SVG");
}

TEST_F(Hooks, ImagesOfOneNameGetNumbers) {
  write("one/same.svg", "<svg>1</svg>");
  write("two/same.svg", "<svg>2</svg>");
  image("one/same.svg", {.alt = "1"});
  expect_shown(R"({"kind":"image","src":"same.svg","alt":"1"})");
  image("two/same.svg", {.alt = "2"});
  expect_shown(R"({"kind":"image","src":"same-2.svg","alt":"2"})");
  image("one/same.svg", {.alt = "1"});
  expect_shown(R"({"kind":"image","src":"same.svg","alt":"1"})");
}

TEST_F(Hooks, ExercisesHaveStarterFiles) {
  write_file(fake().folder / "starters/merge.cpp", "#include <lectern/exercise.h>\nint main() {}\n");
  exercise("Write it.", {.starter = "merge"});
  expect_shown(R"({"kind":"exercise","markdown":"Write it.","starter":"merge.cpp"})");
  EXPECT_EQ(read_file(fake().assets / "merge.cpp"), "#include <lectern/exercise.h>\nint main() {}\n");
  expect_refused([] { exercise("Write it.", {.starter = "marge"}); },
                 "exercise: \"starters/marge.cpp\" does not exist beside the lecture; put it there");
  for (const char* name : {"../merge", "merge.cpp", "/merge", "a/b"})
    expect_refused([&] { exercise("Write it.", {.starter = name}); }, "is no name of a starter");
  write_file(fake().folder / "starters/plain.cpp", "#include <lectern/lecture.h>\nint main() {}\n");
  expect_refused([] { exercise("Write it.", {.starter = "plain"}); },
                 "does not include <lectern/exercise.h>");
}

TEST_F(Hooks, TheBuildSystemLearnsWhatIsShown) {
  const fs::path depfile = root_ / "run.d", folder = fs::weakly_canonical(fake().folder);
  setenv(kDepfileVariable, depfile.c_str(), 1);
  write("clip.vtt", "WEBVTT\n");
  write("poster.png", "p");
  write("starters/merge.cpp", "#include <lectern/exercise.h>\n");
  write("drawn.svg", "<svg/>");
  for (const char* shown : {"figures/a.svg", "clip.mp4", "clip.vtt", "poster.png", "starters/merge.cpp"})
    fs::last_write_time(folder / shown, fs::file_time_type::clock::now() - std::chrono::hours(1));
  image("figures/a.svg", {.alt = "A"});
  video("clip.mp4", {.alt = "B", .captions = {{"clip.vtt", "en"}}, .poster = "poster.png"});
  exercise("Write it.", {.starter = "merge"});
  image("drawn.svg", {.alt = "what the lecture has written itself"});
  EXPECT_THROW(image("none.svg", {.alt = "C"}), Error);
  unsetenv(kDepfileVariable);
  std::string rule;
  for (const char* shown :
       {"figures/a.svg", "clip.mp4", "clip.vtt", "poster.png", "starters/merge.cpp", "none.svg"})
    rule += prerequisite_for_make(folder / shown);
  EXPECT_EQ(read_file(depfile), rule);
}

TEST_F(Hooks, WrongImagesAreRefused) {
  expect_refused([] { image("figures/none.svg", {.alt = "A"}); },
                 "does not exist beside the lecture; put it there");
  expect_refused([] { image("https://example.org/a.png", {.alt = "A"}); },
                 "put the file beside the lecture and name it");
  expect_refused([] { image("//example.org/a.png"); }, "is an address");
  expect_refused([] { image("data:image/png;base64,AA=="); }, "is an address");
  expect_refused([] { image(""); }, "path is empty");
  expect_refused([] { image("figures/../../x.svg"); }, "outside of the lecture's folder");
  expect_refused([&] { image((fake().folder / "figures/a.svg").string()); },
                 "outside of the lecture's folder");
  expect_refused([] { image("figures"); }, "not a kind of file");
  expect_refused([] { image("clip.mp4"); }, "not a kind of file that browsers show; use one of .svg");
  expect_refused([] { image("figures/a.svg", {.alt = "A", .width = -1}); }, "negative");
  write("../secret.svg", "secret");
  fs::create_symlink("../../secret.svg", fake().folder / "figures/link.svg");
  expect_refused([] { image("figures/link.svg", {.alt = "A"}); }, "leads outside");
  fs::create_directory(fake().folder / "folder.svg");
  expect_refused([] { image("folder.svg", {.alt = "A"}); }, "is not a file");
}

int some_function(int n) {
  return n;
}
struct Owner {
  int method() const { return 1; }
};

TEST_F(Hooks, Links) {
  link("https://example.org/a?b#c", "label");
  expect_shown(R"({"kind":"link","url":"https://example.org/a?b#c","label":"label"})");
  for (const char* good :
       {"mailto:a@example.org", "other/page.html", "#part", "HTTP://example.org", "a:b/c"}) {
    if (std::string(good) == "a:b/c") {
      expect_refused([&] { link(good); }, "use http, https, mailto");
      continue;
    }
    link(good);
    EXPECT_EQ(fake().renderings.size(), 1U);
    fake().renderings.clear();
  }
  for (const char* bad :
       {"javascript:alert(1)", "JavaScript:x", "data:text/html,x", "file:///etc/passwd", ":x"}) {
    expect_refused([&] { link(bad); }, "use http, https, mailto or a relative URL");
  }
  expect_refused([] { link(""); }, "address is empty");
  expect_refused([] { link("https://example.org/a b"); }, "%20");
  expect_refused([] { link(" javascript:x"); }, "blank");
}

TEST_F(Hooks, References) {
  link(Reference{.title = "Attention",
                 .authors = {"Ashish Vaswani", "Noam Shazeer"},
                 .organization = "G",
                 .date = "2017-06",
                 .url = "https://example.org",
                 .description = "d",
                 .notes = "n"});
  expect_shown(
      R"({"kind":"link","url":"https://example.org","title":"Attention","label":"[Vaswani+ 2017]","authors":["Ashish Vaswani","Noam Shazeer"],"organization":"G","date":"2017-06","description":"d","notes":"n"})");
  link({.title = "One", .authors = {"Gage, Philip"}, .date = "1994"});
  expect_shown(
      R"({"kind":"link","title":"One","label":"[Gage 1994]","authors":["Gage, Philip"],"date":"1994"})");
  link({.title = "No authors", .url = "https://example.org"});
  expect_shown(R"({"kind":"link","url":"https://example.org","title":"No authors"})");
  expect_refused([] { link(Reference{.title = ""}); }, "neither title nor url");
  expect_refused([] { link(Reference{.title = "T", .date = "2017-13"}); }, "is not a date");
  expect_refused([] { link(Reference{.title = "T", .authors = {"A", " "}}); }, "authors is empty");
  expect_refused([] { link(Reference{.title = "T", .url = "ftp://x"}); }, "use http");
}

TEST_F(Hooks, LinksToCode) {
  fake().functions = {{"lm::some_function", {1, 1, 2, 1}, nullptr}, {"Owner::method", {3, 1, 4, 1}, nullptr}};
  fake().classes = {"lectern::Owner"};
  link(named("some_function"), some_function);
  expect_shown(R"({"kind":"link","function":"lm::some_function"})");
  link(named("Owner::method"), &Owner::method);
  expect_shown(R"({"kind":"link","function":"Owner::method"})");
  link<Owner>();
  EXPECT_NE(fake().renderings.at(0).find("Owner"), std::string::npos);
  fake().renderings.clear();
  expect_refused([] { link(named("printf"), some_function); }, "has no function or class printf");
  const char* const address = "https://example.org";
  link(named("address"), address);
  expect_shown(R"({"kind":"link","url":"https://example.org"})");
}

TEST_F(Hooks, Plots) {
  plot(R"({"mark": "bar", "n": [1, 2.5e-3, null, "\u00e9"]})", {.alt = "bars", .caption = "c", .width = 10});
  expect_shown(
      R"({"kind":"plot","spec":{"mark": "bar", "n": [1, 2.5e-3, null, "\u00e9"]},"alt":"bars","caption":"c","width":10})");
  expect_refused([] { plot("{\n \"mark\": bar}"); }, "line 2, column 10: invalid literal");
  for (const char* bad :
       {"", "{", "{\"a\":1,}", "{\"a\":01}", "{\"a\":1} x", "{'a':1}", "{\"a\":\"\n\"}", "{\"a\":tru}"}) {
    expect_refused([&] { plot(bad); }, "not JSON");
  }
  expect_refused([] { plot("[1]"); }, "not a JSON object");
}

TEST_F(Hooks, Tabs) {
  tabs({{"C++", "`int`"}, {"Python", ""}});
  expect_shown(R"({"kind":"tabs","tabs":[{"title":"C++","markdown":"`int`"},{"title":"Python"}]})");
  expect_refused([] { tabs({{"one", "x"}}); }, "tabs: there are fewer than two alternatives");
  expect_refused([] { tabs({{"one", "x"}, {"", "y"}}); }, "tabs: one of the titles is empty");
}

TEST_F(Hooks, Graphs) {
  graph({{"a", "A"}, {"b"}}, {{"a", "b", "e"}}, {.caption = "c"});
  expect_shown(
      R"({"kind":"graph","nodes":[{"id":"a","label":"A"},{"id":"b"}],"edges":[{"from":"a","to":"b","label":"e"}],"caption":"c"})");
  expect_refused([] { graph({{"a"}}, {{"a", "z"}}); }, "\"z\", which is not there");
  expect_refused([] { graph({{"a"}, {"a"}}, {}); }, "two nodes have the id");
  expect_refused([] { graph({{""}}, {}); }, "no id");
}

TEST_F(Hooks, SystemText) {
  system_text("echo out; echo err >&2; exit 3");
  expect_shown(
      R"({"kind":"system","command":"echo out; echo err >&2; exit 3","text":"out\nerr\n","status":3})");
  system_text("kill -9 $$");
  expect_shown(R"({"kind":"system","command":"kill -9 $$","status":137})");
  system_text("head -c 200000 /dev/zero | tr '\\0' x");
  EXPECT_LT(fake().renderings.at(0).size(), 66'000U);
  EXPECT_TRUE(nlohmann::json::accept(fake().renderings[0]));
  fake().renderings.clear();
  expect_refused([] { system_text(""); }, "command is empty");
}

TEST_F(Hooks, InspectShowsValues) {
  const int n = 3;
  inspect(named("n"), n, named("v[0]"), std::string("s"));
  ASSERT_EQ(fake().renderings.size(), 2U);
  EXPECT_EQ(fake().renderings[0], R"({"kind":"value","name":"n","value":{"type":"int","value":3}})");
  EXPECT_EQ(fake().renderings[1],
            R"({"kind":"value","name":"v[0]","value":{"type":"std::string","value":"s"}})");
}

TEST_F(Hooks, WithoutARecordingTheyPrint) {
  fake().recording = false;
  ::testing::internal::CaptureStdout();
  lecture({.title = "T", .date = "2026-11-21"});
  text("mean {:.1f}", 2.0);
  note("hidden");
  image("figures/none.svg", {.alt = "A"});
  link("https://example.org", "E");
  link(named("f"), some_function);
  table({"h", "i"}, {{"1", "2"}});
  callout(Callout::warning, "w");
  tabs({{"A", "a"}, {"B", "b"}});
  text("Bonjour", {.language = "fr"});
  verbatim("mot", {.language = "fr"});
  tabs({{"C", "c"}, {"D", "d"}}, {.language = "fr"});
  note("caché", {.language = "fr"});
  inspect(named("v"), std::vector<std::string>{"a"});
  inspect(std::vector<int>{1});
  inspect(named("s"), std::string("a\n"), named("c"), '\'', named("none"), static_cast<int*>(nullptr));
  EXPECT_EQ(::testing::internal::GetCapturedStdout(),
            "# T\nmean 2.0\n[image figures/none.svg: A]\nE <https://example.org>\nf\nh | i\n1 | 2\nwarning: "
            "w\nA: a\nB: b\nBonjour\nmot\nC: c\nD: d\nv = "
            "[\"a\"]\n[1]\ns = \"a\\n\"\nc = '\\''\nnone = nullptr\n");
  EXPECT_TRUE(fake().renderings.empty());
}

TEST(ReadableValue, EveryForm) {
  const std::vector<std::pair<std::string, std::string>> forms{
      {R"({"type":"int","value":5})", "5"},
      {R"({"type":"double","value":{"float":"nan"}})", "nan"},
      {R"({"type":"std::string","value":"a\n\u0001\"","size":100})", "a\n\x01\"…"},
      {R"({"type":"std::vector<int>","items":[1,2],"size":9})", "[1, 2, …]"},
      {R"({"type":"std::vector<int>","items":[]})", "[]"},
      {R"({"type":"M","entries":[["a",1],["b",{"type":"P","items":[1,2]}]]})", R"({"a": 1, "b": [1, 2]})"},
      {R"({"type":"P","fields":[["x",1.0],["y","s"]]})", R"(P{x: 1.0, y: "s"})"},
      {R"({"type":"Color","text":"red","value":1})", "red"},
      {R"({"type":"d","quantity":12,"unit":"ms"})", "12 ms"},
      {R"({"type":"std::optional<int>","to":null})", "nullopt"},
      {R"({"type":"std::optional<int>","to":3})", "3"},
      {R"({"type":"int*","to":null})", "nullptr"},
      {R"({"type":"int*","to":3})", "→ 3"},
      {R"({"type":"void*","address":"0x7ffe12"})", "0x7ffe12"},
      {R"({"type":"std::variant<int, std::string>","to":{"type":"std::string","value":"a"}})",
       R"(std::string "a")"},
      {R"({"type":"long","value":-9223372036854775808})", "-9223372036854775808"},
      {R"({"type":"unsigned long","value":18446744073709551615})", "18446744073709551615"},
      {R"({"type":"V","items":[123456.789,0.30000000000000004]})", "[123456.789, 0.30000000000000004]"},
      {R"({"type":"char","value":"a"})", "a"},
      {R"({"type":"V","items":[{"type":"char","value":"\n"},"\"\t"]})", R"(['\n', "\"\t"])"},
      {R"({"type":"V","items":[{"value":"ab","size":9}]})", R"(["ab"…])"},
      {R"({"type":"Closed"})", "(Closed)"},
      {R"({"type":"L","items":[{"ref":1},{"cut":true}]})", "[(#1), …]"},
      {R"({"type":"std::string","value":{"bytes":"e4bd"}})", R"(\xE4\xBD)"},
  };
  for (const auto& [json, text] : forms) EXPECT_EQ(readable_value(json), text) << json;
}

}  // namespace
}  // namespace lectern
