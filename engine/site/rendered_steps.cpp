#include "site/rendered_steps.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/characters.h"
#include "base/html.h"
#include "base/readable_numbers.h"
#include "base/terminal.h"
#include "base/utf8.h"
#include "site/final_badges.h"
#include "trace/encode.h"
#include "trace/end_message.h"
#include "trace/languages.h"
#include "trace/scopes.h"
#include "trace/value_text.h"

namespace lectern {
namespace {

constexpr std::size_t kMostPrinted = 64 * 1024;

std::size_t count_words(std::string_view text) {
  std::size_t words = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    words += !is_blank(text[i]) && (i == 0 || is_blank(text[i - 1]));
  return words;
}

/// Of prose, captions and texts; not of speaker's notes.
std::size_t count_prose_words(const Rendering& rendering) {
  std::size_t words = 0;
  std::visit(
      [&words]<typename Form>(const Form& form) {
        if constexpr (HasFields<Form> && !std::is_same_v<Form, rendering::Note>) {
          for_each_field<Form>([&]<typename T>(const Field<Form, T>& field) {
            constexpr std::array<std::string_view, 4> kProse{"markdown", "caption", "answer", "text"};
            if constexpr (std::is_same_v<T, std::string>) {
              if (std::find(kProse.begin(), kProse.end(), field.name) != kProse.end())
                words += count_words(form.*field.member);
            }
          });
        }
      },
      rendering.form);
  return words;
}

/// Says that output was truncated.
std::string truncation_text(std::uint64_t bytes) {
  return "output cut here: " + counted(bytes, "more byte was", "more bytes were") + " printed";
}

/// Only for generated HTML, where "<h" and "</h" before a digit always mean a heading.
std::string with_headings_raised(std::string html, int by) {
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::size_t digit = at + (html.compare(at, 3, "</h") == 0 ? 3 : 2);
    if (html[digit - 1] != 'h' || digit >= html.size() || html[digit] < '2' || html[digit] > '6') continue;
    html[digit] = static_cast<char>(std::max(html[digit] - by, int{'2'}));
  }
  return html;
}

/// Each has a direction of its own: between two of a script from the right the operator would point the wrong
/// way.
std::string operand_html(const Value& operand) {
  constexpr std::size_t kOperandLength = 24;
  return "<bdi>" + escape_html(value_text(operand, kOperandLength)) + "</bdi>";
}

std::string thrown_html(const std::string& message) {
  constexpr std::size_t kLength = 80;
  const std::string_view shown = first_characters(message, kLength);
  return "<bdi>" + escape_html(shown) + (shown.size() < message.size() ? "\u2026" : "") + "</bdi>";
}

class StepRenderer {
 public:
  StepRenderer(const Trace& trace, Renderings& renderings) : trace_(trace), renderings_(renderings) {}

  RenderedSteps run() {
    result_.sites.resize(trace_.sites.size());
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) add_step(static_cast<int>(i), trace_.steps[i]);
    for (const auto& [site, shown] : last_shown_) result_.words += shown;
    for (const auto& [site, binding] : final_badges(trace_, result_.vars))
      result_.sites[index(site)].vars = result_.vars[binding].second;
    const std::string message = end_message(trace_);
    if (!message.empty())
      result_.ended = result_.html.intern("<p class=\"bad\">" + escape_html(message) + ".</p>");
    if (unprinted_ > 0) note_truncation(unprinted_);
    raise_headings();
    result_.terms = renderings_.terms().place();
    result_.references = renderings_.bibliography().html();
    for (const auto& [claim, held] : claims_) ++(held ? result_.claims_held : result_.claims_failed);
    return std::move(result_);
  }

 private:
  /// Lectures begin at different levels of Markdown; on the page the highest one follows the title, so that
  /// no level is left out.
  void raise_headings() {
    int highest = 6;
    for (const FinalState& state : result_.sites) {
      for (const Heading& heading : state.headings) highest = std::min(highest, heading.level);
    }
    const int by = highest - 1;
    if (by == 0) return;
    for (FinalState& state : result_.sites) {
      for (Heading& heading : state.headings) heading.level -= by;
    }
    Interned raised;
    for (const std::string& html : result_.html.all()) raised.intern(with_headings_raised(html, by));
    result_.html = std::move(raised);
  }

