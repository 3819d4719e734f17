#include "site/renderings.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/html.h"
#include "base/readable_numbers.h"
#include "base/terminal.h"
#include "site/calculator.h"
#include "site/code.h"
#include "site/flow.h"
#include "site/long_words.h"
#include "site/media.h"
#include "site/missing_files.h"
#include "site/plots.h"
#include "site/translations.h"
#include "site/values.h"
#include "site/warning.h"
#include "trace/code_place.h"
#include "trace/languages.h"

namespace lectern {
namespace {

std::string capitalised(std::string word) {
  if (!word.empty() && word[0] >= 'a' && word[0] <= 'z') word[0] = static_cast<char>(word[0] - 'a' + 'A');
  return word;
}

std::string verbatim(std::string_view text) {
  return "<pre class=\"verbatim\" tabindex=\"0\">" + escape_html(text) + "</pre>";
}

std::string details(const std::string& summary, std::string_view text) {
  return "<details><summary>" + summary + "</summary>" + verbatim(text) + "</details>";
}

int limited(int width) {
  return std::min(width, 4000);
}

}  // namespace

/// The place of one statement's renderings, each kind drawn by an overload of `draw`: what is inline gathers
/// in one paragraph, blocks stand between.
class Renderings::Slot {
 public:
  Slot(Renderings& page, int site) : page_(page), site_(site), scope_("site" + std::to_string(site) + ".") {}

  void draw(const rendering::Front& /*front*/) {}  // the page's title block
  void draw(const rendering::Text& text) {
    const MarkdownHtml made = rendered(text.markdown);
    shown_.headings.insert(shown_.headings.end(), made.headings.begin(), made.headings.end());
    if (made.single_paragraph) {
      add_inline(made.html.substr(3, made.html.size() - 7));
    } else if (!made.html.empty()) {
      flow_.add_prose(made.html);
      shown_.quiet = false;
    }
  }

  void draw(const rendering::Verbatim& text) {
    add_block(figure(text.caption, verbatim(text.text), "verbatim-figure"));
  }

  void draw(const rendering::Image& image) {
    draw_medium(image,
                [&] { return figure_image(page_.assets_, image.src, image.alt, limited(image.width)); });
  }
  void draw(const rendering::Video& video) {
    const auto warn_of = [this](const std::string& problem) { warn(problem); };
    draw_medium(video, [&] { return video_html(page_.assets_, video, limited(video.width), warn_of); });
  }

  void draw(const rendering::Link& link) {
    if (!link.function.empty()) return add_inline(function_link(link.function));
    const bool linked = !link.url.empty() && safe_link(link.url);
    if (!link.url.empty() && !linked)
      warn("the link to " + link.url +
           " is left out: only http, https, mailto and relative links are allowed");
    const std::string url = page_.assets_.link(link.url);
    if (const std::string problem = page_.assets_.link_problem(link.url); !problem.empty()) warn(problem);
    const bool has_card = !link.authors.empty() || !work_source(link).empty() || !link.description.empty() ||
                          !link.notes.empty() || !link.key.empty();
    const std::string id = scope_.name + "card" + std::to_string(cards_++);
    std::string described = has_card ? " aria-describedby=\"" + id + "\"" : "";
    std::string target = linked ? escape_html(url) : "";
    if (has_card && shown()) {
      const int number = page_.bibliography_.number(link, site_);
      described += fmt::format(" data-ref=\"{}\"", number);
      if (!link.key.empty()) target = "#" + reference_id(number);
    }
    const std::string label = escape_html(reference_label(link));
    const char* const kind = label == escape_html(link.url) ? "ref address" : "ref";
    std::string html =
        !target.empty() ? fmt::format("<a class=\"{}\" href=\"{}\"{}>{}</a>", kind, target, described, label)
                        : "<span class=\"ref\" tabindex=\"0\"" + described + ">" + label + "</span>";
    if (has_card)
      html += "<span class=\"card\" id=\"" + id + "\" role=\"tooltip\">" + reference_card(link) + "</span>";
    add_inline(has_card ? "<span class=\"cite\">" + html + "</span>" : html);
  }

