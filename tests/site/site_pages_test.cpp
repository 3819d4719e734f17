#include "site/site_pages.h"

#include <cstdlib>
#include <map>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/files.h"
#include "has.h"
#include "inert_html.h"
#include "site/assets.h"
#include "site/own_files.h"
#include "site/site_search.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

using test::has;
namespace fs = std::filesystem;
using Front = nlohmann::ordered_json;

class SitePages : public ::testing::Test {
 protected:
  SitePages() {
    options_.output = folder_ / "site";
    options_.templates = folder_ / "templates";
    write_file(options_.templates / "assets/style.css", "");
    for (const auto& entry : fs::directory_iterator(fs::path(LECTERN_SOURCE_DIR) / "site_templates")) {
      if (entry.path().extension() == ".mustache")
        fs::copy_file(entry, options_.templates / entry.path().filename());
    }
  }

  /// Renders a lecture with this front matter, alone, as a build system does.
  void render(const std::string& name, Front front) {
    front["kind"] = "front";
    if (!front.contains("title")) front["title"] = "The " + name;
    const fs::path trace = folder_ / (name + ".json");
    write_file(trace, "{\"format\":\"lectern-trace/1\",\n\"lecture\":\"" + name + R"(","records":[
{"source":0,"path":")" + name +
                          R"(.cpp","language":"cpp","lines":["int main() {","  lecture({});","}"]},
{"function":0,"name":"main","source":0,"span":[1,1,3,2]},
{"site":0,"function":0,"span":[2,3,2,15],"kind":"hook"},
{"stack":0,"function":0},
{"at":0,"in":0,"enter":1,"show":[)" +
                          front.dump() + R"(]},
{"end":"return","status":0,"steps":1}
]})");
    if (front.contains("cover")) write_file(folder_ / (name + ".assets/cover.png"), "");
    render_site({trace}, options_);
  }

  std::string site_file(const std::string& name) const { return read_file(options_.output / name); }
  bool exists(const std::string& name) const { return fs::exists(options_.output / name); }

  const test::TemporaryFolder folder_;
  RenderOptions options_;
};

TEST_F(SitePages, LecturesThatAreRenderedOneByOneLeadToEachOther) {
  render("b", {{"series", "S"}, {"order", 2}});
  EXPECT_FALSE(has(site_file("b/index.html"), "class=\"neighbours\"")) << "there is no other";
  render("c", {{"series", "S"}, {"order", 3}});
  EXPECT_TRUE(has(site_file("b/index.html"),
                  "<a class=\"next\" rel=\"next\" href=\"../c/index.html\">"
                  "<span>Next</span> The c</a>"));
  render("a", {{"series", "S"}, {"order", 1}});
  EXPECT_TRUE(has(site_file("b/index.html"), "rel=\"prev\" href=\"../a/index.html\""));
  EXPECT_TRUE(has(site_file("a/index.html"), "rel=\"next\" href=\"../b/index.html\""));
  EXPECT_FALSE(has(site_file("a/index.html"), "rel=\"prev\""));
  render("c", {{"series", "S"}, {"order", 3}, {"title", "Sea"}});
  EXPECT_TRUE(has(site_file("b/index.html"), "<span>Next</span> Sea</a>"));
  render("b", {{"series", "S"}, {"order", 9}});
  EXPECT_TRUE(has(site_file("a/index.html"), "rel=\"next\" href=\"../c/index.html\""));
  EXPECT_TRUE(has(site_file("c/index.html"), "rel=\"next\" href=\"../b/index.html\""));
  fs::remove_all(options_.output / "c");
  render_site({}, options_);
  EXPECT_TRUE(has(site_file("a/index.html"), "rel=\"next\" href=\"../b/index.html\""));
}

