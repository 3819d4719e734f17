#include "site/page_terms.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "base/html.h"
#include "site/mentions.h"
#include "site/site_map.h"
#include "site/templates.h"

namespace lectern {
namespace {

bool leads_elsewhere(std::string_view html) {
  constexpr std::string_view kLink = " href=\"";
  for (std::size_t at = html.find(kLink); at != html.npos; at = html.find(kLink, at + 1)) {
    const std::string_view address = html.substr(at + kLink.size());
    if (!address.starts_with("http") && !address.starts_with("mailto:")) return false;
  }
  return true;
}

}  // namespace

std::string term_id(const std::string& slug) {
  return "term." + slug;
}

std::string definition_html(const MarkdownHtml& definition) {
  const std::string& html = definition.html;
  if (!definition.single_paragraph || html.find("<img") != html.npos || !leads_elsewhere(html)) return {};
  constexpr std::string_view kOpen = "<p>", kClose = "</p>";
  return html.substr(kOpen.size(), html.size() - kOpen.size() - kClose.size());
}

std::string term_html(const std::string& name, const std::string& definition) {
  const std::string id = term_id(file_slug(name)), shown = escape_html(name), address = "#" + id;
  if (definition.empty()) {
    return fmt::format(
        "<span class=\"term\"><a class=\"ref\" href=\"{}\" aria-describedby=\"{}\">{}</a></span>", address,
        id, shown);
  }
  return fmt::format("<dfn class=\"term\"><a href=\"{}\">{}</a></dfn> <span class=\"meaning\">({})</span>",
                     address, shown, definition);
}

std::string PageTerms::add(const std::string& name, const std::string& definition, int site) {
  const Mention mention{name, definition, site};
  if (std::ranges::find(mentions_, mention) == mentions_.end()) mentions_.push_back(mention);
  return term_html(name, definition);
}

std::vector<MentionedTerm> PageTerms::mentioned(const Trace& trace) const {
  std::vector<MentionedTerm> terms;
  for (const Mention& mention : mentions_) {
    const Site& site = trace.sites[index(mention.site)];
    const SourceFile& source = trace.sources[index(trace.functions[index(site.function)].source)];
    terms.push_back({mention.name, mention.definition, line_anchor(trace, mention.site),
                     to_string(Place{source.path, site.span.line, 0})});
  }
  return terms;
}

std::string PageTerms::place() const {
  if (mentions_.empty()) return {};
  return std::string(kTermsBegin).append(kTermsEnd) + "\n";
}

}  // namespace lectern
