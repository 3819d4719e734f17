#include "site/markdown.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <fmt/format.h>

#include "base/characters.h"
#include "base/html.h"
#include "site/code.h"
#include "site/long_words.h"
#include "site/media.h"

namespace lectern {
namespace {

constexpr int kOptions = CMARK_OPT_VALIDATE_UTF8 | CMARK_OPT_FOOTNOTES | CMARK_OPT_STRIKETHROUGH_DOUBLE_TILDE;

/// The parser stays alive as long as its document is rendered: it holds the list of extensions.
struct Parsed {
  std::unique_ptr<cmark_parser, decltype(&cmark_parser_free)> parser{cmark_parser_new(kOptions),
                                                                     cmark_parser_free};
  std::unique_ptr<cmark_node, decltype(&cmark_node_free)> document{nullptr, cmark_node_free};
};

Parsed parse(const std::string& markdown) {
  static const bool registered = (cmark_gfm_core_extensions_ensure_registered(), true);
  static_cast<void>(registered);
  Parsed parsed;
  for (const char* name : {"table", "strikethrough", "autolink", "tasklist"}) {
    cmark_parser_attach_syntax_extension(parsed.parser.get(), cmark_find_syntax_extension(name));
  }
  cmark_parser_feed(parsed.parser.get(), markdown.data(), markdown.size());
  parsed.document.reset(cmark_parser_finish(parsed.parser.get()));
  return parsed;
}

std::string_view view(const char* text) {
  return text == nullptr ? std::string_view() : std::string_view(text);
}

std::string replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string out;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what)) {
    out.append(text.substr(0, at)).append(by);
    text.remove_prefix(at + what.size());
  }
  return out.append(text);
}

/// The parser may take quadratic time.
constexpr std::size_t kLongestMarkdown = 64 * 1024;

MarkdownHtml unrendered(std::string_view text) {
  MarkdownHtml result;
  result.html = "<pre class=\"verbatim\" tabindex=\"0\">" + escape_html(text) + "</pre>";
  result.warnings.emplace_back(
      "a text of more than 64 KB is shown as it is written, without Markdown; divide it");
  return result;
}

/// HTML as text, but for line breaks.
std::string text_with_breaks(std::string_view html) {
  std::string out;
  for (std::size_t at = html.find('<'); at != std::string_view::npos; at = html.find('<', at)) {
    const std::size_t length = line_break_length(html.substr(at));
    if (length == 0) {
      ++at;
      continue;
    }
    append_escaped(out, html.substr(0, at));
    out += "<br />";
    html.remove_prefix(at + length);
    at = 0;
  }
  append_escaped(out, html);
  return out;
}

/// What the renderer leaves of inline HTML: of line breaks alone, all other has become text.
constexpr std::string_view kLeftOutHtml = "<!-- raw HTML omitted -->";

/// Makes a parsed document harmless, and gives formulas back to where they are not mathematics.
class Sanitizer {
 public:
  Sanitizer(const std::vector<Formula>& formulas, const Assets& assets, std::vector<std::string>& warnings)
      : formulas_(formulas), assets_(assets), warnings_(warnings) {}

