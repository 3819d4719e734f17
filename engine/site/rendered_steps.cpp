#include "site/rendered_steps.h"

#include <algorithm>
#include <map>

#include "base/html.h"
#include "base/readable_numbers.h"
#include "base/terminal.h"
#include "trace/end_message.h"
#include "trace/json_fields.h"
#include "trace/value_text.h"

namespace lectern {
namespace {

constexpr std::size_t kMostPrinted = 64 * 1024;

std::size_t count_words(std::string_view text) {
  std::size_t words = 0;
  bool inside = false;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\n' || c == '\t';
    if (!blank && !inside) ++words;
    inside = !blank;
  }
  return words;
}

std::size_t words_of(const Json& show) {
  std::size_t words = 0;
  for (const Json& rendering : show) {
    if (!rendering.is_object() || text_member(rendering, "kind") == "note") continue;
    for (const char* name : {"markdown", "caption", "answer", "text"})
      words += count_words(text_member(rendering, name));
  }
  return words;
}

/// Says that output ends before it ended.
std::string cut_line(std::uint64_t bytes) {
  return "output cut here: " + counted(bytes, "more byte was", "more bytes were") + " printed";
}

std::string printed_text(const Json& details, const char* name) {
  const auto found = details.find(name);
  if (found == details.end()) return {};
  const Value printed = value_from_json(*found);
  const std::string* const bytes = printed.as<std::string>();
  return bytes == nullptr ? std::string() : *bytes;
}

std::uint64_t count_field(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

/// In HTML of our own, where "<h" and "</h" before a digit are headings and nothing else.
std::string with_headings_raised(std::string html, int by) {
  for (std::size_t at = html.find('<'); at != std::string::npos; at = html.find('<', at + 1)) {
    const std::size_t digit = at + (html.compare(at, 3, "</h") == 0 ? 3 : 2);
    if (html[digit - 1] != 'h' || digit >= html.size() || html[digit] < '2' || html[digit] > '6') continue;
    html[digit] = static_cast<char>(std::max(html[digit] - by, int{'2'}));
  }
  return html;
}

class StepRenderer {
 public:
  StepRenderer(const Trace& trace, Renderings& renderings) : trace_(trace), renderings_(renderings) {}

  RenderedSteps run() {
    result_.front = Json::object();
    result_.sites.resize(trace_.sites.size());
    for (std::size_t i = 0; i < trace_.steps.size(); ++i) add_step(static_cast<int>(i), trace_.steps[i]);
    for (const auto& [site, shown] : last_shown_) result_.words += shown;
    const std::string message = end_message(trace_);
    if (!message.empty())
      result_.ended = result_.html.number_of("<p class=\"bad\">" + escape_html(message) + ".</p>");
    if (unprinted_ > 0) say_cut(unprinted_);
    raise_headings();
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
    for (const std::string& html : result_.html.all()) raised.number_of(with_headings_raised(html, by));
    result_.html = std::move(raised);
  }

  void add_step(int number, const Step& step) {
    FinalState& state = result_.sites[static_cast<std::size_t>(step.site)];
    state.executed = true;
    const bool last = static_cast<std::size_t>(number) + 1 == trace_.steps.size();
    if (step.text.empty() && !last) return;
    const Json details = step_json(step);
    const auto part = [&details](const char* name, Json::value_t type) -> const Json* {
      const auto found = details.find(name);
      return found != details.end() && found->type() == type && !found->empty() ? &*found : nullptr;
    };
    if (const Json* const show = part("show", Json::value_t::array))
      add_show(number, step.site, *show, state);
    if (const Json* const vars = part("vars", Json::value_t::object)) add_vars(number, *vars, state);
    if (part("clear", Json::value_t::array) != nullptr)
      result_.clear.emplace_back(number, list_field(details, "clear"));
    if (const Json* const claims = part("claims", Json::value_t::array))
      add_claims(number, step.site, *claims, state);
    std::string printed;
    add_output(printed, details, "out", last ? trace_.end.out.bytes : "");
    add_output(printed, details, "err", last ? trace_.end.err.bytes : "");
    if (!printed.empty()) result_.out.emplace_back(number, result_.html.number_of(std::move(printed)));
  }

  void add_show(int number, int site, const Json& show, FinalState& state) {
    for (const Json& rendering : show) {
      if (!rendering.is_object() || text_member(rendering, "kind") != "front" || result_.front_site >= 0)
        continue;
      result_.front = rendering;
      result_.front_site = site;
    }
    last_shown_[site] = words_of(show);
    const auto [entry, is_new] = shown_.try_emplace(std::to_string(site) + show.dump());
    if (is_new) {
      ShownRenderings shown = renderings_.render(show, site);
      entry->second = {shown.html.empty() ? -1 : result_.html.number_of(std::move(shown.html)), shown.quiet,
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

  int value_number(const Json& value) {
    const auto [entry, is_new] = values_.try_emplace(value.dump(), static_cast<int>(result_.values.size()));
    if (is_new) {
      ShownValue shown = show_value(value_from_json(value));
      result_.values.push_back(
          {std::move(shown.type), std::move(shown.text), result_.html.number_of(std::move(shown.html))});
    }
    return entry->second;
  }

  void add_vars(int number, const Json& vars, FinalState& state) {
    std::vector<Binding> bindings;
    for (const auto& [name, value] : vars.items()) {
      bindings.emplace_back(name, value_number(value));
      const auto known = std::find_if(state.vars.begin(), state.vars.end(),
                                      [&](const Binding& b) { return b.first == bindings.back().first; });
      if (known == state.vars.end()) {
        state.vars.push_back(bindings.back());
      } else {
        known->second = bindings.back().second;
      }
    }
    result_.vars.emplace_back(number, std::move(bindings));
  }

  void add_claims(int number, int site, const Json& claims, FinalState& state) {
    std::string html;
    for (const Json& claim : claims) {
      if (!claim.is_object()) continue;
      const auto ok = claim.find("ok");
      const bool held = ok != claim.end() && ok->is_boolean() && ok->get<bool>();
      const std::string text = text_member(claim, "text"), op = text_member(claim, "op");
      const auto left = claim.find("left"), right = claim.find("right");
      const bool compared = !op.empty() && left != claim.end() && right != claim.end();
      const std::string shown = compared ? value_text(value_from_json(*left), 24) + " " + op + " " +
                                               value_text(value_from_json(*right), 24)
                                         : std::string();
      if (!html.empty()) html += ' ';
      html += std::string("<span class=\"") + (held ? "ok" : "bad") + "\" title=\"" + escape_html(text) +
              "\">" + (held ? "\u2713" : "\u2717") + (shown.empty() ? "" : " " + escape_html(shown)) +
              "</span>";
      bool& all_held = claims_.try_emplace(std::to_string(site) + text, true).first->second;
      all_held = all_held && held;
    }
    if (html.empty()) return;
    state.claims = result_.html.number_of(std::move(html));
    result_.claims.emplace_back(number, state.claims);
  }

  /// `past_streams`: what came after the step's own output.
  void add_output(std::string& html, const Json& details, const std::string& name,
                  const std::string& past_streams) {
    std::string text = printed_text(details, name.c_str());
    if (const std::uint64_t cut = count_field(details, (name + "_cut").c_str()); cut > 0) {
      add_printed(html, std::exchange(text, {}), name);
      html += "<p class=\"cut\">" + cut_line(cut) + "</p>";
      if (prints_more()) {
        say_cut(cut);
      } else {
        unprinted_ += cut;
      }
    }
    add_printed(html, text + past_streams, name);
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
  void say_cut(std::uint64_t bytes) {
    std::string& all = result_.printed;
    if (!all.empty() && all.back() != '\n') all += '\n';
    all += "[" + cut_line(bytes) + "]\n";
  }

  struct Shown {
    int html = -1;
    bool quiet = true;
    std::vector<Heading> headings;
  };

  const Trace& trace_;
  Renderings& renderings_;
  RenderedSteps result_;
  std::unordered_map<std::string, Shown> shown_;
  std::unordered_map<std::string, int> values_;
  std::map<std::string, bool> claims_;
  std::map<int, std::size_t> last_shown_;  // words of each statement's last renderings
  std::uint64_t unprinted_ = 0;            // bytes beyond kMostPrinted
};

}  // namespace

int Interned::number_of(std::string text) {
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