  void draw(const rendering::Term& term) {
    std::string definition;
    if (!term.definition.empty()) definition = definition_html(rendered(term.definition));
    if (definition.empty() && !term.definition.empty()) {
      warn("term: the definition of \"" + term.name +
           "\" is shown as it is written; make it one paragraph, " + "without images and relative links");
      definition = escape_html(term.definition);
    }
    add_inline(shown() ? page_.terms_.add(term.name, definition, site_) : term_html(term.name, definition));
  }

  /// Its place is filled when the page is put together (plot_pictures.h), and by the page's script
  /// (site_templates/src/plots.ts), with what it reads in the specification below.
  void draw(const rendering::Plot& plot) {
    const JsonText spec = plot.spec.empty() ? JsonText{"{}"} : plot.spec;
    std::vector<std::string> problems;
    if (page_.plot_check_ != nullptr) problems = page_.plot_check_->problems(spec.text);
    for (const std::string& problem : problems) add_error("plot: " + problem);
    const std::string place = problems.empty() ? plot_place(plot, spec) : refused_plot(problems);
    add_block(figure(plot.caption, place + details("Specification of a plot", indented_json(spec)), "plot"));
  }

  void draw(const rendering::Graph& graph) {
    std::string edges;
    for (const rendering::GraphEdge& edge : graph.edges)
      edges += edge.from + " \u2192 " + edge.to + (edge.label.empty() ? "" : "  " + edge.label) + "\n";
    const std::string name = !graph.alt.empty()       ? graph.alt
                             : !graph.caption.empty() ? graph.caption
                                                      : fmt::format("Graph of {} nodes", graph.nodes.size());
    add_block(figure(graph.caption,
                     page_.graphs_.html(graph_figure(graph), name) + details("Edges of a graph", edges),
                     "graph"));
  }

  void draw(const rendering::Table& table) {
    const auto row_html = [&](const std::vector<std::string>& row, const std::string& open,
                              const char* close) {
      std::string cells = "<tr>";
      for (std::size_t i = 0; i < row.size(); ++i) {
        const bool number = std::ranges::count(table.numbers, static_cast<std::int64_t>(i)) > 0;
        cells += open + (number ? " align=\"right\">" : ">") + inline_markdown(row[i]) + close;
      }
      return cells + "</tr>";
    };
    std::string html;
    if (!table.header.empty())
      html += "<thead>" + row_html(table.header, "<th scope=\"col\"", "</th>") + "</thead>";
    html += "<tbody>";
    for (const std::vector<std::string>& row : table.rows) html += row_html(row, "<td", "</td>");
    html = "<div class=\"scroll\" tabindex=\"0\"" + flow_.writing(html) + "><table>" + html;
    // A <caption> would be as narrow as the table.
    html = with_long_words_marked(html + "</tbody></table></div>");
    add_block(figure(table.caption, html, "table"));
  }

  void draw(const rendering::Card& card) {
    const std::string title = escape_html(card.title);
    const bool linked = !card.url.empty() && safe_link(card.url);
    add_block(box(" class=\"box\"", "",
                  linked ? "<a href=\"" + escape_html(card.url) + "\">" + title + "</a>" : title,
                  markdown(card.markdown)));
  }

  void draw(const rendering::Callout& callout) {
    constexpr auto& kTypes = rendering::Callout::kTypes;
    const bool known = std::find(kTypes.begin(), kTypes.end(), callout.type) != kTypes.end();
    const std::string type = known ? callout.type : "note";
    const std::string title = callout.title.empty() ? "" : ": " + inline_markdown(callout.title);
    add_block(box(" class=\"callout callout-" + type + "\" role=\"note\"", capitalised(type), title,
                  markdown(callout.markdown)));
  }

  void draw(const rendering::Exercise& exercise) {
    std::string html = markdown(exercise.markdown);
    if (!exercise.answer.empty())
      html +=
          "<details class=\"answer\"><summary>Answer" +
          (exercise.answer_from.empty() ? "" : ", for students from " + escape_html(exercise.answer_from)) +
          "</summary>" + markdown(exercise.answer) + "</details>";
    if (!exercise.starter.empty()) html += starter(exercise.starter);
    add_block(box(" class=\"callout exercise\"", "Exercise", "", html));
  }

  void draw(const rendering::Note& note) {
    flow_.add_block(box(" class=\"note\"", "Speaker's note", "", markdown(note.markdown)));
  }