  void sanitize(cmark_node* document) {
    std::vector<cmark_node*> nodes;
    cmark_iter* const iterator = cmark_iter_new(document);
    for (cmark_event_type event; (event = cmark_iter_next(iterator)) != CMARK_EVENT_DONE;) {
      if (event == CMARK_EVENT_ENTER) nodes.push_back(cmark_iter_get_node(iterator));
    }
    cmark_iter_free(iterator);
    // From the end, so that a node's children are processed before it is replaced.
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) sanitize_node(*node);
  }

 private:
  std::string as_written(std::string_view text) const {
    return fill_placeholders(text, formulas_, formula_source);
  }

  void sanitize_node(cmark_node* node) {
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_HTML_INLINE) {
      const std::string_view text = view(cmark_node_get_literal(node));
      if (line_break_length(text) == 0) replace(node, text_node(text));
    } else if (type == CMARK_NODE_HTML_BLOCK) {
      const std::string text = text_with_breaks(view(cmark_node_get_literal(node)));
      replace(node, html_node(CMARK_NODE_CUSTOM_BLOCK, "<p>" + text + "</p>\n"));
    } else if (type == CMARK_NODE_LINK) {
      sanitize_link(node);
    } else if (type == CMARK_NODE_IMAGE) {
      sanitize_image(node);
    } else if (type == CMARK_NODE_CODE) {
      cmark_node_set_literal(node, as_written(view(cmark_node_get_literal(node))).c_str());
    } else if (type == CMARK_NODE_CODE_BLOCK) {
      replace(node, html_node(CMARK_NODE_CUSTOM_BLOCK, code_block(node)));
    }
  }

  static cmark_node* text_node(std::string_view text) {
    cmark_node* const node = cmark_node_new(CMARK_NODE_TEXT);
    cmark_node_set_literal(node, std::string(text).c_str());
    return node;
  }

  static cmark_node* html_node(cmark_node_type type, const std::string& html) {
    cmark_node* const node = cmark_node_new(type);
    cmark_node_set_on_enter(node, html.c_str());
    return node;
  }

  /// False, with nothing changed, where `by` is not allowed: table cells accept no custom HTML.
  static bool replace(cmark_node* node, cmark_node* by) {
    const bool stands = cmark_node_insert_before(node, by) != 0;
    cmark_node_free(stands ? node : by);
    return stands;
  }

  void sanitize_link(cmark_node* node) {
    const std::string url = as_written(view(cmark_node_get_url(node)));
    if (safe_link(url)) {
      if (std::string problem = assets_.link_problem(url); !problem.empty())
        warnings_.push_back(std::move(problem));
      cmark_node_set_url(node, assets_.link(url).c_str());
      cmark_node_set_title(node, as_written(view(cmark_node_get_title(node))).c_str());
      return;
    }
    warnings_.push_back("the link to " + url +
                        " is left out: only http, https, mailto and relative links are allowed");
    while (cmark_node* const child = cmark_node_first_child(node)) cmark_node_insert_before(node, child);
    cmark_node_free(node);
  }

  std::string plain_text(cmark_node* node) const {
    std::string text;
    cmark_iter* const iterator = cmark_iter_new(node);
    for (cmark_event_type event; (event = cmark_iter_next(iterator)) != CMARK_EVENT_DONE;) {
      if (event != CMARK_EVENT_ENTER) continue;
      cmark_node* const inner = cmark_iter_get_node(iterator);
      const cmark_node_type type = cmark_node_get_type(inner);
      if (type == CMARK_NODE_TEXT || type == CMARK_NODE_CODE) text += view(cmark_node_get_literal(inner));
      if (type == CMARK_NODE_CUSTOM_INLINE) text += html_to_text(view(cmark_node_get_on_enter(inner)));
      if (type == CMARK_NODE_SOFTBREAK || type == CMARK_NODE_LINEBREAK) text += ' ';
    }
    cmark_iter_free(iterator);
    return as_written(text);
  }

  void sanitize_image(cmark_node* node) {
    const std::string alt = plain_text(node);
    const std::string src = as_written(view(cmark_node_get_url(node)));
    if (!assets_.contains(src)) {
      warnings_.push_back("the image " + src +
                          " is left out: it is not among the files that the lecture showed");
      replace(node, text_node(alt));
      return;
    }
    cmark_node* const around = cmark_node_parent(node);
    const bool alone = cmark_node_get_type(around) == CMARK_NODE_PARAGRAPH &&
                       cmark_node_previous(node) == nullptr && cmark_node_next(node) == nullptr;
    const std::string html = alone ? figure_image(assets_, src, alt) : assets_.image(src, alt);
    if (replace(node, html_node(CMARK_NODE_CUSTOM_INLINE, html))) return;
    cmark_node_set_url(node, Assets::url(src).c_str());
    cmark_node_set_title(node, as_written(view(cmark_node_get_title(node))).c_str());
  }

  std::string code_block(cmark_node* node) const {
    const std::string code = as_written(view(cmark_node_get_literal(node)));
    const std::string_view info = view(cmark_node_get_fence_info(node));
    const std::string language(info.substr(0, info.find_first_of(" \t")));
    return "<pre class=\"verbatim\" tabindex=\"0\"><code>" + highlighted(code, language) + "</code></pre>\n";
  }

  const std::vector<Formula>& formulas_;
  const Assets& assets_;
  std::vector<std::string>& warnings_;
};

/// cmark numbers the footnotes of each text from 1.
std::string with_footnotes_of_its_own(const std::string& html, TextScope& scope) {
  if (html.find("id=\"fn") == std::string::npos) return html;
  const int number = ++scope.with_footnotes;
  const std::string prefix = scope.name + (number == 1 ? "" : std::to_string(number));
  return replaced(replaced(html, "id=\"fn", "id=\"" + prefix + "-fn"), "href=\"#fn",
                  "href=\"#" + prefix + "-fn");
}

