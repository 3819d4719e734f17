#include "site/page.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/html.h"
#include "base/readable_numbers.h"
#include "site/rows.h"
#include "trace/end_message.h"

namespace lectern {
namespace {

/// "recorded with g++ 12.2.0 on the CPU, 2 threads"
std::string recorded_with(const Profile& profile) {
  std::string out = "recorded";
  if (!profile.compiler.empty()) out += " with " + profile.compiler;
  if (!profile.device.empty()) {
    out += " on " + profile.device;
  } else if (!profile.name.empty()) {
    out += profile.name == "cpu"    ? " on the CPU"
           : profile.name == "cuda" ? " on a GPU"
                                    : " on " + profile.name;
  }
  if (profile.threads > 0) {
    out += ", " + counted(static_cast<std::uint64_t>(profile.threads), "thread", "threads");
  }
  return out == "recorded" ? std::string() : out;
}

/// The lecture's own file, then the others in the order in which the run reached them, then those that it
/// never reached.
std::vector<int> reading_order(const Trace& trace) {
  std::vector<std::size_t> reached(trace.sources.size(), trace.steps.size());
  for (std::size_t step = trace.steps.size(); step-- > 0;) {
    const Site& site = trace.sites[index(trace.steps[step].site)];
    reached[index(trace.functions[index(site.function)].source)] = step;
  }
  std::vector<int> order(reached.size());
  std::iota(order.begin(), order.end(), 0);
  if (order.size() > 1) {
    std::stable_sort(order.begin() + 1, order.end(),
                     [&](int a, int b) { return reached[index(a)] < reached[index(b)]; });
  }
  return order;
}

class BodyWriter {
 public:
  BodyWriter(const Trace& trace, const RenderedSteps& steps) : trace_(trace), steps_(steps) {}

  std::string run() {
    add_title();
    for (const int source : reading_order(trace_)) add_source(source);
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
    out_ += "<header class=\"title\"";
    if (steps_.front_site >= 0) out_ += fmt::format(" data-site=\"{}\"", steps_.front_site);
    out_ +=
        "><h1>" + escape_html(summary.title) + "</h1>\n<p class=\"meta\">" + escape_html(facts_text(summary));
    const std::string recorded = recorded_with(trace_.profile.value_or(Profile()));
    if (!recorded.empty()) out_ += " \u00B7 " + escape_html(recorded);
    out_ += "</p>\n";
    if (!summary.description.empty())
      out_ += "<p class=\"description\">" + escape_html(summary.description) + "</p>\n";
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
  }

  void add_source(int number) {
    const SourceFile& source = trace_.sources[index(number)];
    if (source.lines.empty()) return;  // of edtrace: frames of files that it does not show
    const std::vector<CodeLine> code = code_lines(source.lines, source.language);
    const std::vector<PageLine> lines = page_lines(trace_, steps_, number, code);
    out_ += fmt::format("<section class=\"source\" data-source=\"{}\" aria-label=\"{}\">\n", number,
                        escape_html(source.path));
    if (trace_.sources.size() > 1) out_ += "<h2 class=\"path\">" + escape_html(source.path) + "</h2>\n";
    const std::size_t preamble = begin_preamble(source, lines, code);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const int line = static_cast<int>(i) + 1;
      if (i == preamble && i > 0) out_ += "</details>\n";
      add_shown(number, line, lines[i]);
      add_code(number, line, lines[i], code[i]);
      add_under(lines[i]);
    }
    out_ += "</section>\n";
  }

