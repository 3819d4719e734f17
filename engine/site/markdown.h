#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "site/assets.h"
#include "site/math.h"

namespace lectern {

struct Heading {
  int level;         ///< as in the Markdown: 1 for "#"
  std::string id;    ///< in the page
  std::string text;  ///< plain
};

struct MarkdownHtml {
  std::string html;
  std::vector<Heading> headings;
  std::vector<std::string> warnings;

  /// Whether it is one paragraph and nothing else; `html` of it is then "<p>…</p>".
  bool single_paragraph = false;
};

/// GitHub-flavoured Markdown into HTML that is safe whatever the input holds: raw HTML but `<br>` is shown
/// as text, links lead to http, https, mailto or relative addresses, images are files of the lecture's
/// assets. A text of more than 64 KB is shown as it is written. Headings are one level lower than written,
/// the page's title being the first. A heading's id is its words, with a number where another scope has them
/// already; other ids begin with the scope. (A scope is a statement: of its renderings only one is on the
/// page at a time.)
class Markdown {
 public:
  Markdown(const Assets& assets, MathTypesetter& math) : assets_(assets), math_(math) {}

  MarkdownHtml render(std::string_view markdown, std::string_view scope);

  /// For table cells and labels: without the paragraph around it.
  std::string render_inline(std::string_view markdown, std::string_view scope);

 private:
  /// `taken`: the text's ids so far, each with the last number that its words got.
  std::string heading_id(const std::string& words, std::string_view scope,
                         std::unordered_map<std::string, int>& taken);

  const Assets& assets_;
  MathTypesetter& math_;
  /// Ids and the scopes that have them; those of the page's own parts are taken from the start.
  std::unordered_map<std::string, std::string> heading_owners_ = {
      {"lecture", ""}, {"stack", ""}, {"vars", ""},    {"output", ""}, {"progress", ""},
      {"where", ""},   {"live", ""},  {"message", ""}, {"terms", ""},  {"references", ""}};
};

/// "Byte-pair encoding, step 2" → "byte-pair-encoding-step-2".
std::string slug(std::string_view text);

}  // namespace lectern