TEST_F(SitePages, EveryLectureCanBeSearched) {
  render("a", {{"title", "Alpha"}});
  render("b", {{"title", "</script><b>"}});
  const std::vector<SearchEntry> entries = {{SearchKind::function, "main", "s0-1"}};
  const SearchedLecture alpha{"a", "Alpha", entries};
  EXPECT_EQ(site_file("search.js"), search_script({alpha, {"b", "</script><b>", entries}}));
  EXPECT_TRUE(has(site_file("symbols.html"),
                  "<dt><code>main()</code></dt><dd><a href=\"a/index.html#s0-1\">Alpha</a>"
                  "<a href=\"b/index.html#s0-1\">&lt;/script&gt;&lt;b&gt;</a></dd>"));
  EXPECT_TRUE(has(site_file("index.html"), "href=\"symbols.html\""));
  fs::remove_all(options_.output / "b");
  render_site({}, options_);
  EXPECT_EQ(site_file("search.js"), search_script({alpha}));
  fs::remove(options_.output / "a/search.json");
  render_site({}, options_);
  EXPECT_EQ(site_file("search.js"), search_script({{"a", "Alpha", {}}})) << "of an earlier Lectern";
}

TEST_F(SitePages, WhatALectureIsForAndBuildsOn) {
  render("b", {{"goals", {"say <what> it costs"}}, {"prerequisites", {"a", "algebra"}}});
  const std::string goals = "<ul class=\"goals\" dir=\"auto\"><li>say &lt;what&gt; it costs</li></ul>";
  EXPECT_TRUE(has(site_file("b/index.html"), goals));
  EXPECT_TRUE(has(site_file("b/index.html"), "It builds on a, algebra.")) << "there is no such lecture yet";
  render("a", {{"title", "Alpha"}});
  const std::string builds_on = "It builds on <a href=\"../a/index.html\">Alpha</a>, algebra.";
  EXPECT_TRUE(has(site_file("b/index.html"), builds_on));
  EXPECT_TRUE(has(site_file("index.html"), goals));
  EXPECT_TRUE(has(site_file("index.html"), "It builds on <a href=\"a/index.html\">Alpha</a>, algebra."));
  EXPECT_FALSE(has(site_file("a/index.html"), "class=\"goals\""));
  render_site({}, options_);
  const std::string page = site_file("b/index.html");
  EXPECT_EQ(page.find(builds_on), page.rfind(builds_on)) << "once, however often it is made anew";
}

TEST_F(SitePages, ACourseHasItsPlanOnTheHomePage) {
  render("a", {{"title", "Alpha"}});
  EXPECT_TRUE(has(site_file("index.html"), "<h2><a href=\"a/index.html\">Alpha</a></h2>"));
  EXPECT_FALSE(has(site_file("index.html"), "class=\"plan\""));
  options_.settings.course.goals = {"train & measure"};
  options_.settings.course.weeks = {
      {.title = "Begin",
       .begins = "2026-09-07",
       .lectures = {"a", "Scaling laws"},
       .assignments = {{.name = "Tokens", .url = "tokens/", .due = "2026-09-18"},
                       {.name = "Reading", .url = "", .due = ""}}},
      {.title = "", .begins = "", .lectures = {}, .assignments = {}}};
  render_site({}, options_);
  const std::string home = site_file("index.html");
  for (const char* const part :
       {"<li>train &amp; measure</li>",
        "<b>Week 1</b> <time datetime=\"2026-09-07\">7 September 2026</time></p>", "<h3>Begin</h3>",
        "<li><a href=\"a/index.html\">Alpha</a></li><li><span class=\"announced\">Scaling laws</span></li>",
        "<li>Assignment: <a href=\"tokens/\">Tokens</a>, due <time datetime=\"2026-09-18\">18 September "
        "2026</time></li><li>Assignment: Reading</li>",
        "<b>Week 2</b></p>\n<div></div>", "<h3><a href=\"a/index.html\">Alpha</a></h3>"}) {
    EXPECT_TRUE(has(home, part)) << part;
  }
  EXPECT_FALSE(has(home, "What you need"));
}

