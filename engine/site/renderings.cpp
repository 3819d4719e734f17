#include "site/renderings.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/html.h"
#include "base/readable_numbers.h"
#include "base/terminal.h"
#include "site/code.h"
#include "site/plots.h"
#include "site/values.h"
#include "trace/code_place.h"
#include "trace/json_fields.h"

namespace lectern {
namespace {

std::string scope_of(int site) {
  return "site" + std::to_string(site) + ".";
}

int int_field(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_integer() ? found->get<int>() : 0;
}

std::string capitalised(std::string word) {
  if (!word.empty() && word[0] >= 'a' && word[0] <= 'z') word[0] = static_cast<char>(word[0] - 'a' + 'A');
  return word;
}

std::string details(const std::string& summary, const std::string& text) {
  return "<details><summary>" + summary + "</summary><pre class=\"verbatim\" tabindex=\"0\">" +
         escape_html(text) + "</pre></details>";
}

}  // namespace

/// The renderings of one statement: what is inline gathers in one paragraph, blocks stand between.
struct Renderings::Line {
  int site;
  ShownRenderings shown;
  std::string paragraph;
  int cards = 0;

  void add_inline(const std::string& html) {
    if (!paragraph.empty()) paragraph += ' ';
    paragraph += html;
    shown.quiet = false;
  }
  void end_paragraph() {
    if (!paragraph.empty()) shown.html += "<div class=\"prose\"><p>" + paragraph + "</p></div>";
    paragraph.clear();
  }
  void add_block(const std::string& html, bool visible = true) {
    end_paragraph();
    shown.html += html;
    if (visible) shown.quiet = false;
  }
};

Renderings::Renderings(const Trace& trace, const Assets& assets, MathTypesetter& math)
    : trace_(trace), assets_(assets), markdown_(assets, math), math_(math) {}

ShownRenderings Renderings::render(const Json& show, int site) {
  Line line{site, {}, {}};
  if (show.is_array()) {
    for (const Json& rendering : show) {
      if (rendering.is_object()) add(line, rendering);
    }
  }
  line.end_paragraph();
  for (const std::string& error : math_.take_errors())
    warn(site, "mathematics that cannot be typeset: " + error);
  return std::move(line.shown);
}

std::vector<std::string> Renderings::take_warnings() {
  return std::exchange(warnings_, {});
}

void Renderings::warn(int site, const std::string& what) {
  const Site& at = trace_.sites[static_cast<std::size_t>(site)];
  const auto source =
      static_cast<std::size_t>(trace_.functions[static_cast<std::size_t>(at.function)].source);
  std::string message = to_string(Place{trace_.sources[source].path, at.span.line, 0}) + ": " + what;
  if (std::find(warnings_.begin(), warnings_.end(), message) == warnings_.end())
    warnings_.push_back(std::move(message));
}

void Renderings::add(Line& line, const Json& rendering) {
  const std::string kind = text_member(rendering, "kind");
  const int site = line.site;
  if (kind == "front") return;
  if (kind == "text") {
    add_text(line, text_member(rendering, "markdown"));
  } else if (kind == "verbatim") {
    line.add_block(figure(
        rendering,
        "<pre class=\"verbatim\" tabindex=\"0\">" + escape_html(text_member(rendering, "text")) + "</pre>",
        "verbatim-figure", site));
  } else if (kind == "image") {
    line.add_block(image(rendering, site));
  } else if (kind == "video") {
    line.add_block(video(rendering, site));
  } else if (kind == "link") {
    add_link(line, rendering);
  } else if (kind == "plot") {
    line.add_block(plot(rendering, site));
  } else if (kind == "graph") {
    std::string edges;
    for (const Json& edge : rendering.value("edges", Json::array())) {
      if (!edge.is_object()) continue;
      const std::string label = text_member(edge, "label");
      edges += text_member(edge, "from") + " \u2192 " + text_member(edge, "to") +
               (label.empty() ? "" : "  " + label) + "\n";
    }
    line.add_block(figure(rendering, details("Edges of a graph", edges), "graph", site));
  } else if (kind == "table") {
    line.add_block(table(rendering, site));
  } else if (kind == "card") {
    line.add_block(card(rendering, site));
  } else if (kind == "callout") {
    line.add_block(callout(rendering, site));
  } else if (kind == "exercise") {
    line.add_block(exercise(rendering, site));
  } else if (kind == "note") {
    line.add_block("<div class=\"note\"><p class=\"box-title\">Speaker's note</p>" +
                       markdown(text_member(rendering, "markdown"), site) + "</div>",
                   false);
  } else if (kind == "system") {
    const int status = int_field(rendering, "status");
    line.add_block("<figure class=\"system\"><figcaption><code>$ " +
                   escape_html(text_member(rendering, "command")) + "</code>" +
                   (status == 0 ? "" : fmt::format(" <span class=\"bad\">exit status {}</span>", status)) +
                   "</figcaption><pre class=\"verbatim\" tabindex=\"0\">" +
                   escape_html(without_terminal_codes(text_member(rendering, "text"))) + "</pre></figure>");
  } else if (kind == "value") {
    const auto value = rendering.find("value");
    const ShownValue shown = show_value(value == rendering.end() ? Value() : value_from_json(*value));
    line.add_block("<div class=\"shown-value\"><b>" + escape_html(text_member(rendering, "name")) +
                   "</b> <span class=\"ty\">" + escape_html(shown.type) + "</span> " + shown.html + "</div>");
  } else {
    line.add_block(details("A rendering of an unknown kind: " + escape_html(kind),
                           rendering.dump(2, ' ', false, Json::error_handler_t::replace)));
  }
}

void Renderings::add_text(Line& line, const std::string& source) {
  MarkdownHtml made = markdown_.render(source, scope_of(line.site));
  for (const std::string& warning : made.warnings) warn(line.site, warning);
  line.shown.headings.insert(line.shown.headings.end(), made.headings.begin(), made.headings.end());
  if (made.single_paragraph) {
    line.add_inline(made.html.substr(3, made.html.size() - 7));
  } else if (!made.html.empty()) {
    line.add_block("<div class=\"prose\">" + made.html + "</div>");
  }
}

std::string Renderings::markdown(const std::string& source, int site) {
  const MarkdownHtml made = markdown_.render(source, scope_of(site));
  for (const std::string& warning : made.warnings) warn(site, warning);
  return made.html;
}

std::string Renderings::function_link(std::string name) const {
  // No function of C++ refers to a constructor: where one is named, its class was meant.
  const std::size_t colons = name.rfind("::");
  if (colons != std::string::npos) {
    const std::string owner = name.substr(0, colons), itself = name.substr(colons + 2);
    if (owner == itself || owner.ends_with("::" + itself)) name = owner;
  }
  const std::string html = "<code>" + escape_html(name) + "</code>";
  const std::optional<CodePlace> place = place_of(trace_, name);
  if (!place) return html;
  return fmt::format("<a class=\"fn\" href=\"#s{}-{}\">{}</a>", place->source, place->line, html);
}

void Renderings::add_link(Line& line, const Json& rendering) {
  const std::string function = text_member(rendering, "function");
  if (!function.empty()) return line.add_inline(function_link(function));
  const std::string url = text_member(rendering, "url");
  const std::string label = escape_html(reference_label(rendering));
  const std::vector<std::string> authors = list_field(rendering, "authors");
  const std::string title = text_member(rendering, "title");
  std::string card;
  const auto add_part = [&card](const char* name, const std::string& text) {
    if (!text.empty()) card += "<span class=\"" + std::string(name) + "\">" + escape_html(text) + "</span>";
  };
  add_part("card-title", title);
  add_part("card-authors", author_list(authors));
  const std::string organization = text_member(rendering, "organization"),
                    date = show_date(text_member(rendering, "date"));
  add_part("card-source", organization + (organization.empty() || date.empty() ? "" : ", ") + date);
  add_part("card-description", text_member(rendering, "description"));
  add_part("card-notes", text_member(rendering, "notes"));
  const bool linked = !url.empty() && safe_link(url);
  if (!url.empty() && !linked)
    warn(line.site,
         "the link to " + url + " is left out: only http, https, mailto and relative links are allowed");
  const bool has_card = !authors.empty() || card.find("card-description") != std::string::npos ||
                        card.find("card-notes") != std::string::npos ||
                        card.find("card-source") != std::string::npos;
  const std::string id = scope_of(line.site) + "card" + std::to_string(line.cards++);
  const std::string described = has_card ? " aria-describedby=\"" + id + "\"" : "";
  std::string html =
      linked ? "<a class=\"ref\" href=\"" + escape_html(url) + "\"" + described + ">" + label + "</a>"
             : "<span class=\"ref\" tabindex=\"0\"" + described + ">" + label + "</span>";
  if (has_card) html += "<span class=\"card\" id=\"" + id + "\" role=\"tooltip\">" + card + "</span>";
  line.add_inline(has_card ? "<span class=\"cite\">" + html + "</span>" : html);
}

std::string Renderings::figure(const Json& rendering, const std::string& inner, const char* kind, int site) {
  const std::string caption = text_member(rendering, "caption");
  if (caption.empty()) return "<div class=\"" + std::string(kind) + "\">" + inner + "</div>";
  return "<figure class=\"fig " + std::string(kind) + "\">" + inner + "<figcaption>" +
         markdown_.render_inline(caption, scope_of(site)) + "</figcaption></figure>";
}

std::string Renderings::image(const Json& rendering, int site) {
  const std::string src = text_member(rendering, "src"), alt = text_member(rendering, "alt");
  if (!assets_.contains(src)) {
    warn(site, "the image " + src + " is not among the lecture's files; run the lecture again");
    return figure(rendering, "<p class=\"missing\">Image: " + escape_html(alt.empty() ? src : alt) + "</p>",
                  "image", site);
  }
  const int width = std::min(int_field(rendering, "width"), 4000);
  return figure(rendering, assets_.image(src, alt, width), "image", site);
}

std::string Renderings::video(const Json& rendering, int site) {
  const std::string src = text_member(rendering, "src"), alt = text_member(rendering, "alt");
  if (!assets_.contains(src)) {
    warn(site, "the video " + src + " is not among the lecture's files; run the lecture again");
    return figure(rendering, "<p class=\"missing\">Video: " + escape_html(alt.empty() ? src : alt) + "</p>",
                  "video", site);
  }
  const int width = std::min(int_field(rendering, "width"), 4000);
  return figure(rendering,
                "<video controls preload=\"metadata\" src=\"" + Assets::url(src) + "\" aria-label=\"" +
                    escape_html(alt) + "\"" +
                    (width > 0 ? fmt::format(" width=\"{}\"", width) : std::string()) + "></video>",
                "video", site);
}

/// Its place is empty until the page's script draws in it (site_templates/src/plots.ts), with what it reads
/// in the specification below.
std::string Renderings::plot(const Json& rendering, int site) {
  const Json spec = rendering.value("spec", Json::object());
  const std::string alt = text_member(rendering, "alt");
  const int width = std::min(int_field(rendering, "width"), 4000);
  return figure(rendering,
                plot_place(spec, alt.empty() ? text_member(rendering, "caption") : alt, width) +
                    details("Specification of a plot", plot_text(spec)),
                "plot", site);
}

std::string Renderings::table(const Json& rendering, int site) {
  const std::string scope = scope_of(site);
  std::string html = "<div class=\"scroll\" tabindex=\"0\"><table>";
  const std::vector<std::string> header = list_field(rendering, "header");
  if (!header.empty()) {
    html += "<thead><tr>";
    for (const std::string& cell : header)
      html += "<th scope=\"col\">" + markdown_.render_inline(cell, scope) + "</th>";
    html += "</tr></thead>";
  }
  html += "<tbody>";
  for (const Json& row : rendering.value("rows", Json::array())) {
    html += "<tr>";
    if (row.is_array()) {
      for (const Json& cell : row) {
        html += "<td>" +
                (cell.is_string() ? markdown_.render_inline(cell.get<std::string>(), scope)
                                  : show_value(value_from_json(cell)).html) +
                "</td>";
      }
    }
    html += "</tr>";
  }
  // A caption of the table's own would be as narrow as the table.
  return figure(rendering, html + "</tbody></table></div>", "table", site);
}

std::string Renderings::card(const Json& rendering, int site) {
  const std::string title = escape_html(text_member(rendering, "title")), url = text_member(rendering, "url");
  const std::string head =
      url.empty() || !safe_link(url) ? title : "<a href=\"" + escape_html(url) + "\">" + title + "</a>";
  return "<div class=\"box\"><p class=\"box-title\">" + head + "</p>" +
         markdown(text_member(rendering, "markdown"), site) + "</div>";
}

std::string Renderings::callout(const Json& rendering, int site) {
  std::string type = text_member(rendering, "type");
  constexpr std::array<std::string_view, 6> kTypes = {"note",     "info",    "warning",
                                                      "question", "example", "definition"};
  if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) type = "note";
  const std::string title = text_member(rendering, "title");
  const std::string name = capitalised(type);
  return "<div class=\"callout callout-" + type + "\" role=\"note\"><p class=\"box-title\">" + name +
         (title.empty() ? "" : ": " + markdown_.render_inline(title, scope_of(site))) + "</p>" +
         markdown(text_member(rendering, "markdown"), site) + "</div>";
}

std::string Renderings::exercise(const Json& rendering, int site) {
  const std::string answer = text_member(rendering, "answer");
  return "<div class=\"callout exercise\"><p class=\"box-title\">Exercise</p>" +
         markdown(text_member(rendering, "markdown"), site) +
         (answer.empty() ? ""
                         : "<details><summary>Answer</summary>" + markdown(answer, site) + "</details>") +
         "</div>";
}

}  // namespace lectern
