#include "site/bibliography.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/html.h"
#include "base/readable_numbers.h"
#include "site/markdown.h"

namespace lectern {
namespace {

/// "Authors. Title. Organization, date." On paper its address follows (print.css).
std::string entry(const rendering::Link& work) {
  const bool linked = !work.url.empty() && safe_link(work.url);
  const std::string url = escape_html(work.url);
  std::string html = linked ? "<li data-url=\"" + url + "\">" : "<li>";
  if (!work.authors.empty()) html += escape_html(fmt::format("{}", fmt::join(work.authors, ", "))) + ". ";
  const std::string title = escape_html(work.title.empty() ? work.label : work.title);
  const std::string shown = title.empty() ? url : title;
  html += linked ? "<a href=\"" + url + "\">" + shown + "</a>" : shown;
  const std::string date = show_date(work.date);
  const char* const comma = work.organization.empty() || date.empty() ? "" : ", ";
  const std::string source = work.organization + comma + date;
  return html + (source.empty() ? "." : ". " + escape_html(source) + ".") + "</li>\n";
}

}  // namespace

int Bibliography::number(const rendering::Link& work) {
  const std::string key =
      work.url.empty() ? fmt::format("{}\n{}", work.title, fmt::join(work.authors, "\n")) : work.url;
  const auto [found, is_new] = numbers_.try_emplace(key, static_cast<int>(works_.size()) + 1);
  if (is_new) works_.push_back(work);
  return found->second;
}

std::string Bibliography::html() const {
  if (works_.empty()) return {};
  std::string html =
      "<section class=\"references\" aria-labelledby=\"references\">\n<h2 id=\"references\">References</h2>\n"
      "<ol>\n";
  for (const rendering::Link& work : works_) html += entry(work);
  return html + "</ol>\n</section>\n";
}

}  // namespace lectern
