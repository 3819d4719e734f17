#include <gtest/gtest.h>

#include "site/data.h"
#include "site/glossary.h"
#include "site/inert_html.h"
#include "site/outline.h"
#include "site/page.h"
#include "site/ranks.h"
#include "site/site_bibliography.h"
#include "site/templates.h"
#include "site/trace_builder.h"
#include "trace/decode.h"

namespace lectern {
namespace {

using test::Page;
using test::TraceBuilder;

/// Every string of a trace is the attacker's.
Trace hostile_trace(const std::string& evil) {
  TraceBuilder builder("f();\n" + evil + "\ng();\nh();\n", evil);
  Trace& trace = builder.trace;
  trace.sources[0].path = evil;
  trace.functions[0].name = evil;
  trace.functions[0].untraced = evil;
  trace.profile = Profile{.name = evil, .device = evil, .compiler = evil};
  trace.stacks[0].name = evil;
  trace.end.out = {evil};
  trace.end.signal = evil;
  Json show = Json::array();
  for (const char* kind :
       {"front", "text", "verbatim", "image", "video", "link", "term", "plot", "graph", "table", "card",
        "callout", "exercise", "tabs", "note", "system", "value", "unknown"}) {
    show.push_back({{"kind", kind},
                    {"title", evil},
                    {"date", evil},
                    {"authors", Json::array({evil, evil})},
                    {"tags", Json::array({evil})},
                    {"description", evil},
                    {"course", evil},
                    {"goals", Json::array({evil})},
                    {"prerequisites", Json::array({evil})},
                    {"markdown", evil},
                    {"text", evil},
                    {"src", evil},
                    {"alt", evil},
                    {"caption", evil},
                    {"lang", evil},
                    {"poster", evil},
                    {"captions", Json::array({{{"src", evil}, {"lang", evil}, {"label", evil}}})},
                    {"url", evil},
                    {"label", evil},
                    {"organization", evil},
                    {"notes", evil},
                    {"key", evil},
                    {"definition", evil},
                    {"spec", {{evil, evil}}},
                    {"edges", Json::array({{{"from", evil}, {"to", evil}, {"label", evil}}})},
                    {"header", Json::array({evil})},
                    {"rows", Json::array({Json::array({evil, 1}), evil})},
                    {"type", evil},
                    {"answer", evil},
                    {"tabs", Json::array({{{"title", evil}, {"markdown", evil}}})},
                    {"command", evil},
                    {"status", 1},
                    {"name", evil},
                    {"value", {{"type", evil}, {"fields", Json::array({Json::array({evil, evil})})}}}});
  }
  show.push_back({{"kind", evil}});
  show.push_back({{"kind", "link"}, {"function", evil}});
  show.push_back(evil);
  const Json details = {
      {"show", show},
      {"args", {{evil, {{"type", evil}, {"value", evil}}}}},
      {"vars",
       {{evil, {{"type", evil}, {"value", evil}}},
        {"tensor",
         {{"type", evil}, {"dtype", evil}, {"shape", Json::array({1})}, {"device", evil}, {"data", {1.5}}}},
        {"torn", {{"type", evil}, {"dtype", evil}, {"shape", evil}, {"data", Json::array({evil})}}},
        {"storage", {{"type", evil}, {"storage", evil}, {"storage_bytes", evil}, {"device", evil}}}}},
      {"clear", Json::array({evil})},
      {"claims", Json::array({{{"ok", true}, {"text", evil}, {"op", evil}, {"left", evil}, {"right", evil}},
                              {{"ok", false}, {"text", evil}, {"threw", evil}},
                              evil})},
      {"out", evil},
      {"err", {{"bytes", evil}}},
      {"collectives", Json::array({{{"name", evil}, {"sequence", 1}, {"sent", 1}}, evil})},
      {"ended", {{"by", "exception"}, {"type", evil}, {"what", evil}}}};
  const std::string rest = details.dump(-1, ' ', false, Json::error_handler_t::replace);
  builder.step(builder.site("f();", SiteKind::hook), rest).step(builder.site("g();"), rest);
  builder.step(builder.site("h();", SiteKind::claim), rest);
  trace.sites[0].locals.emplace_back(evil, 0);
  return trace;
}

class Hostile : public ::testing::TestWithParam<const char*> {};

TEST_P(Hostile, TracesMakeInertPages) {
  const Trace trace = hostile_trace(GetParam());
  const Page page(trace);
  for (const std::string& part : test::active_parts(page.body)) ADD_FAILURE() << "in the page: " << part;
  for (const std::string& html : page.steps.html.all()) {
    for (const std::string& part : test::active_parts(html)) ADD_FAILURE() << part << " in " << html;
  }
}

TEST_P(Hostile, TracesMakeInertScripts) {
  const Trace trace = hostile_trace(GetParam());
  const Page page(trace);
  const std::string script = page_data(trace, page.steps);
  EXPECT_EQ(script.find('<'), std::string::npos);
  EXPECT_TRUE(Json::accept(script.substr(8, script.size() - 11)));
}

TEST_P(Hostile, OtherRanksAreInert) {
  const Trace trace = hostile_trace(GetParam());
  const Page page(trace);
  const RanksOnPage ranks = ranks_on_page(trace, page.steps, {trace});
  for (const std::string& part : test::active_parts(ranks.section)) ADD_FAILURE() << part;
  EXPECT_EQ(ranks.script.find('<'), std::string::npos);
  EXPECT_TRUE(Json::accept(ranks.script.substr(13, ranks.script.size() - 16)));
}

TEST_P(Hostile, HeadsOfPagesEscapeThem) {
  const Trace trace = hostile_trace(GetParam());
  const Page page(trace);
  const std::filesystem::path templates = std::filesystem::path(LECTERN_SOURCE_DIR) / "site_templates";
  LectureSummary summary = summarize(trace, page.steps);
  summary.outline = lecture_outline(trace, page.steps);
  const std::string evil = GetParam();
  LectureSummary further = summary;
  further.beneath = true;
  further.sources["x.cpp"] = evil;
  const Website site{.map = SiteMap({summary}),
                     .settings = {.title = evil,
                                  .description = evil,
                                  .base_url = "https://example.org/",
                                  .menu = {{.name = evil, .url = evil}},
                                  .repository = {.url = "https://example.org/x", .branch = evil}},
                     .further = {{summary.name, {further}}}};
  std::vector<std::string> pages = {lecture_html(templates, site, summary, ""),
                                    lecture_html(templates, site, further, ""), home_html(templates, site),
                                    missing_html(templates, site)};
  for (const std::string& html : {pages[0], pages[1]})
    EXPECT_NE(html.find("class=\"runs\""), std::string::npos);
  for (const GroupOf kind : {kSeries, kCategories, kTags}) {
    for (const LectureGroup& group : site.map.groups[kind])
      pages.push_back(group_html(templates, site, kind, group));
  }
  for (const std::string& html : pages) {
    EXPECT_EQ(html.find("<script>"), std::string::npos);
    EXPECT_EQ(html.find("<img"), std::string::npos);
    EXPECT_EQ(html.find(" onerror=alert(1)>"), std::string::npos);
    EXPECT_EQ(html.find("onmouseover='"), std::string::npos);
  }
}

TEST_P(Hostile, WorksAndTermsAreInertOnThePagesOfTheSite) {
  const Trace trace = hostile_trace(GetParam());
  const Page page(trace);
  const std::filesystem::path templates = std::filesystem::path(LECTERN_SOURCE_DIR) / "site_templates";
  LectureSummary summary = summarize(trace, page.steps);
  summary.works = page.renderings.bibliography().cited(trace);
  summary.terms = page.renderings.terms().mentioned(trace);
  ASSERT_FALSE(summary.works.empty() || summary.terms.empty());
  summary = summary_from_json(to_json(summary), "lecture.json");
  const Website site{.map = SiteMap({summary})};
  const auto expect_inert = [](const std::string& html, std::string_view begin, std::string_view end) {
    const std::size_t at = html.find(begin), to = html.find(end, at);
    ASSERT_NE(to, html.npos) << html;
    for (const std::string& part : test::active_parts(html.substr(at, to - at))) ADD_FAILURE() << part;
  };
  expect_inert(bibliography_html(templates, site), "<h1>", "</main>");
  expect_inert(glossary_html(templates, site), "<h1>", "</main>");
  const std::string body = std::string(kTermsBegin).append(kTermsEnd);
  expect_inert(lecture_html(templates, site, summary, body), kTermsBegin, kTermsEnd);
}

INSTANTIATE_TEST_SUITE_P(
    Strings, Hostile,
    ::testing::Values("</script><script>alert(1)</script>", "\"><img src=x onerror=alert(1)>",
                      "' onmouseover='alert(1)", "javascript:alert(1)", "]]>--><svg onload=alert(1)>",
                      "{{{body}}}{{#x}}", "[x](javascript:alert(1)) ![x](//e/x.png) <b onclick=x>",
                      "$\\href{javascript:alert(1)}{x}$", "\u2028\u2029\u202E\uE0000\uE001", "a\xE4\xBD\xFF",
                      "../../../etc/passwd"));

}  // namespace
}  // namespace lectern