TEST_F(SitePages, WhatSurroundsALectureIsMadeAnewWithoutItsTrace) {
  render("a", {{"tags", {"t"}}});
  const std::string before = site_file("a/index.html");
  const auto time = fs::last_write_time(options_.output / "a/index.html") - std::chrono::hours(1);
  fs::last_write_time(options_.output / "a/index.html", time);
  render_site({}, options_);
  EXPECT_EQ(site_file("a/index.html"), before);
  EXPECT_EQ(fs::last_write_time(options_.output / "a/index.html"), time) << "nothing changed";
  options_.settings.title = "A course";
  render_site({}, options_);
  const std::string after = site_file("a/index.html");
  EXPECT_TRUE(has(after, "<title>The a &#183; A course</title>"));
  EXPECT_TRUE(has(after, "href=\"../index.html\">A course</a>"));
  EXPECT_TRUE(has(site_file("index.html"), "<h1>A course</h1>"));
  EXPECT_EQ(*lecture_body_of(after), *lecture_body_of(before));
  options_.settings.title.clear();
  render_site({}, options_);
  EXPECT_EQ(site_file("a/index.html"), before);
}

TEST_F(SitePages, BreadcrumbsAndPagesOfGroupsLeadBothWays) {
  render("a", {{"course", "K"},
               {"series", "Big models"},
               {"subseries", "Basics"},
               {"categories", {"Systems"}},
               {"tags", {"memory", "C++"}}});
  const std::string page = site_file("a/index.html");
  EXPECT_TRUE(has(page, "<nav class=\"crumb\" aria-label=\"Breadcrumbs\"><span class=\"course\">K"));
  EXPECT_TRUE(has(page, "<a href=\"../series/big-models.html\">Big models</a>"));
  EXPECT_TRUE(has(page, "<a href=\"../series/big-models.html#basics\">Basics</a>"));
  EXPECT_TRUE(has(page, "<b aria-current=\"page\">The a</b>"));
  for (const std::string& label :
       {std::string("categories/systems.html"), std::string("tags/memory.html"), group_path(kTags, "C++")}) {
    EXPECT_TRUE(has(page, "<a class=\"tag\" href=\"../" + label + "\">")) << label;
    EXPECT_TRUE(has(site_file("index.html"), "href=\"" + label + "\"")) << label;
    EXPECT_TRUE(has(site_file(label), "<a href=\"../a/index.html\">The a</a>")) << label;
  }
  const std::string series = site_file("series/big-models.html");
  EXPECT_TRUE(has(series, "<h2 class=\"part\" id=\"basics\">Basics</h2>"));
  EXPECT_TRUE(has(series, "<h3><a href=\"../a/index.html\">The a</a></h3>"));
  EXPECT_TRUE(has(series, "<a href=\"../index.html#series\">Series</a>"));
}

TEST_F(SitePages, OfTagsThatNoLectureHasAnyMoreDisappear) {
  render("a", {{"tags", {"old", "both"}}});
  render("b", {{"tags", {"both"}}, {"series", "S"}});
  EXPECT_TRUE(exists("tags/old.html"));
  EXPECT_TRUE(exists("series/s.html"));
  render("a", {{"tags", {"new"}}});
  EXPECT_FALSE(exists("tags/old.html"));
  EXPECT_TRUE(exists("tags/new.html"));
  EXPECT_TRUE(has(site_file("tags/both.html"), "1 lecture"));
  EXPECT_FALSE(has(site_file("index.html"), "tags/old.html"));
  render("b", Front::object());
  EXPECT_FALSE(exists("series"));
  EXPECT_FALSE(exists("tags/both.html"));
}

