#include "cli/hook_errors.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/characters.h"
#include "cli/compiler_line.h"

namespace lectern::cli {
namespace {

struct Form {
  std::string_view hook, calls;
};

/// How hooks are called whose arguments are easily mistaken (lecture/hooks.h, lecture/plots.h).
constexpr Form kForms[] = {
    {"line_plot", R"(line_plot(y, {.title = "…"}) or line_plot(x, y, {.title = "…"}))"},
    {"scatter_plot", R"(scatter_plot(x, y, {.title = "…"}) or scatter_plot({{"a", x, y}}, {.title = "…"}))"},
    {"bar_plot",
     R"(bar_plot({{"a", 1}, {"b", 2}}, {.title = "…"}) or bar_plot(labels, heights, {.title = "…"}))"},
    {"plot", R"(plot(text, {.alt = "…"}), the text a specification in Vega-Lite's JSON)"},
    {"graph", R"(graph({{"a", "A"}, {"b", "B"}}, {{"a", "b"}}, {.alt = "…"}))"},
    {"callout", R"(callout(Callout::note, "…", "title"))"},
    {"card", R"(card("title", "…", "https://…"))"},
    {"cite", R"(cite("key"))"},
    {"exercise", R"(exercise("…", {.answer = "…", .answer_from = "2026-12-01", .starter = "…"}))"},
    {"image", R"(image("file.png", {.alt = "…", .caption = "…", .width = 400}))"},
    {"lecture",
     R"(lecture({.title = "…", .date = "…", .description = "…"}), with the fields of FrontMatter)"},
    {"link", R"(link("https://…", "label") or link({.title = "…", .authors = {"…"}, .organization = "…", )"
             R"(.date = "…", .url = "https://…"}), these in this order)"},
    {"tabs", R"(tabs({{"title", "…"}, {"title", "…"}}))"},
    {"term", R"(term("name", "definition"))"},
    {"video", R"(video("file.mp4", {.alt = "…", .captions = {{"file.vtt", "en", "English"}}}))"},
};

/// The hook whose call is refused; null for other errors.
const Form* refused_hook(std::string_view message) {
  constexpr std::string_view kNoMatch = "no matching function for call to ";
  std::string_view name;
  if (message.starts_with(kNoMatch)) {
    name = message.substr(kNoMatch.size());
    while (!name.empty() && !is_letter(name.front())) name.remove_prefix(1);  // a quote of any kind
    if (name.starts_with("lectern::")) name.remove_prefix(9);
    name = {name.begin(), std::find_if_not(name.begin(), name.end(), is_word)};
  } else if (has(message, "cannot convert ") && has(message, "lectern::Callout")) {
    name = "callout";
  } else if (has(message, "invalid initialization of reference ") && has(message, "lectern::FrontMatter&")) {
    name = "lecture";
  }
  const Form* const found = std::ranges::find(kForms, name, &Form::hook);
  return found != std::end(kForms) ? found : nullptr;
}

/// Whether a note names a function of Lectern, or of the system, which has a link() too.
bool is_of_lectern(std::string_view note) {
  const std::string_view file = note.substr(0, note.find(kNoteMark));
  return has(file, "/lecture/") || file.starts_with("/usr/include/");
}

}  // namespace

std::optional<std::string> HookErrors::take(std::string_view line) {
  if (const auto at = line.find(kErrorMark); at != std::string_view::npos) {
    const Form* const form = refused_hook(line.substr(at + kErrorMark.size()));
    inside_ = form != nullptr;
    listing_ = foreign_ = false;
    if (!inside_) return std::nullopt;
    return fmt::format("lectern: {}: {} does not take these arguments; write {}", line.substr(0, at),
                       form->hook, form->calls);
  }
  if (has(line, ": warning: ") || has(line, ": In ") || line.starts_with("lectern: ") ||
      line.starts_with("FAILED"))
    inside_ = false;
  if (!inside_) return std::nullopt;
  const bool note = has(line, kNoteMark);
  if (note && has(line, ": note: candidate") && !has(line, "candidate expects"))
    foreign_ = !is_of_lectern(line);
  listing_ = listing_ || note || line.starts_with("In file included from ");
  if (!listing_ || foreign_) return std::nullopt;
  return std::string();
}

}  // namespace lectern::cli
