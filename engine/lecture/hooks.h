#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "lecture/constant_text.h"
#include "lecture/dedent.h"
#include "lecture/front_matter.h"
#include "trace/rendering_kinds.h"

namespace lectern {

template <typename... Kinds>
using RenderingPointerOf = std::variant<const Kinds*...>;
using RenderingPointer = trace_model::rendering::Kinds<RenderingPointerOf>;
/// Shows a rendering as it is, or prints its text where nothing is recorded; an error at the lecture's line
/// when it has a problem(). A hook whose arguments are what it shows calls nothing else.
void show(RenderingPointer rendering);

/// The appearance of an image, plot or graph. `width` in CSS pixels, 0 for the natural one. `language` is
/// that of its texts, a tag of BCP 47 ("de", "pt-BR"); empty: the lecture's.
struct Style {
  std::string alt = {};
  std::string caption = {};
  int width = 0;
  std::string language = {};
};

/// Captions of a video: a WebVTT file beside the lecture, and its language.
struct Captions {
  std::string file;
  std::string language;
  std::string label = {};  ///< where the reader chooses among several; empty: the language's name
};
/// The appearance of a video. One with sound needs captions; the first are shown until a reader chooses
/// others. `poster` is an image beside the lecture, shown until the video plays.
struct VideoStyle {
  std::string alt = {};
  std::string caption = {};
  int width = 0;
  std::string language = {};
  std::vector<Captions> captions = {};
  bool silent = false;  ///< it has no sound
  std::string poster = {};
};

/// Of what is all words, such as a text or callout: its language, as in Style.
struct TextStyle {
  std::string language = {};
};
/// A text in one of several languages: {"de", "…"}.
struct Translation {
  std::string_view language, markdown;
};

/// A cited work. Labelled [Name+ year] when it has authors, else by its title. Those that several sources
/// cite are `inline constexpr` in a header: they cost no source anything. In the lists of works only an
/// address of http or https is a link: those stand on other pages, too, from where a relative one leads
/// elsewhere.
struct Reference {
  ConstantText title;
  ConstantTexts authors = {};
  ConstantText organization = {};
  ConstantText date = {};  ///< YYYY, YYYY-MM or YYYY-MM-DD
  ConstantText url = {};
  ConstantText description = {};
  ConstantText notes = {};
};

enum class Callout { note, info, warning, question, example, definition };

// Texts may be raw strings that begin on a line of their own, indented with the code around them: dedent.h.

/// GitHub-flavoured Markdown, with $…$ and $$…$$ mathematics. Without further arguments the text stands as it
/// is, braces and all; with them it is a format (format_string.h): text("mean {:.2f}", mean).
inline void text(std::string_view markdown) {
  const trace_model::rendering::Text shown{dedented(markdown)};
  show(&shown);
}

void text(std::string_view markdown, const TextStyle& style);
/// The same in several languages, of which a reader chooses: text({{"en", "A mean"}, {"de", "Ein Mittel"}}).
/// With arguments, each is a format of them. What else is shown in several languages, a plot say, is so by
/// hooks in one statement: exercise("Why?", {.language = "en"}), exercise("Warum?", {.language = "de"});
void text(std::initializer_list<Translation> translations);

/// Shown as it stands, in the code's typeface; only a literal is dedented. With arguments, a format.
inline void verbatim(std::string_view text) {
  const trace_model::rendering::Verbatim shown{std::string(text), {}};
  show(&shown);
}
void verbatim(std::string_view text, const TextStyle& style);
template <std::size_t N>
void verbatim(const char (&text)[N]) {
  verbatim(std::string_view(dedented(text)));
}
template <std::size_t N>
void verbatim(const char (&text)[N], const TextStyle& style) {
  verbatim(std::string_view(dedented(text)), style);
}

/// A file beside the lecture (relative to the lecture's folder). An image by URL is refused; one without alt
/// text warns.
void image(std::string_view path, const Style& style = {});
/// A figure that the lecture draws itself, from its data: the name that its file gets ("loss.svg"), and the
/// file's contents.
struct Drawing {
  std::string name;
  std::string svg;
};
void image(const Drawing& drawing, const Style& style = {});
void video(std::string_view path, const VideoStyle& style = {});

/// With a label that is a literal, write lectern::link: POSIX's function of that name takes two literals as
/// well.
void link(std::string_view url, std::string_view label = {});
void link(const Reference& reference);

/// A work of the course's references.bib (BibTeX), by its key. The file lies beside the lecture or, where
/// there is none, is the one that site.toml names (`references`).
void cite(std::string_view key, const char* lecture = __builtin_FILE());

/// A term of the course's glossary, with its definition (Markdown, one paragraph) where it is introduced. In
/// any other place, in this lecture or another, term("MFU") shows it with a card that has the definition.
/// Names that differ only in the case of letters and in what is between words are one.
inline void term(std::string_view name, std::string_view definition = {}) {
  const trace_model::rendering::Term shown{std::string(name), dedented(definition)};
  show(&shown);
}

/// A Vega-Lite specification (JSON), drawn on the page. A plot of one view is as wide as its column, or
/// `width`; its `height` is that between the axes. Colours and type that it does not name are the page's,
/// light and dark. Data are given as values: a page loads nothing, so a URL is refused there, as are images.
/// `alt`, else `caption`, is for those who cannot see it.
void plot(std::string_view vega_lite_json, const Style& style = {});

using trace_model::rendering::GraphEdge;  ///< from, to, label
using trace_model::rendering::GraphNode;  ///< id, label
void graph(const std::vector<GraphNode>& nodes, const std::vector<GraphEdge>& edges, const Style& style = {});

void card(std::string_view title, std::string_view markdown, std::string_view url = {},
          const TextStyle& style = {});
void callout(Callout type, std::string_view markdown, std::string_view title = {},
             const TextStyle& style = {});
void exercise(std::string_view markdown, std::string_view answer = {});
/// The answer; pages for students (`lectern build --audience students`) have it from a given day on, or
/// never. And a file to start from: "attention" is starters/attention.cpp beside the lecture, a program that
/// includes <lectern/exercise.h>. `lectern new --exercise attention` copies it.
struct Solution {
  std::string answer = {};
  std::string answer_from = {};  ///< YYYY-MM-DD
  std::string starter = {};
  std::string language = {};  ///< of question and answer, as in Style
};
void exercise(std::string_view markdown, const Solution& solution);

using trace_model::rendering::Tab;  ///< title, markdown
/// Alternatives, such as the same code in two languages: a reader sees one at a time, a printed page shows
/// all.
void tabs(const std::vector<Tab>& alternatives, const TextStyle& style = {});

/// For the speaker; readers see it on request, and pages for students do not have it. With arguments, a
/// format.
void note(std::string_view markdown, const TextStyle& style = {});

/// Runs a shell command and shows what it printed.
void system_text(std::string_view script);

// Templates, in headers of their own:
//   format.h      text(format, args…)            a text with values; verbatim and note, too
//                 inspect(x, …)                  values as renderings, in place of the line
//   table.h       table(header, rows), table(columns)
//   plots.h       line_plot, scatter_plot, bar_plot(numbers, options)
//   error_of.h    error_of(call)                 what a call is refused with
//   calculators.h calculator(title, inputs, function)   a function that readers call
//   code_link.h   link(function), link<Class>()  a function or class of this lecture

}  // namespace lectern
