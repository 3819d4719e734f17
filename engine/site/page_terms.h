#pragma once

#include <string>
#include <vector>

#include "site/markdown.h"
#include "site/summary.h"
#include "trace/trace.h"

namespace lectern {

/// The terms that a page defines and uses.
class PageTerms {
 public:
  /// `definition` is HTML, empty where the term is used; `site` is the statement. Returns what stands in the
  /// text.
  std::string add(const std::string& name, const std::string& definition, int site);

  /// As the other pages of the site need them.
  std::vector<MentionedTerm> mentioned(const Trace& trace) const;

  /// The place of the page's terms and their definitions, which other lectures may give: templates.h fills
  /// it.
  std::string place() const;

 private:
  struct Mention {
    std::string name, definition;
    int site;
    bool operator==(const Mention&) const = default;
  };
  std::vector<Mention> mentions_;
};

/// Of a term as HTML, without mention of it.
std::string term_html(const std::string& name, const std::string& definition);

/// Of a definition that is one paragraph and shows the same on every page, without images and relative links;
/// else empty.
std::string definition_html(const MarkdownHtml& definition);

/// The id of a term on its lectures' pages and in the glossary.
std::string term_id(const std::string& slug);

}  // namespace lectern
