#include "site/feed.h"

#include <cstdlib>

#include <gtest/gtest.h>

#include "base/files.h"
#include "has.h"
#include "temporary_folder.h"

namespace lectern {
namespace {

using test::has;
namespace fs = std::filesystem;

const fs::path kTemplates = fs::path(LECTERN_SOURCE_DIR) / "site_templates";

LectureSummary dated(const std::string& name, const std::string& date) {
  LectureSummary summary;
  summary.name = name;
  summary.title = "The " + name;
  summary.front.date = date;
  return summary;
}

Website site_of(std::vector<LectureSummary> lectures) {
  return {.map = SiteMap(std::move(lectures)),
          .settings = {.title = "T & <T>", .description = "\"D\"", .base_url = "https://example.org/c/"}};
}

/// What xmllint says of the file, checked against a schema; empty when it is valid, and where there is no
/// xmllint.
std::string complaints(const std::string& xml, const char* schema) {
  if (std::system("command -v xmllint >/dev/null 2>&1") != 0) return {};
  const test::TemporaryFolder folder;
  write_file(folder / "it.xml", xml);
  const fs::path relaxng = fs::path(LECTERN_SOURCE_DIR) / "tests/site" / schema;
  const std::string command = "xmllint --nonet --noout --relaxng '" + relaxng.string() + "' '" +
                              (folder / "it.xml").string() + "' >'" + (folder / "said").string() + "' 2>&1";
  return std::system(command.c_str()) == 0 ? std::string() : read_file(folder / "said");
}

TEST(Feed, IsAtom) {
  LectureSummary full = dated("b", "2026-02-03");
  full.front.authors = {"Ada <a>", "Bob"};
  full.front.author_urls.emplace_back("Ada <a>", "https://ada.example/?a&b");
  full.front.author_urls.emplace_back("Bob", "javascript:alert(1)");
  full.front.tags = {"x&y"};
  full.front.categories = {"K"};
  full.front.description = "What it \"says\"";
  full.front.license->name = "CC BY 4.0";
  full.front.lang = "de";
  const std::string feed = feed_xml(
      kTemplates, site_of({dated("a", "2026-01-01"), full, dated("undated", ""), dated("c", "2026")}));
  EXPECT_EQ(complaints(feed, "atom.rng"), "") << feed;
  EXPECT_TRUE(has(feed, "<title>T &amp; &lt;T&gt;</title>"));
  EXPECT_TRUE(has(feed, "<updated>2026-02-03T00:00:00Z</updated>"));
  EXPECT_TRUE(has(feed, "<id>https://example.org/c/b/</id>"));
  EXPECT_LT(feed.find("/c/b/"), feed.find("/c/a/")) << "the newest is first";
  EXPECT_TRUE(has(feed, "<uri>https://ada.example/?a&amp;b</uri>"));
  EXPECT_FALSE(has(feed, "javascript"));
  EXPECT_FALSE(has(feed, "undated"));
}

TEST(Feed, HasTimesInTheirZones) {
  const Website site = site_of({dated("noon", "2026-02-03T12:00+01:00"), dated("night", "2026-02-03"),
                                dated("before", "2026-02-03T11:30:00+02:00")});
  const std::string feed = feed_xml(kTemplates, site), map = sitemap_xml(kTemplates, site);
  EXPECT_EQ(complaints(feed, "atom.rng"), "") << feed;
  EXPECT_EQ(complaints(map, "sitemap.rng"), "") << map;
  EXPECT_TRUE(has(feed, "<published>2026-02-03T12:00:00+01:00</published>")) << feed;
  EXPECT_LT(feed.find("/c/noon/"), feed.find("/c/before/")) << "11:00 is after 9:30";
  EXPECT_LT(feed.find("/c/before/"), feed.find("/c/night/"));
  EXPECT_TRUE(has(map, "<lastmod>2026-02-03T12:00:00+01:00</lastmod>")) << map;
}

TEST(Feed, OfHostileStringsIsValid) {
  for (const char* evil :
       {"]]></title><x>", "\"' & <", "\x01\x1B\x7F", "\uFFFE\uFFFF\u202E", "{{{title}}}", "  "}) {
    LectureSummary lecture = dated("a", "2026-01-01");
    lecture.title = evil;
    lecture.front.authors = lecture.front.tags = lecture.front.categories = {evil};
    lecture.front.description = lecture.front.license->name = lecture.front.lang = evil;
    Website site = site_of({lecture});
    site.settings.title = site.settings.description = evil;
    const std::string feed = feed_xml(kTemplates, site), map = sitemap_xml(kTemplates, site);
    EXPECT_EQ(complaints(feed, "atom.rng"), "") << feed;
    EXPECT_EQ(complaints(map, "sitemap.rng"), "") << map;
  }
}

TEST(Feed, AndSitemapLeaveOutDrafts) {
  LectureSummary draft = dated("secret", "2026-03-01");
  draft.front.draft = true;
  draft.front.tags = {"hidden", "open"};
  LectureSummary open = dated("a", "2026-01-01");
  open.front.tags = {"open"};
  const Website site = site_of({open, draft});
  const std::string feed = feed_xml(kTemplates, site), map = sitemap_xml(kTemplates, site);
  EXPECT_EQ(complaints(map, "sitemap.rng"), "") << map;
  EXPECT_FALSE(has(feed, "secret"));
  EXPECT_TRUE(has(feed, "<updated>2026-01-01T00:00:00Z</updated>"));
  EXPECT_FALSE(has(map, "secret"));
  EXPECT_FALSE(has(map, "hidden"));
  EXPECT_TRUE(has(map, "tags/open.html"));
}

TEST(Feed, NeedsABaseAddressAndADate) {
  Website site = site_of({dated("a", "")});
  EXPECT_EQ(feed_xml(kTemplates, site), "");
  EXPECT_FALSE(has(home_html(kTemplates, site), "feed.xml")) << "nothing leads to a feed that is not there";
  EXPECT_NE(sitemap_xml(kTemplates, site), "");
  site = site_of({dated("a", "2026-01-01")});
  site.settings.base_url.clear();
  EXPECT_EQ(feed_xml(kTemplates, site) + sitemap_xml(kTemplates, site) + robots_text(site), "");
}

}  // namespace
}  // namespace lectern
