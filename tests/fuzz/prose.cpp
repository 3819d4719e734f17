// Whatever texts come as front matter, Markdown, mathematics, references and cells: what pages show of them
// can do nothing. A zero byte ends one text and begins the next.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "site/inert_html.h"
#include "site/outline.h"
#include "site/page.h"
#include "site/templates.h"
#include "site/trace_builder.h"
#include "trace/decode.h"

namespace {

using lectern::Json;
using lectern::LectureSummary;

void expect_inert(std::string_view html) {
  for (const std::string& part : lectern::test::active_parts(html)) {
    std::fprintf(stderr, "%s in %.*s\n", part.c_str(), static_cast<int>(html.size()), html.data());
    std::abort();
  }
}

/// Takes texts off the front of the input; empty ones when nothing is left. Traces hold UTF-8 only.
class Texts {
 public:
  explicit Texts(std::string_view input) : input_(input) {}

  Json next() {
    const std::string text(input_.substr(0, input_.find('\0')));
    input_.remove_prefix(std::min(input_.size(), text.size() + 1));
    return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace));
  }

 private:
  std::string_view input_;
};

Json renderings_of(std::string_view input) {
  Texts texts(input);
  Json show = Json::array();
  constexpr std::array<const char*, 7> kinds = {"front", "text", "callout", "exercise",
                                                "card",  "link", "table"};
  for (const char* kind : kinds) {
    show.push_back({{"kind", kind}});
    for (const char* field : {"title", "markdown", "url", "date", "description", "course", "answer", "notes",
                              "series", "subseries"})
      show.back()[field] = texts.next();
    for (const char* list : {"authors", "tags", "categories", "header"})
      show.back()[list] = Json::array({texts.next()});
    show.back()["rows"] = Json::array({Json::array({texts.next()})});
  }
  show.push_back({{"kind", "term"}, {"name", texts.next()}, {"definition", texts.next()}});
  return show;
}

/// The same summary of words that need no escape.
LectureSummary harmless(LectureSummary summary) {
  auto& front = summary.front;
  for (std::string* text : {&summary.title, &front.date, &front.course, &front.description, &front.series,
                            &front.subseries, &front.license->name, &summary.ended}) {
    if (!text->empty()) *text = "x";
  }
  for (auto* list : {&front.authors, &front.categories, &front.tags}) {
    for (std::string& text : *list) text = text.empty() ? "" : "x";
  }
  for (lectern::Heading& heading : summary.outline) heading.id = heading.text = "x";
  return summary;
}

/// Tags and attributes are those of the template, whatever texts are put in.
void expect_same_structure(const std::string& html, const std::string& plain) {
  for (const char mark : {'<', '>', '"'}) {
    if (std::count(html.begin(), html.end(), mark) == std::count(plain.begin(), plain.end(), mark)) continue;
    std::fprintf(stderr, "%s\n", html.c_str());
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lectern::test::TraceBuilder builder("show();\n");
  builder.hook("show();", renderings_of({reinterpret_cast<const char*>(data), size}).dump());
  const lectern::test::Page page(builder.trace);
  expect_inert(page.body);
  for (const std::string& html : page.steps.html.all()) expect_inert(html);

  const std::filesystem::path templates = LECTERN_SOURCE_DIR "/site_templates";
  LectureSummary summary = lectern::summarize(page.trace, page.steps);
  summary.outline = lectern::lecture_outline(page.trace, page.steps);
  const LectureSummary plain = harmless(summary);
  const lectern::Website site{.map = lectern::SiteMap({summary})},
      plain_site{.map = lectern::SiteMap({plain})};
  expect_same_structure(lectern::lecture_html(templates, site, summary, ""),
                        lectern::lecture_html(templates, plain_site, plain, ""));
  expect_same_structure(lectern::home_html(templates, site), lectern::home_html(templates, plain_site));
  return 0;
}