  void draw(const rendering::System& system) {
    const std::string status =
        system.status == 0 ? "" : fmt::format(" <span class=\"bad\">exit status {}</span>", system.status);
    add_block("<figure class=\"system\"><figcaption><code>$ " + escape_html(system.command) + "</code>" +
              status + "</figcaption>" + verbatim(without_terminal_codes(system.text)) + "</figure>");
  }

  /// Without a script: which tab is shown is told by a group of radio buttons (prose.css).
  void draw(const rendering::Tabs& tabs) {
    const std::string group = scope_.name + "tabs" + std::to_string(cards_++);
    std::string html, titles;
    for (std::size_t i = 0; i < tabs.tabs.size(); ++i) {
      html += fmt::format(
          "<input type=\"radio\" name=\"{0}\" id=\"{0}-{1}\"{2}><label for=\"{0}-{1}\">{3}</label>", group, i,
          i == 0 ? " checked" : "", inline_markdown(tabs.tabs[i].title));
      const std::string text = markdown(tabs.tabs[i].markdown);
      html += "<div class=\"tab\"" + flow_.writing(text) + ">" + text + "</div>";
      titles += tabs.tabs[i].title;
    }
    add_block("<div class=\"tabs\"" + flow_.writing(titles) + ">" + html + "</div>");
  }

  void draw(rendering::Calculator calculator) {
    // Where it is missing, the recording said so.
    if (!calculator.module.ends_with(rendering::Calculator::kModuleEnding) ||
        !page_.assets_.contains(calculator.module))
      calculator.module.clear();
    add_block(figure(calculator.caption,
                     calculator_html(calculator, scope_.name + "calculator" + std::to_string(cards_++)),
                     "calculation"));
  }

  void draw(const rendering::Inspected& inspected) {
    const ShownValue shown = show_value(inspected.value);
    add_block("<div class=\"shown-value\"><b>" + escape_html(inspected.name) + "</b> <span class=\"ty\">" +
              escape_html(shown.type) + "</span> " + shown.html + "</div>");
  }

  void draw(const rendering::Unknown& unknown) {
    add_block(
        details("A rendering of an unknown kind: " + escape_html(unknown.kind), indented_json(unknown.json)));
  }

  void draw_rendering(const Rendering& rendering, std::string_view kind) {
    const auto draw_form = [&] { std::visit([this](const auto& form) { draw(form); }, rendering.form); };
    const std::string language = language_attributes(language_of(rendering));
    if (language.empty()) return draw_form();
    flow_.within_language(std::string(kind) + language, draw_form);
  }

  void draw_alternatives(std::span<const Rendering> alternatives) {
    flow_.within(" class=\"tongues\"", [&] {
      for (const Rendering& alternative : alternatives) draw_rendering(alternative, kAlternative);
    });
  }

  ShownRenderings take() {
    shown_.html = flow_.take();
    return std::move(shown_);
  }

 private:
  void add_inline(const std::string& html) {
    flow_.add_inline(html);
    shown_.quiet = false;
  }
  void add_block(const std::string& html) {
    flow_.add_block(html);
    shown_.quiet = false;
  }

  bool shown() const { return !page_.trace_.sites[index(site_)].hide; }
  void warn(const std::string& what) { page_.warn(site_, what); }
  void add_error(const std::string& what) { add_once(page_.errors_, message_at(page_.trace_, site_, what)); }
  MarkdownHtml rendered(const std::string& source) {
    MarkdownHtml made = page_.markdown_.render(source, scope_);
    for (const std::string& warning : made.warnings) warn(warning);
    return made;
  }
  std::string markdown(const std::string& source) { return rendered(source).html; }
  std::string inline_markdown(const std::string& source) {
    return page_.markdown_.render_inline(source, scope_);
  }

  std::string figure(const std::string& caption, const std::string& inner, const std::string& kind) {
    if (caption.empty()) return "<div class=\"" + kind + "\">" + inner + "</div>";
    return "<figure class=\"fig " + kind + "\">" + inner + "<figcaption>" + inline_markdown(caption) +
           "</figcaption></figure>";
  }

  /// `kind`, a word of the page's, says nothing about the direction of what the author wrote.
  std::string box(const std::string& attributes, const std::string& kind, const std::string& title,
                  const std::string& html) const {
    const std::string writing = flow_.writing(title + html);
    return "<div" + attributes + writing + "><p class=\"box-title\">" +
           (writing.empty() ? kind : "<bdi>" + kind + "</bdi>") + title + "</p>" + html + "</div>";
  }