  void add_step(int number, const Step& step) {
    FinalState& state = result_.sites[static_cast<std::size_t>(step.site)];
    state.executed = true;
    const bool last = static_cast<std::size_t>(number) + 1 == trace_.steps.size();
    const StepDetails details = step.text.empty() ? StepDetails() : step.details();
    add_left(number, scopes_.next(details));
    if (step.text.empty() && !last) return;
    if (!details.show.empty()) add_show(number, step.site, details.show, state);
    if (!details.args.empty()) result_.args.emplace_back(number, bindings(details.args));
    if (!details.vars.empty()) result_.vars.emplace_back(number, bindings(details.vars));
    if (!details.clear.empty()) result_.clear.emplace_back(number, details.clear);
    if (!details.claims.empty()) add_claims(number, step.site, details.claims, state);
    std::string printed;
    add_output(printed, details.out.bytes, details.out_cut, "out", last ? trace_.end.out.bytes : "");
    add_output(printed, details.err.bytes, details.err_cut, "err", last ? trace_.end.err.bytes : "");
    if (!printed.empty()) result_.out.emplace_back(number, result_.html.intern(std::move(printed)));
  }

  void add_show(int number, int site, const std::vector<Rendering>& show, FinalState& state) {
    std::size_t& words = last_shown_[site] = 0;
    std::string_view read;
    for (std::size_t i = 0, alternatives = 0; i < show.size(); ++i) {
      const Rendering& rendering = show[i];
      // Of alternatives a reader reads one.
      if (i >= alternatives) {
        alternatives = alternatives_end(show, i);
        read = language_of(rendering);
      }
      if (language_of(rendering) == read) words += count_prose_words(rendering);
      const auto* const front = rendering.as<rendering::Front>();
      if (front == nullptr || result_.front_site >= 0) continue;
      result_.front = *front;
      result_.front_site = site;
      result_.cover = cover_html(*front->cover, site);
    }
    const auto [entry, is_new] = shown_.try_emplace(std::to_string(site) + to_json(show));
    if (is_new) {
      ShownRenderings shown = renderings_.render(show, site);
      entry->second = {shown.html.empty() ? -1 : result_.html.intern(std::move(shown.html)), shown.quiet,
                       std::move(shown.headings)};
    }
    state.shows_nothing = entry->second.html < 0 && state.show < 0;
    if (entry->second.html < 0) return;
    result_.show.emplace_back(number, entry->second.html);
    state.show = entry->second.html;
    state.quiet = entry->second.quiet;
    state.headings = entry->second.headings;
    if (!result_.first_heading.empty() || trace_.sites[static_cast<std::size_t>(site)].hide) return;
    const auto first = std::find_if(state.headings.begin(), state.headings.end(),
                                    [](const Heading& heading) { return heading.level == 1; });
    if (first != state.headings.end()) result_.first_heading = first->text;
  }

  std::string cover_html(const rendering::Cover& cover, int site) {
    if (cover.src.empty() || !cover.on_page) return {};
    const Rendering image{rendering::Image{cover.src, cover.alt, cover.caption, 0}};
    return "<div class=\"cover\">" + renderings_.render({image}, site).html + "</div>\n";
  }

  int value_number(const Value& value) {
    const auto [entry, is_new] = values_.try_emplace(to_json(value), static_cast<int>(result_.values.size()));
    if (is_new) {
      ShownValue shown = show_value(value);
      result_.values.push_back(
          {std::move(shown.type), std::move(shown.text), result_.html.intern(std::move(shown.html))});
    }
    return entry->second;
  }

  std::vector<Binding> bindings(const Members<Value>& values) {
    std::vector<Binding> bindings;
    bindings.reserve(values.size());
    for (const auto& [name, value] : values) bindings.emplace_back(name, value_number(value));
    return bindings;
  }