TEST_F(SitePages, DraftsAreForTheirAuthor) {
  render("a", {{"tags", {"t"}}, {"series", "S"}, {"order", 1}});
  render("b", {{"tags", {"secret"}}, {"series", "S"}, {"order", 2}, {"draft", true}});
  EXPECT_TRUE(has(site_file("index.html"), "<span class=\"draft\">Draft</span>"));
  EXPECT_TRUE(has(site_file("b/index.html"), "<meta name=\"robots\" content=\"noindex\">"));
  EXPECT_TRUE(has(site_file("a/index.html"), "../b/index.html"));
  for (const bool students : {false, true}) {
    options_.drafts = students;
    options_.audience.students = students;
    options_.output = folder_ / (students ? "students" : "published");
    render_site({folder_ / "a.json", folder_ / "b.json"}, options_);
    EXPECT_FALSE(exists("b"));
    EXPECT_FALSE(exists("tags/secret.html"));
    for (const fs::path& file : files_below(options_.output))
      EXPECT_FALSE(has(read_file(options_.output / file), "The b")) << file;
  }
  options_.output = folder_ / "site";  // one that was public before
  render_site({folder_ / "b.json"}, options_);
  EXPECT_FALSE(exists("b"));
  EXPECT_FALSE(has(site_file("a/index.html"), "../b/index.html"));
}

TEST_F(SitePages, NothingStaysOfALectureThatBecomesADraft) {
  options_.drafts = false;
  const Front front{{"tags", {"secret"}}, {"series", "S"}};
  render("a", front);
  render("b", {{"series", "S"}});
  EXPECT_TRUE(has(site_file("b/index.html"), "The a"));
  Front draft = front;
  draft["draft"] = true;
  render("a", draft);
  EXPECT_FALSE(exists("a"));
  for (const fs::path& file : files_below(options_.output)) {
    EXPECT_FALSE(has(read_file(options_.output / file), "The a")) << file;
    EXPECT_FALSE(has(file.string(), "secret")) << file;
  }
  render("a", front);
  EXPECT_TRUE(has(site_file("b/index.html"), "The a"));
}

TEST_F(SitePages, ShowWhatTheLectureWantsShown) {
  render("a", {{"date", "2026-01-02"}, {"description", "About it."}, {"course", "K"}, {"tags", {"t"}}});
  render("b", Front::object());
  std::string page = site_file("a/index.html");
  EXPECT_TRUE(has(page, "<p class=\"meta\">2 January 2026 &#183; 1 min &#183; 1 step"));
  EXPECT_FALSE(has(page, "data-contents"));
  render("a", Front::parse(R"({"date":"2026-01-02","description":"About it.","course":"K","lang":"de",
    "authors":["Ada","Bob"],"author_urls":{"Ada":"https://ada.example/?a&b","Bob":"javascript:x"},
    "license":{"name":"CC BY 4.0","url":"https://cc.example/by"},
    "show":{"contents_open":false,"reading_time":false,"word_count":true,"breadcrumbs":false,"summary":false,
            "date":false,"navigation":false}})"));
  page = site_file("a/index.html");
  EXPECT_TRUE(has(page, "<html lang=\"de\" data-contents=\"closed\">"));
  EXPECT_TRUE(
      has(page,
          "<p class=\"meta\"><a rel=\"author\" href=\"https://ada.example/?a&amp;b\">Ada</a>, Bob &#183; "
          "0 words &#183; 1 step"));
  EXPECT_FALSE(has(page, "<p class=\"description\">"));
  EXPECT_FALSE(has(page, "aria-label=\"Breadcrumbs\""));
  EXPECT_FALSE(has(page, "class=\"neighbours\""));
  EXPECT_TRUE(has(page, "<a rel=\"license\" href=\"https://cc.example/by\">CC BY 4.0</a>"));
  EXPECT_TRUE(has(site_file("index.html"), "<a href=\"a/index.html\" lang=\"de\">"));
}

TEST_F(SitePages, CoversStandOnPagesAndInLists) {
  const auto cover = [](const char* more) {
    return Front::parse(std::string(R"({"cover":{"src":"cover.png","alt":"A \"dome\"")") + more + "}}");
  };
  options_.settings.base_url = "https://example.org/c/";
  render("a", cover(""));
  EXPECT_TRUE(
      has(site_file("a/index.html"), "<div class=\"cover\"><div class=\"image\"><a class=\"enlarge\" "));
  EXPECT_TRUE(has(site_file("a/index.html"),
                  "<meta property=\"og:image\" content=\"https://example.org/c/a/assets/cover.png\">"));
  EXPECT_TRUE(
      has(site_file("index.html"),
          "<img class=\"cover\" src=\"a/assets/cover.png\" alt=\"A &quot;dome&quot;\" loading=\"lazy\">"));
  render("a", cover(R"(,"on_page":false,"in_lists":false)"));
  EXPECT_FALSE(has(site_file("a/index.html"), "<div class=\"cover\">"));
  EXPECT_FALSE(has(site_file("index.html"), "<img"));
}