  std::string plot_place(const rendering::Plot& plot, const JsonText& spec) {
    const int width = limited(plot.width);
    const std::string key = plot_key(spec, width);
    std::vector<PlacedPlot>& plots = page_.plots_;
    const bool known =
        std::any_of(plots.begin(), plots.end(), [&](const auto& other) { return other.key == key; });
    if (!known) plots.push_back({key, spec.text, width, plot_height(spec), site_});
    return lectern::plot_place(spec, plot.alt.empty() ? plot.caption : plot.alt, width);
  }

  /// How a reader comes by the file that an exercise starts from.
  std::string starter(const std::string& file) {
    const std::string name = escape_html(file.substr(0, file.rfind('.'))), shown = escape_html(file);
    std::string html = "<p class=\"starter\">Start from ";
    if (page_.assets_.contains(file)) {
      html +=
          "<a href=\"" + escape_html(Assets::url(file)) + "\" download=\"" + shown + "\">" + shown + "</a>";
    } else {
      warn(missing_file(page_.trace_, kStarterFile, file));
      html += "<code>" + shown + "</code>";
    }
    return html + ": <code>lectern new --exercise " + name + "</code> copies it, <code>lectern build " +
           shown + "</code> tells which of its claims hold.</p>";
  }

  /// A file of the lecture's, or its text where the file is not there.
  template <typename Medium, typename Html>
  void draw_medium(const Medium& medium, const Html& html) {
    const std::string kind(Medium::kKind);
    if (page_.assets_.contains(medium.src)) return add_block(figure(medium.caption, html(), kind));
    warn(missing_file(page_.trace_, kind, medium.src));
    const std::string text = escape_html(medium.alt.empty() ? medium.src : medium.alt);
    add_block(
        figure(medium.caption, "<p class=\"missing\">" + capitalised(kind) + ": " + text + "</p>", kind));
  }

  std::string function_link(std::string name) const {
    // No function of C++ refers to a constructor: where one is named, its class was meant.
    const std::size_t colons = name.rfind("::");
    if (colons != std::string::npos) {
      const std::string owner = name.substr(0, colons), itself = name.substr(colons + 2);
      if (owner == itself || owner.ends_with("::" + itself)) name = owner;
    }
    const std::string html = "<code>" + escape_html(name) + "</code>";
    const std::optional<CodePlace> place = find_place(page_.trace_, name);
    if (!place) return html;
    return fmt::format("<a class=\"fn\" href=\"#s{}-{}\">{}</a>", place->source, place->line, html);
  }

  Renderings& page_;
  int site_;
  TextScope scope_;
  Flow flow_;
  ShownRenderings shown_;
  int cards_ = 0;
};

Renderings::Renderings(const Trace& trace, const Assets& assets, MathTypesetter& math, PlotCheck* plot_check)
    : trace_(trace), assets_(assets), markdown_(assets, math), math_(math), plot_check_(plot_check) {}

void Renderings::draw_graphs() {
  graphs_ = GraphPictures(trace_, [this](int site, const std::string& what) {
    warn(site, "graph: no picture is made of it, its edges are listed: " + what);
  });
}

ShownRenderings Renderings::render(const std::vector<Rendering>& show, int site) {
  Slot slot(*this, site);
  for (std::size_t i = 0; i < show.size();) {
    const std::size_t end = alternatives_end(show, i);
    if (end == i) {
      slot.draw_rendering(show[i++], "");
      continue;
    }
    for (const std::string& problem : translation_problems(show, i, end, languages_)) warn(site, problem);
    slot.draw_alternatives(std::span(show).subspan(i, end - i));
    i = end;
  }
  for (const std::string& error : math_.take_errors())
    warn(site, "mathematics that cannot be typeset: " + error);
  return slot.take();
}

std::vector<std::string> Renderings::take_warnings() {
  return std::exchange(warnings_, {});
}

std::vector<std::string> Renderings::take_errors() {
  return std::exchange(errors_, {});
}

void Renderings::warn(int site, const std::string& what) {
  add_once(warnings_, message_at(trace_, site, what));
}

}  // namespace lectern
