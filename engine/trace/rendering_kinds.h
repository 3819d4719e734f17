#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "trace/boxed.h"
#include "trace/calculator.h"
#include "trace/fields.h"

namespace lectern::trace_model {

/// What hooks show (traces/README.md, "Renderings"). A kind of rendering is a type here, with the name of the
/// hook that shows it (kOtherHooks: further ones), and an entry of Kinds at the end; site/renderings.cpp
/// draws it. `problem()`, where a type has it, says why a hook must refuse its arguments; empty if they are
/// fine.
namespace rendering {

/// A path inside the assets folder.
inline constexpr std::string_view kAssetPath = R"(^(?!\.{1,2}(/|$))[^/:\\]+(/(?!\.{1,2}(/|$))[^/:\\]+)*$)";

/// A picture that stands for a lecture.
struct Cover {
  std::string src, alt, caption;
  bool on_page = true, in_lists = true;
  static constexpr auto fields() {
    return field_list(Field{"src", &Cover::src, kAlways, kAssetPath}, Field{"alt", &Cover::alt},
                      Field{"caption", &Cover::caption}, Field{"on_page", &Cover::on_page},
                      Field{"in_lists", &Cover::in_lists});
  }
  bool operator==(const Cover&) const = default;
};

/// The terms under which a lecture may be used: "CC BY 4.0", and where they stand.
struct License {
  std::string name = {}, url = {};
  static constexpr auto fields() {
    return field_list(Field{"name", &License::name, kAlways}, Field{"url", &License::url});
  }
  bool operator==(const License&) const = default;
};

/// What a lecture's page shows beside the lecture.
struct Parts {
  bool contents = true;       ///< the outline
  bool contents_open = true;  ///< beside the text, where there is room; else it opens at a click
  bool reading_time = true;
  bool word_count = false;
  bool breadcrumbs = true;
  bool summary = true;  ///< the description
  bool date = true;
  bool navigation = true;  ///< to the lecture before and the one after
  static constexpr auto fields() {
    using P = Parts;
    return field_list(Field{"contents", &P::contents}, Field{"contents_open", &P::contents_open},
                      Field{"reading_time", &P::reading_time}, Field{"word_count", &P::word_count},
                      Field{"breadcrumbs", &P::breadcrumbs}, Field{"summary", &P::summary},
                      Field{"date", &P::date}, Field{"navigation", &P::navigation});
  }
  bool operator==(const Parts&) const = default;
};

struct Front {
  static constexpr std::string_view kKind = "front", kHook = "lecture";
  std::string title, date;
  std::vector<std::string> authors, tags;
  std::string description, course;
  Members<std::string> author_urls;  ///< by name, of those who have one
  std::string series, subseries;
  int order = 0;  ///< within the series, from 1; 0: by name, after those that have one
  std::vector<std::string> categories;
  bool draft = false;  ///< not to be published
  Boxed<Cover> cover;
  std::string lang;  ///< BCP 47
  Boxed<License> license;
  Parts show;
  std::vector<std::string> goals;          ///< what one can do after it
  std::vector<std::string> prerequisites;  ///< what it builds on: names of lectures, or texts
  static constexpr auto fields() {
    using F = Front;
    return field_list(
        Field{"title", &F::title}, Field{"date", &F::date}, Field{"authors", &F::authors},
        Field{"tags", &F::tags}, Field{"description", &F::description}, Field{"course", &F::course},
        Field{"author_urls", &F::author_urls}, Field{"series", &F::series}, Field{"subseries", &F::subseries},
        Field{"order", &F::order}, Field{"categories", &F::categories}, Field{"draft", &F::draft},
        Field{"cover", &F::cover}, Field{"lang", &F::lang}, Field{"license", &F::license},
        Field{"show", &F::show}, Field{"goals", &F::goals}, Field{"prerequisites", &F::prerequisites});
  }
  bool operator==(const Front&) const = default;
};

// `lang`, here and below: the language of what is shown, BCP 47; empty: the lecture's. languages.h says what
// follows from it.

struct Text {
  static constexpr std::string_view kKind = "text", kHook = "text";
  std::string markdown;
  std::string lang = {};
  static constexpr auto fields() {
    return field_list(Field{"markdown", &Text::markdown}, Field{"lang", &Text::lang});
  }
  bool operator==(const Text&) const = default;
};

struct Verbatim {
  static constexpr std::string_view kKind = "verbatim", kHook = "verbatim";
  std::string text, caption;
  std::string lang = {};
  static constexpr auto fields() {
    return field_list(Field{"text", &Verbatim::text}, Field{"caption", &Verbatim::caption},
                      Field{"lang", &Verbatim::lang});
  }
  bool operator==(const Verbatim&) const = default;
};

struct Image {
  static constexpr std::string_view kKind = "image", kHook = "image";
  /// Of files that browsers show, here and below.
  static constexpr std::array<std::string_view, 7> kEndings{".svg", ".png",  ".jpg", ".jpeg",
                                                            ".gif", ".webp", ".avif"};
  std::string src, alt, caption;
  int width = 0;
  std::string lang = {};
  static constexpr auto fields() {
    return field_list(Field{"src", &Image::src, kAlways, kAssetPath}, Field{"alt", &Image::alt},
                      Field{"caption", &Image::caption}, Field{"width", &Image::width},
                      Field{"lang", &Image::lang});
  }
  bool operator==(const Image&) const = default;
};

/// Captions of a video in one language, a file of WebVTT.
struct Track {
  static constexpr std::array<std::string_view, 1> kEndings{".vtt"};
  std::string src, lang;
  std::string label = {};  ///< for the choice among several; empty: the language's name
  static constexpr auto fields() {
    return field_list(Field{"src", &Track::src, kAlways, kAssetPath}, Field{"lang", &Track::lang},
                      Field{"label", &Track::label});
  }
  bool operator==(const Track&) const = default;
};
struct Video {
  static constexpr std::string_view kKind = "video", kHook = "video";
  static constexpr std::array<std::string_view, 3> kEndings{".mp4", ".webm", ".ogv"};
  std::string src, alt, caption;
  int width = 0;
  std::string lang = {};
  std::vector<Track> captions = {};
  std::string poster = {};  ///< an image that is shown until the video plays
  static constexpr auto fields() {
    using V = Video;
    return field_list(Field{"src", &V::src, kAlways, kAssetPath}, Field{"alt", &V::alt},
                      Field{"caption", &V::caption}, Field{"width", &V::width}, Field{"lang", &V::lang},
                      Field{"captions", &V::captions}, Field{"poster", &V::poster, kElseAbsent, kAssetPath});
  }
  bool operator==(const Video&) const = default;
};

/// To a web page, a cited work, or a function or class of the lecture.
struct Link {
  static constexpr std::string_view kKind = "link", kHook = "link";
  static constexpr std::array<std::string_view, 1> kOtherHooks{"cite"};
  std::string url = {}, title = {}, label = {};
  std::vector<std::string> authors = {};
  std::string organization = {}, date = {}, description = {}, notes = {};
  std::string function = {};  ///< qualified name
  std::string key = {};       ///< of a cited work, in references.bib
  static constexpr auto fields() {
    using L = Link;
    return field_list(Field{"url", &L::url}, Field{"title", &L::title}, Field{"label", &L::label},
                      Field{"authors", &L::authors}, Field{"organization", &L::organization},
                      Field{"date", &L::date}, Field{"description", &L::description},
                      Field{"notes", &L::notes}, Field{"function", &L::function}, Field{"key", &L::key});
  }
  bool operator==(const Link&) const = default;
};

/// A term of the course: where it is defined, or, without a definition, where it is used.
struct Term {
  static constexpr std::string_view kKind = "term", kHook = "term";
  std::string name;
  std::string definition;  ///< Markdown, of one paragraph
  static constexpr auto fields() {
    return field_list(Field{"name", &Term::name, kAlways}, Field{"definition", &Term::definition});
  }
  std::string_view problem() const {
    if (name.find_first_not_of(" \t\n") == std::string::npos) return "the term has no name; give it one";
    return {};
  }
  bool operator==(const Term&) const = default;
};

struct Plot {
  static constexpr std::string_view kKind = "plot", kHook = "plot";
  static constexpr std::array<std::string_view, 3> kOtherHooks{"line_plot", "scatter_plot", "bar_plot"};
  JsonText spec;  ///< Vega-Lite
  std::string alt, caption;
  int width = 0;
  std::string lang = {};
  static constexpr auto fields() {
    return field_list(Field{"spec", &Plot::spec}, Field{"alt", &Plot::alt}, Field{"caption", &Plot::caption},
                      Field{"width", &Plot::width}, Field{"lang", &Plot::lang});
  }
  bool operator==(const Plot&) const = default;
};

struct GraphNode {
  std::string id;
  std::string label = {};
  static constexpr auto fields() {
    return field_list(Field{"id", &GraphNode::id}, Field{"label", &GraphNode::label});
  }
  bool operator==(const GraphNode&) const = default;
};
struct GraphEdge {
  std::string from, to;
  std::string label = {};
  static constexpr auto fields() {
    return field_list(Field{"from", &GraphEdge::from}, Field{"to", &GraphEdge::to},
                      Field{"label", &GraphEdge::label});
  }
  bool operator==(const GraphEdge&) const = default;
};
struct Graph {
  static constexpr std::string_view kKind = "graph", kHook = "graph";
  std::vector<GraphNode> nodes;
  std::vector<GraphEdge> edges;
  std::string alt, caption;
  int width = 0;
  std::string lang = {};
  static constexpr auto fields() {
    using G = Graph;
    return field_list(Field{"nodes", &G::nodes}, Field{"edges", &G::edges}, Field{"alt", &G::alt},
                      Field{"caption", &G::caption}, Field{"width", &G::width}, Field{"lang", &G::lang});
  }
  bool operator==(const Graph&) const = default;
};

/// Cells are Markdown.
struct Table {
  static constexpr std::string_view kKind = "table", kHook = "table";
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::string caption;
  int width = 0;
  std::vector<std::int64_t> numbers = {};  ///< indices of the columns of numbers
  std::string lang = {};
  static constexpr auto fields() {
    return field_list(Field{"header", &Table::header}, Field{"rows", &Table::rows},
                      Field{"caption", &Table::caption}, Field{"width", &Table::width},
                      Field{"numbers", &Table::numbers}, Field{"lang", &Table::lang});
  }
  bool operator==(const Table&) const = default;
};

struct Card {
  static constexpr std::string_view kKind = "card", kHook = "card";
  std::string title, markdown, url;
  std::string lang = {};
  static constexpr auto fields() {
    return field_list(Field{"title", &Card::title}, Field{"markdown", &Card::markdown},
                      Field{"url", &Card::url}, Field{"lang", &Card::lang});
  }
  bool operator==(const Card&) const = default;
};

struct Callout {
  static constexpr std::string_view kKind = "callout", kHook = "callout";
  static constexpr std::array<std::string_view, 6> kTypes{"note",     "info",    "warning",
                                                          "question", "example", "definition"};
  std::string type;  ///< one of kTypes
  std::string title, markdown;
  std::string lang = {};
  static constexpr auto fields() {
    return field_list(
        Field{"type", &Callout::type, kAlways, "^(note|info|warning|question|example|definition)$"},
        Field{"title", &Callout::title}, Field{"markdown", &Callout::markdown},
        Field{"lang", &Callout::lang});
  }
  bool operator==(const Callout&) const = default;
};

struct Exercise {
  static constexpr std::string_view kKind = "exercise", kHook = "exercise";
  std::string markdown, answer = {};
  std::string answer_from = {};  ///< the day from which students see the answer; empty: never
  std::string starter = {};      ///< a file to start from, NAME.cpp, inside the assets folder
  std::string lang = {};
  static constexpr auto fields() {
    return field_list(Field{"markdown", &Exercise::markdown}, Field{"answer", &Exercise::answer},
                      Field{"answer_from", &Exercise::answer_from, false, "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"},
                      Field{"starter", &Exercise::starter, false, kAssetPath},
                      Field{"lang", &Exercise::lang});
  }
  bool operator==(const Exercise&) const = default;
};

struct Tab {
  std::string title, markdown;
  static constexpr auto fields() {
    return field_list(Field{"title", &Tab::title, kAlways}, Field{"markdown", &Tab::markdown});
  }
  bool operator==(const Tab&) const = default;
};
/// Alternatives; a reader sees one at a time.
struct Tabs {
  static constexpr std::string_view kKind = "tabs", kHook = "tabs";
  std::vector<Tab> tabs;
  std::string lang = {};  ///< of all of them
  static constexpr auto fields() {
    return field_list(Field{"tabs", &Tabs::tabs, kAlways}, Field{"lang", &Tabs::lang});
  }
  std::string_view problem() const {
    if (tabs.size() < 2) return "there are fewer than two alternatives; add one, or use text()";
    for (const Tab& tab : tabs) {
      if (tab.title.empty()) return "one of the titles is empty; name each alternative";
    }
    return {};
  }
  bool operator==(const Tabs&) const = default;
};

/// A function of the lecture's own that the page calls again as its reader changes the inputs.
struct Calculator {
  static constexpr std::string_view kKind = "calculator", kHook = "calculator";
  static constexpr std::string_view kModuleEnding = ".wasm";
  std::string title;
  std::string module;    ///< WebAssembly, inside the assets folder; where it is missing, none was made
  std::string function;  ///< its name in the module
  std::vector<calculators::Input> inputs;
  std::vector<calculators::Preset> presets;
  calculators::Result result;  ///< of these inputs, from the lecture's run
  std::string caption;
  static constexpr auto fields() {
    using C = Calculator;
    return field_list(Field{"title", &C::title, kAlways}, Field{"module", &C::module, kAlways, kAssetPath},
                      Field{"function", &C::function, kAlways, "^[A-Za-z_][A-Za-z_0-9]*$"},
                      Field{"inputs", &C::inputs, kAlways}, Field{"presets", &C::presets},
                      Field{"result", &C::result, kAlways}, Field{"caption", &C::caption});
  }
  bool operator==(const Calculator&) const = default;
};

/// For the speaker.
struct Note {
  static constexpr std::string_view kKind = "note", kHook = "note";
  std::string markdown;
  std::string lang = {};
  static constexpr auto fields() {
    return field_list(Field{"markdown", &Note::markdown}, Field{"lang", &Note::lang});
  }
  bool operator==(const Note&) const = default;
};

/// A command and what it printed.
struct System {
  static constexpr std::string_view kKind = "system", kHook = "system_text";
  std::string command, text;
  int status = 0;
  static constexpr auto fields() {
    return field_list(Field{"command", &System::command}, Field{"text", &System::text},
                      Field{"status", &System::status});
  }
  bool operator==(const System&) const = default;
};

/// List<Front, …> with all kinds.
template <template <typename...> typename List>
using Kinds = List<Front, Text, Verbatim, Image, Video, Link, Term, Plot, Graph, Table, Card, Callout,
                   Exercise, Tabs, Calculator, Note, System>;

}  // namespace rendering
}  // namespace lectern::trace_model
