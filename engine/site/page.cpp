#include "site/page.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "base/html.h"
#include "base/readable_numbers.h"
#include "site/blocks.h"
#include "site/parts.h"
#include "site/profiles.h"
#include "site/rows.h"
#include "site/site_map.h"
#include "trace/end_message.h"

namespace lectern {
namespace {

/// "recorded with g++ 12.2.0 on the CPU, 2 threads"
std::string describe_profile(const Profile& profile) {
  std::string out = "recorded";
  if (!profile.compiler.empty()) out += " with " + profile.compiler;
  if (!profile.device.empty()) {
    out += " on " + profile.device;
  } else if (!profile.name.empty() && profile.name != "python") {  // which its compiler tells
    out += profile.name == "cpu"    ? " on the CPU"
           : profile.name == "cuda" ? " on a GPU"
                                    : " on " + profile.name;
  }
  if (profile.threads > 0) {
    out += ", " + counted(static_cast<std::uint64_t>(profile.threads), "thread", "threads");
  }
  return out == "recorded" ? std::string() : out;
}

constexpr int kShortestFold = 3;  // lines; shorter ones are no burden

class BodyWriter {
 public:
  BodyWriter(const Trace& trace, const RenderedSteps& steps, const std::string& root)
      : trace_(trace), steps_(steps), root_(root), parts_(page_parts(trace)), left_out_(trace.sites.size()) {
    for (const LeftOut& each : trace.left_out)
      left_out_[index(each.loop)] += static_cast<std::uint64_t>(each.passes);
  }

  std::string run() {
    add_title();
    add_parts();
    out_ += steps_.terms + steps_.references;
    if (!steps_.printed.empty()) {
      out_ +=
          "<details class=\"program-output\"><summary>What the program printed</summary><pre "
          "class=\"printed\">" +
          escape_html(steps_.printed) + "</pre></details>\n";
    }
    return std::move(out_);
  }

 private:
  void add_title() {
    const LectureSummary summary = summarize(trace_, steps_);
    const std::size_t begin = out_.size();
    out_ += "<header class=\"title\"";
    if (steps_.front_site >= 0) out_ += fmt::format(" data-site=\"{}\"", steps_.front_site);
    out_ += "><h1>" + escape_html(summary.title) + "</h1>\n<p class=\"meta\">";
    if (summary.front.draft) out_ += "<span class=\"draft\">Draft</span> ";
    out_ += facts_html(summary);
    const std::string recorded = describe_profile(trace_.profile.value_or(Profile()));
    if (!recorded.empty()) out_ += " \u00B7 " + escape_html(recorded);
    out_ += "</p>\n";
    const rendering::Front& front = summary.front;
    if (front.show.summary && !front.description.empty())
      out_ += "<p class=\"description\">" + escape_html(front.description) + "</p>\n";
    if (!front.goals.empty() || !front.prerequisites.empty())
      out_.append(kAimsBegin).append(kAimsEnd) += '\n';
    add_labels(front);
    out_ += steps_.cover;
    if (!summary.ended.empty()) {
      out_ += "<p class=\"ended-message\" role=\"note\">" + escape_html(summary.ended) + ". ";
      if (!trace_.steps.empty()) {
        const Site& site = trace_.sites[index(trace_.steps.back().site)];
        const int source = trace_.functions[index(site.function)].source;
        out_ += fmt::format("The page goes up to <a href=\"#s{}-{}\">line {}</a>.", source, site.span.line,
                            site.span.line);
      }
      out_ += "</p>\n";
    }
    out_ += "</header>\n";
    blocks_.add_html(std::string_view(out_).substr(begin));
    for (const auto* aims : {&front.goals, &front.prerequisites})
      for (const std::string& aim : *aims) blocks_.add_html(aim);
  }

  /// Links to the lectures that have a category or tag in common with this one.
  void add_labels(const rendering::Front& front) {
    if (front.categories.empty() && front.tags.empty()) return;
    out_ += "<p class=\"labels\">";
    for (const auto& [kind, names] : {std::pair{kCategories, &front.categories}, {kTags, &front.tags}}) {
      for (const std::string& name : *names)
        out_ += fmt::format("<a class=\"tag\" href=\"{}{}\">{}</a> ", root_, group_path(kind, name),
                            escape_html(name));
    }
    out_ += "</p>\n";
  }

