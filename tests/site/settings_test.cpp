#include "site/settings.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/files.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

std::string refusal(const std::string& toml) {
  try {
    parse_site_settings(toml, "site.toml");
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(SiteSettings, OfAMissingFileAreThoseOfAnEmptyOne) {
  const test::TemporaryFolder folder;
  for (const SiteSettings& settings :
       {read_site_settings(folder / "site.toml"), parse_site_settings("", "site.toml")}) {
    EXPECT_EQ(settings.title + settings.description + settings.base_url + settings.repository.url, "");
    EXPECT_EQ(settings.language, "en");
    EXPECT_TRUE(settings.menu.empty());
  }
}

TEST(SiteSettings, NameTheReferencesFromTheirFolder) {
  const test::TemporaryFolder folder;
  write_file(folder / "site.toml", "references = \"course/works.bib\"");
  EXPECT_EQ(read_site_settings(folder / "site.toml").references, (folder / "course/works.bib").string());
  EXPECT_EQ(refusal("references = 3"), "site.toml:1: `references` is a number; write a text, in quotes");
}

TEST(SiteSettings, AreRead) {
  const SiteSettings settings = parse_site_settings(
      "title = \"Kurs\"\ndescription = \"Über \\\"alles\\\"\"\nbase_url = \"https://example.org/course\"\n"
      "language = \"de\"\n\n[[menu]]\nname = \"Code\"\nurl = \"https://example.org/code\"\n"
      "[[menu]]\nname = \"About\"\nurl = \"about.html\"\n"
      "[repository]\nurl = \"https://github.com/a/b/\"\nbranch = \"next\"\nfolder = \"talks\"\n",
      "site.toml");
  EXPECT_EQ(settings.title, "Kurs");
  EXPECT_EQ(settings.description, "Über \"alles\"");
  EXPECT_EQ(settings.base_url, "https://example.org/course/") << "its pages are below it";
  EXPECT_EQ(settings.language, "de");
  ASSERT_EQ(settings.menu.size(), 2u);
  EXPECT_EQ(settings.menu[0].name + " " + settings.menu[1].url, "Code about.html");
  EXPECT_EQ(settings.repository.url, "https://github.com/a/b");
  EXPECT_EQ(settings.repository.branch + " " + settings.repository.folder, "next talks");
}

TEST(SiteSettings, TakeTheAddressThatARepositoryIsClonedFrom) {
  for (const std::string end : {".git", ".git/"}) {
    const std::string toml = "[repository]\nurl = \"https://github.com/a/b.github.io" + end + "\"";
    EXPECT_EQ(parse_site_settings(toml, "site.toml").repository.url, "https://github.com/a/b.github.io");
  }
}

TEST(SiteSettings, HaveSeveralLanguages) {
  const auto read = [](const char* toml) { return parse_site_settings(toml, "site.toml"); };
  const SiteSettings settings = read("languages = [\"fr\", \"en\"]");
  EXPECT_EQ(settings.languages, (std::vector<std::string>{"fr", "en"}));
  EXPECT_EQ(settings.language, "fr") << "the first, if none is named";
  EXPECT_EQ(read("languages = [\"fr\", \"en\"]\nlanguage = \"en\"").language, "en");
}

TEST(SiteSettings, MaySayThatNobodyCounts) {
  EXPECT_EQ(parse_site_settings("analytics = \"none\"\ntitle = \"T\"", "site.toml").title, "T");
}

TEST(SiteSettings, HaveTheWeeksOfACourse) {
  const SiteSettings::Course course = parse_site_settings(
                                          "[course]\ngoals = [\"train\", \"measure\"]\n"
                                          "prerequisites = [\"calculus\"]\n"
                                          "[[course.week]]\ntitle = \"Begin\"\nbegins = 2026-09-07\n"
                                          "lectures = [\"one\", \"two\"]\n"
                                          "[[course.week.assignment]]\nname = \"A\"\nurl = \"a/\"\n"
                                          "due = 2026-09-18\n"
                                          "[[course.week.assignment]]\nname = \"B\"\n"
                                          "[[course.week]]\nlectures = [\"three\"]\n",
                                          "site.toml")
                                          .course;
  EXPECT_EQ(course.goals, (std::vector<std::string>{"train", "measure"}));
  EXPECT_EQ(course.prerequisites, (std::vector<std::string>{"calculus"}));
  ASSERT_EQ(course.weeks.size(), 2u);
  EXPECT_EQ(course.weeks[0].title + " " + course.weeks[0].begins, "Begin 2026-09-07");
  EXPECT_EQ(course.weeks[0].lectures, (std::vector<std::string>{"one", "two"}));
  ASSERT_EQ(course.weeks[0].assignments.size(), 2u);
  EXPECT_EQ(course.weeks[0].assignments[0].url + " " + course.weeks[0].assignments[0].due, "a/ 2026-09-18");
  EXPECT_EQ(course.weeks[0].assignments[1].name + course.weeks[0].assignments[1].due, "B");
  EXPECT_EQ(course.weeks[1].lectures, (std::vector<std::string>{"three"}));
  EXPECT_EQ(course.weeks[1].title + course.weeks[1].begins, "");
}

TEST(SiteSettings, ThatAreWrongAreErrorsAtTheirLine) {
  EXPECT_EQ(refusal("\ntitel = \"x\""), "site.toml:2: there is no setting `titel`; did you mean `title`?");
  EXPECT_EQ(refusal("comments = \"x\""),
            "site.toml:1: there is no setting `comments`; use one of title, description, base_url, language, "
            "references, languages, menu, repository, analytics, course, beside");
  EXPECT_EQ(refusal("title = \"x\"\nanalytics = \"them\""),
            "site.toml:2: `analytics`: pages ask nobody else for anything; write \"none\", or leave it out");
  EXPECT_EQ(refusal("language = \"en\"\n\ntitle = 3"),
            "site.toml:3: `title` is a number; write a text, in quotes");
  EXPECT_EQ(refusal("title = [\"x\"]"), "site.toml:1: `title` is a list; write a text, in quotes");
  EXPECT_EQ(refusal("base_url = \"example.org\""),
            "site.toml:1: `base_url` is not an address of the web; write it like "
            "\"https://example.org/course/\"");
  EXPECT_EQ(refusal("base_url = \"https://example.org/?a\""),
            "site.toml:1: `base_url` has more than a path; leave out what follows it, from ? or # on");
  EXPECT_EQ(refusal("language = \"deutsch!\""),
            "site.toml:1: `language`: \"deutsch!\" is not the tag of a language; write it like \"en\" or "
            "\"pt-BR\"");
  EXPECT_EQ(refusal("languages = \"en\""),
            "site.toml:1: `languages` is a text; write a list like [\"en\", \"fr\"]");
  EXPECT_EQ(refusal("title = \"x\"\nlanguages = [\"en\",\n\"fr_FR\"]"),
            "site.toml:3: `languages`: \"fr_FR\" is not the tag of a language; write it like \"en\" or "
            "\"pt-BR\"");
  EXPECT_EQ(refusal("languages = [\"en\", \"EN\"]"),
            "site.toml:1: `languages` has \"EN\" twice; leave one out");
  EXPECT_EQ(refusal("[repository]\nurl = \"https://a.example\"\nbranch = true"),
            "site.toml:3: `repository.branch` is true or false; write a text, in quotes");
  EXPECT_EQ(refusal("[repository]\nbranche = \"x\""),
            "site.toml:2: there is no setting `repository.branche`; did you mean `branch`?");
  EXPECT_EQ(refusal("title = \"x\"\nmenu = \"y\""),
            "site.toml:2: `menu` is a text; write [[menu]] before the name and url of each entry");
  EXPECT_EQ(refusal("title = \"x\"\n[[menu]]\nname = \"y\""),
            "site.toml:2: this entry of the menu has no name, or no url; give it both");
  EXPECT_EQ(refusal("[[menu]]\nname = \"y\"\nurl = \"javascript:alert(1)\""),
            "site.toml:3: \"javascript:alert(1)\" is not a link; use an address of the web, of mail, or one "
            "relative to the home page");
  EXPECT_EQ(refusal("[course]\ngoals = \"x\""),
            "site.toml:2: `course.goals` is a text; write a list of texts, in square brackets");
  EXPECT_EQ(refusal("[course]\ngoals = [\"x\", 3]"),
            "site.toml:2: `course.goals` is a number; write a text, in quotes");
  EXPECT_EQ(refusal("[[course.week]]\ntitle = \"x\"\n[[course.weeks]]"),
            "site.toml:3: there is no setting `course.weeks`; did you mean `week`?");
  EXPECT_EQ(refusal("[course]\nweek = 3"),
            "site.toml:2: `course.week` is a number; write [[course.week]] before what each week has");
  EXPECT_EQ(refusal("[[course.week]]\nbegins = \"2026-09-07\""),
            "site.toml:2: `course.week.begins` is a text; write a date like 2026-09-07, without quotes");
  EXPECT_EQ(refusal("[[course.week]]\n[[course.week.assignment]]\nurl = \"a.html\""),
            "site.toml:2: this assignment has no name; give it one");
  EXPECT_EQ(
      refusal("[[course.week]]\n[[course.week.assignment]]\nname = \"a\"\nurl = \"javascript:x\""),
      "site.toml:4: \"javascript:x\" is not a link; use an address of the web, of mail, or one relative "
      "to the home page");
  const std::string torn = refusal("title = \"x\"\nlanguage = ");
  EXPECT_TRUE(torn.starts_with("site.toml:2: is not TOML: ")) << torn;
}

}  // namespace
}  // namespace lectern