TEST_F(SitePages, CoversThatAreSvgHaveAPictureForOtherSites) {
  if (std::system("command -v node >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no Node.js";
  fs::copy(fs::path(LECTERN_SITE_TEMPLATES) / "cover", options_.templates / "cover");
  options_.settings.base_url = "https://example.org/c/";
  std::vector<std::string> warnings;
  options_.warn = [&](const std::string& warning) { warnings.push_back(warning); };
  const auto draw = [&](const std::string& svg) {
    write_file(folder_ / "a.assets/drawn.svg", svg);
    render("a", {{"cover", {{"src", "drawn.svg"}, {"alt", "A square"}}}});
  };
  constexpr const char* kImage = "<meta property=\"og:image\" content=\"https://example.org/c/a/cover.png\">";
  draw(R"(<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><text y="9">A</text></svg>)");
  EXPECT_TRUE(has(site_file("a/index.html"), kImage));
  EXPECT_TRUE(has(site_file("a/index.html"), "<meta property=\"og:image:alt\" content=\"A square\">"));
  const auto size = image_size(site_file("a/cover.png"));
  ASSERT_TRUE(size);
  EXPECT_EQ(size->width, 630);
  EXPECT_EQ(size->height, 630);
  EXPECT_TRUE(warnings.empty()) << warnings.front();

  draw("<svg><");
  EXPECT_FALSE(has(site_file("a/index.html"), "og:image"));
  EXPECT_FALSE(exists("a/cover.png"));
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_TRUE(has(warnings[0], "a.cpp:2: lecture: no picture is made of the cover for links to the page: "))
      << warnings[0];
}

TEST_F(SitePages, AbsoluteAddressesNeedABase) {
  options_.settings.repository = {.url = "https://github.com/o/r", .branch = "next"};
  options_.settings.menu = {{.name = "M & N", .url = "m.html"}, {.name = "W", .url = "https://w.example"}};
  render("a", {{"date", "2026-01-02"}, {"tags", {"t"}}, {"description", "D"}});
  for (const char* file : {"a/index.html", "index.html", "tags/t.html", "404.html"}) {
    EXPECT_FALSE(has(site_file(file), "rel=\"canonical\"")) << file;
    EXPECT_FALSE(has(site_file(file), "og:")) << file;
    EXPECT_TRUE(has(site_file(file), ">M &amp; N</a>")) << file;
  }
  EXPECT_TRUE(has(site_file("a/index.html"), "<a href=\"../m.html\">M"));
  EXPECT_TRUE(has(site_file("a/index.html"), "href=\"https://github.com/o/r/edit/next/lectures/a.cpp\""));
  for (const char* file : {"feed.xml", "sitemap.xml", "robots.txt"}) EXPECT_FALSE(exists(file)) << file;
  options_.settings.base_url = "https://example.org/c/";
  render_site({}, options_);
  const std::string page = site_file("a/index.html");
  EXPECT_TRUE(has(page, "<link rel=\"canonical\" href=\"https://example.org/c/a/\">"));
  EXPECT_TRUE(has(page, "<meta property=\"og:title\" content=\"The a\">"));
  EXPECT_TRUE(has(page, "<meta property=\"og:type\" content=\"article\">"));
  EXPECT_TRUE(has(page, "<meta name=\"twitter:card\" content=\"summary\">"));
  EXPECT_TRUE(has(page, "<meta name=\"description\" content=\"D\">"));
  EXPECT_TRUE(has(page, "href=\"../feed.xml\""));
  EXPECT_TRUE(has(site_file("index.html"), "<link rel=\"canonical\" href=\"https://example.org/c/\">"));
  EXPECT_TRUE(
      has(site_file("tags/t.html"), "<link rel=\"canonical\" href=\"https://example.org/c/tags/t.html\">"));
  EXPECT_TRUE(has(site_file("404.html"), "href=\"/c/assets/style.css\"")) << "it is shown at any depth";
  EXPECT_TRUE(
      has(site_file("sitemap.xml"), "<loc>https://example.org/c/a/</loc><lastmod>2026-01-02</lastmod>"));
  EXPECT_TRUE(has(site_file("sitemap.xml"), "<loc>https://example.org/c/tags/t.html</loc>"));
  EXPECT_TRUE(has(site_file("robots.txt"), "Sitemap: https://example.org/c/sitemap.xml"));
  render("b", {{"date", "2026-01-03"}});
  EXPECT_TRUE(
      has(site_file("b/index.html"), "<meta name=\"description\" content=\"A lecture to read, and to step"))
      << "search engines want a description";
  options_.settings.base_url.clear();
  render_site({}, options_);
  for (const char* file : {"feed.xml", "sitemap.xml", "robots.txt"}) EXPECT_FALSE(exists(file)) << file;
  write_file(options_.output / "robots.txt", "my own");
  render_site({}, options_);
  EXPECT_EQ(site_file("robots.txt"), "my own");
  for (const char* file : {"feed.xml", "tags/mine.html", "glossary.html"})
    write_file(options_.output / file, "my own");
  render_site({}, options_);
  for (const char* file : {"feed.xml", "tags/mine.html", "glossary.html"})
    EXPECT_EQ(site_file(file), "my own") << file;
}

TEST_F(SitePages, OfALectureGoAndWhatIsSomebodysOwnStays) {
  render("a", {{"tags", {"t"}}});
  render("b", Front::object());
  write_file(options_.output / "b/b/notes.txt", "my own");
  EXPECT_TRUE(remove_lecture(options_.output / "a"));
  EXPECT_TRUE(remove_lecture(options_.output / "a")) << "it is gone";
  EXPECT_FALSE(remove_lecture(options_.output / "b"));
  EXPECT_EQ(files_below(options_.output / "b"), std::set<fs::path>{"b/notes.txt"});
  render_site({}, options_);
  EXPECT_FALSE(exists("tags"));

  write_file(options_.output / "theirs/lecture.json", R"({"name":"theirs","title":"A lecture"})");
  write_file(options_.output / "theirs/index.html", "<html>theirs</html>");
  EXPECT_FALSE(remove_lecture(options_.output / "theirs")) << "its page is not of Lectern";
  write_file(options_.output / "theirs/index.html", R"(<meta name="generator" content="Lectern">)");
  write_file(options_.output / "theirs/lecture.json", R"({"room":"A 12"})");
  EXPECT_THROW(remove_lecture(options_.output / "theirs"), Error);
  EXPECT_EQ(files_below(options_.output / "theirs").size(), 2U);
}

TEST_F(SitePages, SummariesOfEarlierVersionsAreRead) {
  render("a", Front::object());
  write_file(options_.output / "old/lecture.json",
             R"({"name":"old","title":"Old","date":"2025","tags":["x"]})");
  write_file(options_.output / "old/index.html", "<html>as it was</html>");
  render_site({}, options_);
  EXPECT_EQ(site_file("old/index.html"), "<html>as it was</html>");
  EXPECT_TRUE(has(site_file("index.html"), "<a href=\"old/index.html\">Old</a>"));
  write_file(options_.output / "old/lecture.json", "[]");
  EXPECT_THROW(render_site({}, options_), Error);
}

TEST_F(SitePages, HaveAFolderThatNoLectureMayTake) {
  for (const char* name : {"series", "categories", "tags", "404.html", "feed.xml"})
    EXPECT_THROW(render(name, Front::object()), Error) << name;
}

}  // namespace
}  // namespace lectern