  /// A source with its lines, made when the first part of it comes.
  struct Lines {
    std::vector<CodeLine> code;
    std::vector<PageLine> page;
  };
  const Lines& find_lines(int source) {
    const auto [entry, is_new] = lines_.try_emplace(source);
    if (is_new) {
      const SourceFile& file = trace_.sources[index(source)];
      entry->second.code = code_lines(file.lines, file.language);
      entry->second.page = page_lines(trace_, steps_, source, entry->second.code, parts_);
    }
    return entry->second;
  }

  /// Consecutive parts of one source are a section.
  void add_parts() {
    int open = -1;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      const PagePart& part = parts_[i];
      if (part.source != open) {
        if (open >= 0) out_ += "</section>\n";
        begin_section(i);
        open = part.source;
      }
      add_part(part, find_lines(part.source));
    }
    if (open >= 0) out_ += "</section>\n";
  }

  void begin_section(std::size_t number) {
    const PagePart& part = parts_[number];
    const std::string path = escape_html(trace_.sources[index(part.source)].path);
    const bool is_new = begun_.insert(part.source).second;
    const Begins begins = section_begins(number);
    out_ += fmt::format("<section class=\"source{}\" data-source=\"{}\"", blocks_.below_class(), part.source);
    if (begins.shows) {
      const std::string from = is_new ? "" : fmt::format(", from line {}", part.first);
      out_ += " aria-label=\"" + path + from + "\"";
    }
    out_ += ">\n";
    if (trace_.sources.size() == 1) return;
    const bool led = number > 0 && parts_[number - 1].call;
    out_ += fmt::format("<p class=\"path{}{}\">{}</p>\n",
                        led            ? " led"
                        : begins.aside ? " leads"
                                       : "",
                        begins.shows && part.source != named_ ? "" : " hide", path);
    if (begins.shows) named_ = part.source;
  }

  struct Begins {
    bool shows = false;  ///< there is more in the section than calls
    bool aside = false;  ///< it begins with one
  };
  Begins section_begins(std::size_t number) {
    Begins begins;
    const int source = parts_[number].source;
    for (; number < parts_.size() && parts_[number].source == source; ++number) {
      const std::vector<PageLine>& lines = find_lines(source).page;
      for (int line = parts_[number].first; line <= parts_[number].last; ++line) {
        const PageLine& at = lines[index(line - 1)];
        const bool code = at.kind == LineKind::code;
        begins.shows = !at.shown.empty() || !at.under.empty() || (code && !at.aside);
        if (begins.shows) return begins;
        begins.aside = begins.aside || code;
      }
    }
    return begins;
  }

  void add_part(const PagePart& part, const Lines& lines) {
    const auto shown = [&](int line) { return lines.page[index(line - 1)].kind == LineKind::code; };
    int count = 0;
    for (int line = part.first; line <= part.last; ++line) count += shown(line);
    const bool folds = !part.entered && count >= kShortestFold;
    out_ += fmt::format("<div class=\"part{}\" data-line=\"{}\"{}>\n", blocks_.below_class(), part.first,
                        attributes(part, lines));
    if (folds) {
      out_ += fmt::format(
          "<details class=\"fold\"><summary><code>{}</code> <span class=\"lines\">{}</span></summary>\n",
          fold_heading(part, lines), counted(static_cast<std::uint64_t>(count), "line", "lines"));
    }
    blocks_.begin(folds);
    for (int line = part.first; line <= part.last; ++line) {
      blocks_.next();
      const PageLine& at = lines.page[index(line - 1)];
      const bool code = at.kind != LineKind::raw && !at.hide;
      if (code || !at.shown.empty() || !at.under.empty() || !at.ending.empty()) blocks_.set_read();
      add_shown(part.source, line, at);
      add_code(part.source, line, at, lines.code[index(line - 1)]);
      add_under(at);
    }
    blocks_.end();
    out_ += folds ? "</details>\n</div>\n" : "</div>\n";
  }