  /// Folds the lines above everything that can run. Returns how many there are.
  std::size_t begin_preamble(const SourceFile& source, const std::vector<PageLine>& lines,
                             const std::vector<CodeLine>& code) {
    std::size_t count = 0, written = 0;
    for (; count < lines.size() && lines[count].preamble; ++count) written += !code[count].blank;
    if (count == 0) return 0;
    out_ += fmt::format("<details class=\"preamble\"><summary>{}, {} lines</summary>\n",
                        source.language == "python" ? "Imports and definitions" : "Includes and declarations",
                        written);
    return count;
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
    if (at.never) classes += " never";
    if (at.unrecorded) classes += " unrecorded";
    if (at.first) classes += " first";
    if (at.last) classes += " last";
    const std::string reason = untraced_reason(source, line);
    if (!reason.empty()) classes += " untraced";
    const bool taken = !at.shown.empty();  // the row shown instead has the line's id
    out_ += fmt::format("<div class=\"{}\" id=\"s{}-{}{}\" data-line=\"{}\"", classes, source, line,
                        taken ? "r" : "", line);
    if (!reason.empty()) {
      out_ += " title=\"Not stepped: " + escape_html(reason) + "\"";
    } else if (at.unrecorded) {
      out_ += " title=\"Ran, but was not recorded\"";
    }
    out_ += ">" + number_link(source, line) + "<pre class=\"c\"><code class=\"src\"" +
            indentation(source, line) + ">" + code.html + "</code>";
    out_ += "<span class=\"chips\">" + chips(at) + "</span></pre></div>\n";
  }

  /// For a line too long for its row: the wrapped part is indented further than the line itself.
  std::string indentation(int source, int line) const {
    constexpr std::size_t kDeepest = 12;  // more would leave no room on a phone
    const std::string& text = trace_.sources[index(source)].lines[index(line - 1)];
    const std::size_t blanks = text.find_first_not_of(' ');
    if (blanks == 0 || blanks == std::string::npos) return {};
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
  std::string out_;
};

}  // namespace

std::string lecture_body(const Trace& trace, const RenderedSteps& steps) {
  return BodyWriter(trace, steps).run();
}

std::vector<Heading> lecture_outline(const Trace& trace, const RenderedSteps& steps) {
  constexpr int kDeepest = 3;
  std::vector<std::size_t> position(trace.sources.size());
  const std::vector<int> files = reading_order(trace);
  for (std::size_t i = 0; i < files.size(); ++i) position[index(files[i])] = i;
  const auto place_of = [&](const TracedFunction& function, const TextSpan& span) {
    return std::tuple(position[index(function.source)], span.line, span.column);
  };
  const auto place = [&](int site) {
    const Site& at = trace.sites[index(site)];
    return place_of(trace.functions[index(at.function)], at.span);
  };
  std::vector<int> order(trace.sites.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return place(a) < place(b); });
  std::vector<Heading> outline;
  for (const int site : order) {
    if (trace.sites[index(site)].hide) continue;
    for (const Heading& heading : steps.sites[index(site)].headings) {
      if (heading.level <= kDeepest) outline.push_back(heading);
    }
  }
  if (!outline.empty()) return outline;
  std::vector<bool> ran(trace.functions.size());
  for (const int site : order) {
    if (steps.sites[index(site)].executed) ran[index(trace.sites[index(site)].function)] = true;
  }
  std::vector<TracedFunction> functions;
  for (std::size_t i = 0; i < ran.size(); ++i) {
    if (ran[i]) functions.push_back(trace.functions[i]);
  }
  std::stable_sort(functions.begin(), functions.end(),
                   [&](const auto& a, const auto& b) { return place_of(a, a.span) < place_of(b, b.span); });
  for (const TracedFunction& function : functions) {
    outline.push_back({1, fmt::format("s{}-{}", function.source, function.span.line), function.name});
  }
  return outline;
}

LectureSummary summarize(const Trace& trace, const RenderedSteps& steps) {
  constexpr std::size_t kWordsPerMinute = 200, kLinesPerMinute = 20;
  LectureSummary summary;
  summary.name = trace.lecture;
  summary.title = steps.front.title;
  if (summary.title.empty()) summary.title = steps.first_heading;
  if (summary.title.empty()) summary.title = trace.lecture;
  summary.date = steps.front.date;
  summary.course = steps.front.course;
  summary.description = steps.front.description;
  summary.authors = steps.front.authors;
  summary.tags = steps.front.tags;
  summary.steps = trace.steps.size();
  summary.claims_held = steps.claims_held;
  summary.claims_failed = steps.claims_failed;
  std::size_t statements = 0;
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    if (steps.sites[i].executed && trace.sites[i].kind != SiteKind::hook && !trace.sites[i].hide)
      ++statements;
  }
  summary.minutes =
      std::max(1, static_cast<int>(steps.words / kWordsPerMinute + statements / kLinesPerMinute));
  summary.ended = end_message(trace);
  return summary;
}

}  // namespace lectern