  void add_left(int number, const std::vector<LeftVariable>& left) {
    if (left.empty()) return;
    std::vector<Binding>& names = result_.left.emplace_back(number, std::vector<Binding>()).second;
    for (const auto& [name, outer] : left) names.emplace_back(name, outer < 0 ? -1 : recorded(name, outer));
  }

  /// The value that a step recorded of a variable.
  int recorded(const std::string& name, int step) const {
    for (const auto* list : {&result_.vars, &result_.args}) {
      const auto step_states =
          std::ranges::lower_bound(*list, step, {}, [](const auto& each) { return each.first; });
      if (step_states == list->end() || step_states->first != step) continue;
      const auto found = std::ranges::find(step_states->second, name, &Binding::first);
      if (found != step_states->second.end()) return found->second;
    }
    return -1;
  }

  void add_claims(int number, int site, const std::vector<Claim>& claims, FinalState& state) {
    std::string html;
    for (const Claim& claim : claims) {
      const bool compared = !claim.op.empty() && claim.left && claim.right;
      const std::string shown = compared ? " " + operand_html(*claim.left) + " " + escape_html(claim.op) +
                                               " " + operand_html(*claim.right)
                                : claim.threw.empty() ? std::string()
                                                      : " " + thrown_html(claim.threw);
      if (!html.empty()) html += ' ';
      const std::string& title = claim.threw.empty() ? claim.text : claim.threw;
      html += std::string("<span class=\"") + (claim.ok ? "ok" : "bad") + "\"" +
              (title.empty() ? std::string() : " title=\"" + escape_html(title) + "\"") + ">" +
              (claim.ok ? "\u2713" : "\u2717") + shown + "</span>";
      bool& all_held = claims_.try_emplace(std::to_string(site) + claim.text, true).first->second;
      all_held = all_held && claim.ok;
    }
    state.claims = result_.html.intern(std::move(html));
    result_.claims.emplace_back(number, state.claims);
  }

  /// `cut`: bytes left out after the text; `past_streams`: what came after the step's own output.
  void add_output(std::string& html, std::string text, std::uint64_t cut, const std::string& stream,
                  const std::string& past_streams) {
    if (cut > 0) {
      add_printed(html, std::exchange(text, {}), stream);
      html += "<p class=\"cut\">" + truncation_text(cut) + "</p>";
      if (prints_more()) {
        note_truncation(cut);
      } else {
        unprinted_ += cut;
      }
    }
    add_printed(html, text + past_streams, stream);
  }

  void add_printed(std::string& html, const std::string& printed, const std::string& stream) {
    const std::string text = without_terminal_codes(printed);
    if (text.empty()) return;
    html += "<pre class=\"printed" + std::string(stream == "err" ? " err" : "") + "\">" + escape_html(text) +
            "</pre>";
    if (prints_more()) {
      result_.printed += text;
    } else {
      unprinted_ += text.size();
    }
  }

  bool prints_more() const { return result_.printed.size() < kMostPrinted; }

  /// On a line of its own, among what the whole run printed.
  void note_truncation(std::uint64_t bytes) {
    std::string& all = result_.printed;
    if (!all.empty() && all.back() != '\n') all += '\n';
    all += "[" + truncation_text(bytes) + "]\n";
  }

  struct Shown {
    int html = -1;
    bool quiet = true;
    std::vector<Heading> headings;
  };

  const Trace& trace_;
  Renderings& renderings_;
  Scopes scopes_{trace_};
  RenderedSteps result_;
  std::unordered_map<std::string, Shown> shown_;
  std::unordered_map<std::string, int> values_;
  std::map<std::string, bool> claims_;
  std::map<int, std::size_t> last_shown_;  // words of each statement's last renderings
  std::uint64_t unprinted_ = 0;            // bytes beyond kMostPrinted
};

}  // namespace

int Interned::intern(std::string text) {
  const auto found = numbers_.find(text);
  if (found != numbers_.end()) return found->second;
  const int number = static_cast<int>(texts_.size());
  texts_.push_back(std::move(text));
  numbers_.emplace(texts_.back(), number);
  return number;
}

RenderedSteps render_steps(const Trace& trace, Renderings& renderings) {
  return StepRenderer(trace, renderings).run();
}

}  // namespace lectern