/// Headings of HTML as cmark writes them: lowers them by one level, gives them ids and lists them. One
/// without words leads nowhere.
template <typename MakeId>
std::string with_heading_ids(std::string_view html, const std::vector<Formula>& formulas,
                             std::vector<Heading>& headings, MakeId&& make_id) {
  std::string out;
  for (std::size_t begin = html.find("<h"); begin != std::string_view::npos; begin = html.find("<h")) {
    out += html.substr(0, begin);
    html.remove_prefix(begin);
    const bool heading = html.size() > 3 && html[2] >= '1' && html[2] <= '6' && html[3] == '>';
    const std::size_t end = heading ? html.find("</h") : std::string_view::npos;
    if (end == std::string_view::npos) {
      out += html.substr(0, 2);
      html.remove_prefix(2);
      continue;
    }
    const int level = html[2] - '0';
    const std::string_view inner = html.substr(4, end - 4);
    const std::string text =
        fill_placeholders(html_to_text(inner), formulas, [](const Formula& f) { return f.tex; });
    const std::string lower = std::to_string(std::min(level + 1, 6));
    std::string id;
    if (!trim(text).empty()) {
      headings.push_back({level, make_id(slug(text)), text});
      id = " id=\"" + escape_html(headings.back().id) + "\"";
    }
    if (!inner.empty()) out += fmt::format("<h{0}{1}>{2}</h{0}>", lower, id, inner);
    html.remove_prefix(end + 5);
  }
  out += html;
  return out;
}

/// The boxes of a list of tasks say what they mean.
std::string with_tasks_named(const std::string& html) {
  return replaced(replaced(html, "<input type=\"checkbox\" disabled=\"\"",
                           "<input type=\"checkbox\" aria-label=\"to do\" disabled=\"\""),
                  "<input type=\"checkbox\" checked=\"\"",
                  "<input type=\"checkbox\" checked=\"\" aria-label=\"done\"");
}

/// Links whose text is their address get a class: it is printed once.
std::string with_addresses_marked(std::string_view html) {
  constexpr std::string_view kLink = "<a href=\"";
  std::string out;
  for (std::size_t begin = html.find(kLink); begin != std::string_view::npos; begin = html.find(kLink)) {
    out += html.substr(0, begin);
    html.remove_prefix(begin + kLink.size());
    const std::string address(html.substr(0, html.find('"')));
    const bool marked = html.substr(address.size()).starts_with("\">" + address + "</a>");
    out += marked ? "<a class=\"address\" href=\"" : kLink;
  }
  out += html;
  return out;
}

}  // namespace

MarkdownHtml Markdown::render(std::string_view markdown, TextScope& scope) {
  if (markdown.size() > kLongestMarkdown) return unrendered(markdown);
  const ExtractedMath math = extract_math(with_pictures(markdown));
  MarkdownHtml result;
  const Parsed parsed = parse(math.markdown);
  cmark_node* const document = parsed.document.get();
  Sanitizer(math.formulas, assets_, result.warnings).sanitize(document);
  cmark_node* const first = cmark_node_first_child(document);
  result.single_paragraph = first != nullptr && cmark_node_next(first) == nullptr &&
                            cmark_node_get_type(first) == CMARK_NODE_PARAGRAPH;
  const std::unique_ptr<char, decltype(&std::free)> raw(
      cmark_render_html(document, kOptions, cmark_parser_get_syntax_extensions(parsed.parser.get())),
      &std::free);
  std::string html = replaced(raw.get(), kLeftOutHtml, "<br />");
  html = with_footnotes_of_its_own(html, scope);
  html = with_long_words_marked(html);
  html = replaced(html, "<table>", "<div class=\"scroll\" tabindex=\"0\"><table>");
  html = replaced(html, "</table>", "</table></div>");
  html = with_addresses_marked(with_tasks_named(html));
  html = with_heading_ids(html, math.formulas, result.headings,
                          [&](const std::string& words) { return heading_id(words, scope); });
  result.html = fill_placeholders(html, math.formulas, [this](const Formula& f) { return math_.typeset(f); });
  while (!result.html.empty() && result.html.back() == '\n') result.html.pop_back();
  return result;
}

std::string Markdown::heading_id(const std::string& words, TextScope& scope) {
  const auto known = scope.taken.find(words);
  for (int ordinal = known == scope.taken.end() ? 1 : known->second + 1;; ++ordinal) {
    std::string id = ordinal == 1 ? words : words + "-" + std::to_string(ordinal);
    const auto owner = heading_owners_.try_emplace(id, scope.name).first;
    if (owner->second != scope.name || scope.taken.contains(id)) continue;
    scope.taken.emplace(id, 1);
    scope.taken[words] = ordinal;
    return id;
  }
}

std::string Markdown::render_inline(std::string_view markdown, TextScope& scope) {
  MarkdownHtml result = render(markdown, scope);
  if (!result.single_paragraph) return result.html;
  return result.html.substr(3, result.html.size() - 7);
}

std::string slug(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if ((is_word(c) && c != '_') || static_cast<unsigned char>(c) >= 0x80) {
      out += to_lower(c);
    } else if (!out.empty() && out.back() != '-') {
      out += '-';
    }
  }
  while (!out.empty() && out.back() == '-') out.pop_back();
  // Not like the id of a line ("s0-12").
  const bool like_line = out.size() > 1 && out[0] == 's' && is_digit(out[1]);
  return out.empty() ? "section" : like_line ? "h-" + out : out;
}

}  // namespace lectern
