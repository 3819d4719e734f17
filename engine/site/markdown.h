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

/// The texts of one statement that are on the page together: no two things in them have the same id.
struct TextScope {
  explicit TextScope(std::string_view statement) : name(statement) {}

  std::string name;                              ///< what ids begin with, but those of headings
  std::unordered_map<std::string, int> taken{};  ///< headings' ids, each with the last number of its words
  int with_footnotes = 0;                        ///< texts
};

/// GitHub-flavoured Markdown into HTML that is safe whatever the input holds: raw HTML but `<br>` is shown
/// as text, links lead to http, https, mailto or relative addresses, images are files of the lecture's
/// assets. A text of more than 64 KB is shown as it is written. Headings are one level lower than written,
/// the page's title being the first. A heading's id is its words, with a number where others have them
/// already. (A statement's scopes follow one another: only one of them is on the page at a time, and each
/// has the same ids.)
class Markdown {
 public:
  Markdown(const Assets& assets, MathTypesetter& math) : assets_(assets), math_(math) {}

  MarkdownHtml render(std::string_view markdown, TextScope& scope);

  /// For table cells and labels: without the paragraph around it.
  std::string render_inline(std::string_view markdown, TextScope& scope);

 private:
  std::string heading_id(const std::string& words, TextScope& scope);

  const Assets& assets_;
  MathTypesetter& math_;
  /// Ids and the statements that have them; those of the page's own parts, whether or not this page has them
  /// all, are taken from the start. (Their numbers follow a ".", which no heading has.)
  std::unordered_map<std::string, std::string> heading_owners_ = {
      {"cost-title", ""}, {"costs", ""},        {"figure-place", ""}, {"found", ""}, {"help-title", ""},
      {"language", ""},   {"lecture", ""},      {"line-title", ""},   {"live", ""},  {"message", ""},
      {"outline", ""},    {"output", ""},       {"packed", ""},       {"ranks", ""}, {"passes-title", ""},
      {"progress", ""},   {"ranks-at-end", ""}, {"references", ""},   {"stack", ""}, {"single-keys", ""},
      {"terms", ""},      {"vars", ""},         {"where", ""}};
};

/// "Byte-pair encoding, step 2" → "byte-pair-encoding-step-2".
std::string slug(std::string_view text);

}  // namespace lectern