  /// What names a fold; else its first line that is shown.
  static std::string fold_heading(const PagePart& part, const Lines& lines) {
    const auto hidden = [&](int line) { return lines.page[index(line - 1)].kind != LineKind::code; };
    int first = part.head, last = part.head_end;
    if (hidden(first)) {
      first = last = part.first;
      while (hidden(first)) last = ++first;
    }
    std::string head;
    for (int line = first; line <= last; ++line)
      head += (head.empty() ? "" : " ") + lines.code[index(line - 1)].html;
    return head;
  }

  /// Where the head of a function is not shown, its part has its id, and its body stands at the margin.
  std::string attributes(const PagePart& part, const Lines& lines) const {
    std::size_t least = std::string::npos;
    std::string id;
    for (int line = part.first; line <= part.last; ++line) {
      const PageLine& at = lines.page[index(line - 1)];
      if (at.anchor) id = fmt::format(" id=\"s{}-{}\"", part.source, line);
      if (at.kind != LineKind::code || lines.code[index(line - 1)].blank) continue;
      least =
          std::min(least, trace_.sources[index(part.source)].lines[index(line - 1)].find_first_not_of(' '));
    }
    const bool headless = (part.call || !id.empty()) && least != std::string::npos && least > 0;
    return headless ? id + fmt::format(" style=\"--out:{}\"", least) : id;
  }

  void add_shown(int source, int line, const PageLine& at) {
    for (std::size_t i = 0; i < at.shown.size(); ++i) {
      const int site = at.shown[i];
      const FinalState& state = steps_.sites[index(site)];
      out_ += fmt::format("<div class=\"row shown{}\"", state.quiet ? " quiet" : "");
      if (i == 0) out_ += fmt::format(" id=\"s{}-{}\"", source, line);
      out_ += fmt::format(" data-line=\"{}\" data-end=\"{}\" data-site=\"{}\">", line,
                          trace_.sites[index(site)].span.end_line, site);
      out_ += i == 0 ? number_link(source, line) : "<span class=\"n\"></span>";
      out_ += "<div class=\"slot\">" + steps_.html[state.show] + "</div></div>\n";
      blocks_.add_html(steps_.html[state.show]);
      add_ended(site);
    }
  }

  static std::string number_link(int source, int line) {
    return fmt::format("<a class=\"n\" href=\"#s{}-{}\" tabindex=\"-1\">{}</a>", source, line, line);
  }

  void add_code(int source, int line, const PageLine& at, const CodeLine& code) {
    const bool raw = at.kind == LineKind::raw;
    std::string classes = "row code";
    if (raw) classes += " raw";
    if (at.kind == LineKind::blank) classes += " blank";
    if (at.hide) classes += " hide";
    if (!raw && !at.hide) blocks_.add_line();
    if (at.never) classes += " never";
    if (at.unrecorded) classes += " unrecorded";
    if (at.aside && !raw) classes += " aside";
    if (at.first) classes += " first";
    if (at.last) classes += " last";
    const std::string reason = untraced_reason(source, line);
    if (!reason.empty()) classes += " untraced";
    const bool taken = !at.shown.empty() || at.anchor;  // what is shown instead has the line's id
    out_ += fmt::format("<div class=\"{}\" id=\"s{}-{}{}\" data-line=\"{}\"", classes, source, line,
                        taken ? "r" : "", line);
    if (!reason.empty()) {
      out_ += " title=\"Not stepped: " + escape_html(reason) + "\"";
    } else if (at.unrecorded) {
      out_ += " title=\"Ran, but was not recorded\"";
    }
    out_ += ">" + number_link(source, line) + "<pre class=\"c\"><code" + indentation(source, line) + ">" +
            code.html + "</code>";
    if (const std::string beside = chips(at); !beside.empty())
      out_ += "<span class=\"chips\">" + beside + "</span>";
    out_ += "</pre></div>\n";
  }

