#include "site/bibliography.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/bibtex_text.h"
#include "base/html.h"
#include "base/readable_numbers.h"
#include "site/mentions.h"
#include "trace/reference_label.h"

namespace lectern {
namespace {

/// On paper its address follows (print.css).
std::string numbered_entry(const rendering::Link& work, int number) {
  const std::string address = work_address(work);
  return fmt::format("<li id=\"{}\"{}>{}</li>\n", reference_id(number),
                     address.empty() ? "" : " data-url=\"" + escape_html(address) + "\"", work_html(work));
}

/// Of these authors those that are named.
std::vector<std::string> named_authors(std::vector<std::string> authors) {
  if (authors.size() > 1 && authors.back() == kEtAl) authors.pop_back();
  return authors;
}

}  // namespace

std::string work_identity(const rendering::Link& work) {
  return work.url.empty() ? fmt::format("{}\n{}", work.title, fmt::join(work.authors, "\n")) : work.url;
}

std::string reference_id(int number) {
  return fmt::format("reference.{}", number);
}

std::string work_source(const rendering::Link& work) {
  const std::string date = show_date(work.date);
  return work.organization + (work.organization.empty() || date.empty() ? "" : ", ") + date;
}

std::string work_authors(const rendering::Link& work) {
  if (work.authors.empty()) return {};
  const std::vector<std::string> authors = named_authors(work.authors);
  std::string text = fmt::format("{}", fmt::join(authors, ", "));
  if (authors.size() < work.authors.size()) text.append(" ").append(kEtAl);
  return text + (text.ends_with('.') ? " " : ". ");
}

std::string work_address(const rendering::Link& work) {
  return is_web_address(work.url) ? work.url : std::string();
}

std::string work_html(const rendering::Link& work) {
  const std::string address = escape_html(work_address(work));
  std::string html = escape_html(work_authors(work));
  const std::string title = escape_html(work.title.empty() ? work.label : work.title);
  const std::string shown = title.empty() ? escape_html(work.url) : title;
  html += address.empty() ? shown : "<a href=\"" + address + "\">" + shown + "</a>";
  const std::string source = work_source(work);
  return html + (source.empty() ? "." : ". " + escape_html(source) + ".");
}

std::string reference_label(const rendering::Link& link) {
  if (!link.label.empty()) return link.label;
  const std::string made = reference_label(link.authors, link.date);
  if (!made.empty()) return made;
  return link.title.empty() ? link.url : link.title;
}

std::string author_list(const std::vector<std::string>& authors) {
  constexpr std::size_t kMost = 3;
  std::vector<std::string> shown = named_authors(authors);
  if (shown.size() > kMost) shown.resize(kMost);
  if (shown.size() < authors.size()) return fmt::format("{} {}", fmt::join(shown, ", "), kEtAl);
  if (shown.size() < 2) return fmt::format("{}", fmt::join(shown, ""));
  const std::string last = std::move(shown.back());
  shown.pop_back();
  return fmt::format("{} and {}", fmt::join(shown, ", "), last);
}

std::string reference_card(const rendering::Link& link) {
  std::string card;
  const auto add_part = [&card](const char* name, const std::string& text) {
    if (!text.empty()) card += "<span class=\"" + std::string(name) + "\">" + escape_html(text) + "</span>";
  };
  add_part("card-title", link.title);
  add_part("card-authors", author_list(link.authors));
  add_part("card-source", work_source(link));
  add_part("card-description", link.description);
  add_part("card-notes", link.notes);
  return card;
}

int Bibliography::number(const rendering::Link& link, int site) {
  std::string identity = work_identity(link);
  const auto known = numbers_.find(identity);
  if (known != numbers_.end() && !link.key.empty()) {
    rendering::Link& first = works_[index(known->second - 1)].link;
    if (first.key.empty()) first = link;
    if (first.key != link.key) identity += "\n" + link.key;
  }
  const auto [found, is_new] = numbers_.try_emplace(identity, static_cast<int>(works_.size()) + 1);
  if (is_new) works_.push_back({link, {}});
  std::vector<int>& sites = works_[index(found->second - 1)].sites;
  if (site >= 0 && std::ranges::find(sites, site) == sites.end()) sites.push_back(site);
  return found->second;
}

std::string Bibliography::html() const {
  if (works_.empty()) return {};
  std::string html =
      "<section class=\"references\" aria-labelledby=\"references\">\n<h2 id=\"references\">References</h2>\n"
      "<ol>\n";
  for (std::size_t i = 0; i < works_.size(); ++i)
    html += numbered_entry(works_[i].link, static_cast<int>(i) + 1);
  return html + "</ol>\n</section>\n";
}

std::vector<CitedWork> Bibliography::cited(const Trace& trace) const {
  std::vector<CitedWork> cited;
  for (const Work& work : works_) {
    std::vector<std::string>& anchors = cited.emplace_back(CitedWork{work.link, {}}).anchors;
    for (const int site : work.sites) anchors.push_back(line_anchor(trace, site));
  }
  return cited;
}

}  // namespace lectern