  /// The wrapped part of a line too long for its row is indented further than the line; styles suppose 2.
  std::string indentation(int source, int line) const {
    constexpr std::size_t kUsual = 2, kDeepest = 12;  // more would leave no room on a phone
    const std::string& text = trace_.sources[index(source)].lines[index(line - 1)];
    const std::size_t blanks = text.find_first_not_of(' ');
    if (blanks == kUsual || blanks == std::string::npos) return {};
    return fmt::format(" style=\"--in:{}\"", std::min(blanks, kDeepest));
  }

  std::string untraced_reason(int source, int line) const {
    for (const TracedFunction& function : trace_.functions) {
      if (function.source == source && function.span.line == line && !function.untraced.empty())
        return function.untraced;
    }
    return {};
  }

  std::string chips(const PageLine& line) const {
    std::string out;
    for (const int site : line.ending) {
      const FinalState& state = steps_.sites[index(site)];
      for (const auto& [name, number] : state.vars) {
        const NumberedValue& value = steps_.values[index(number)];
        out += fmt::format(
            "<span class=\"chip\" data-site=\"{}\" data-name=\"{}\" title=\"{}\">{} <i>{}</i></span>", site,
            escape_html(name), escape_html(value.type), escape_html(name), escape_html(value.text));
      }
      if (left_out_[index(site)] > 0) {
        out += fmt::format("<span class=\"left-out\">{} not shown</span>",
                           left_out_[index(site)] == 1
                               ? "1 pass is"
                               : counted(left_out_[index(site)], "pass", "passes") + " are");
      }
      if (state.claims >= 0) {
        out += fmt::format("<span class=\"verdict\" data-site=\"{}\">{}</span>", site,
                           steps_.html[state.claims]);
      }
    }
    return out;
  }

  void add_under(const PageLine& line) {
    for (const int site : line.under) {
      const FinalState& state = steps_.sites[index(site)];
      out_ += fmt::format("<div class=\"row under{}\" data-site=\"{}\"><div class=\"slot\">{}</div></div>\n",
                          state.quiet ? " quiet" : "", site, steps_.html[state.show]);
    }
    for (const int site : line.ending) add_ended(site);
  }

  void add_ended(int site) {
    if (steps_.ended < 0 || trace_.steps.empty() || trace_.steps.back().site != site) return;
    out_ +=
        "<div class=\"row under ended\"><div class=\"slot\">" + steps_.html[steps_.ended] + "</div></div>\n";
  }

  const Trace& trace_;
  const RenderedSteps& steps_;
  const std::string& root_;
  std::vector<PagePart> parts_;
  std::map<int, Lines> lines_;
  std::set<int> begun_;                  // sources of which a part is written
  int named_ = -1;                       // the source whose path was written last
  std::vector<std::uint64_t> left_out_;  // passes of each loop
  std::string out_;
  Blocks blocks_{out_};
};

}  // namespace

std::string lecture_body(const Trace& trace, const RenderedSteps& steps, const std::string& root) {
  return BodyWriter(trace, steps, root).run();
}

LectureSummary summarize(const Trace& trace, const RenderedSteps& steps) {
  constexpr std::size_t kWordsPerMinute = 200, kLinesPerMinute = 20;
  LectureSummary summary;
  summary.name = trace.lecture;
  summary.front = steps.front;
  summary.title = steps.front.title;
  if (summary.title.empty()) summary.title = steps.first_heading;
  if (summary.title.empty()) summary.title = trace.lecture;
  summary.steps = trace.steps.size();
  summary.claims_held = steps.claims_held;
  summary.claims_failed = steps.claims_failed;
  count_claims(trace, summary);
  std::size_t statements = 0;
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    if (steps.sites[i].executed && trace.sites[i].kind != SiteKind::hook && !trace.sites[i].hide)
      ++statements;
  }
  summary.words = steps.words;
  summary.minutes =
      std::max(1, static_cast<int>(steps.words / kWordsPerMinute + statements / kLinesPerMinute));
  summary.ended = end_message(trace);
  describe_run(summary, trace);
  for (const TracedFunction& function : trace.functions) {
    if (function.name == "main") summary.source = trace.sources[index(function.source)].path;
  }
  return summary;
}

}  // namespace lectern
