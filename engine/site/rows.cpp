#include "site/rows.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "base/characters.h"
#include "site/scaffolding.h"
#include "trace/hidden_lines.h"

namespace lectern {
namespace {

constexpr std::string_view kBlank = " \t\r";
constexpr std::string_view kWords = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_\"'";

bool ignorable(std::string_view text) {
  text = trim(text);
  return text.empty() || text.starts_with("//") || text.starts_with('#') ||
         (text.starts_with("/*") && text.ends_with("*/"));
}

class LineLayout {
 public:
  LineLayout(const Trace& trace, const RenderedSteps& steps, int source, const std::vector<CodeLine>& code,
             const std::vector<PagePart>& parts)
      : trace_(trace),
        steps_(steps),
        source_(source),
        code_(code),
        lines_(code.size()),
        begins_(code.size()),
        ran_left_out_(trace.sites.size()) {
    for (const LeftOut& left_out : trace.left_out) {
      for (const auto& [site, count] : left_out.runs) ran_left_out_[static_cast<std::size_t>(site)] = true;
    }
    for (const PagePart& part : parts) {
      if (part.source != source) continue;
      begins_[index(part.first - 1)] = true;
      parts_.push_back(part);
    }
  }

  std::vector<PageLine> run() {
    for (std::size_t i = 0; i < trace_.sites.size(); ++i) {
      const Site& site = trace_.sites[i];
      if (trace_.functions[index(site.function)].source != source_ || !is_in_file(site.span)) continue;
      sites_.push_back(static_cast<int>(i));
    }
    mark_never();
    place_hooks();
    hide_lines();
    place_others();
    step_back();
    place_blanks();
    mark_runs();
    return std::move(lines_);
  }

 private:
  const Site& site(int number) const { return trace_.sites[index(number)]; }
  const FinalState& state(int number) const { return steps_.sites[index(number)]; }
  PageLine& line(int number) { return lines_[index(number - 1)]; }

  bool is_in_file(const TextSpan& span) const {
    return span.line >= 1 && span.end_line >= span.line && index(span.end_line) <= lines_.size();
  }

  // Owners of characters: a statement's number, or the complement of a function's.
  static constexpr int kNobody = std::numeric_limits<int>::max();

  /// The part of a line, of that length, that a span covers: first character and number of characters.
  static std::pair<std::size_t, std::size_t> covered_part(const TextSpan& span, int line,
                                                          std::size_t length) {
    const auto place = [&](int column) { return std::min(length, index(std::max(column - 1, 0))); };
    const std::size_t begin = line == span.line ? place(span.column) : 0;
    const std::size_t end = line == span.end_line ? place(span.end_column) : length;
    return {begin, std::max(begin, end) - begin};
  }

  static void assign_owner(std::vector<std::vector<int>>& owners, const TextSpan& span, int owner) {
    for (int at = span.line; at <= span.end_line; ++at) {
      std::vector<int>& line_owners = owners[index(at - 1)];
      const auto [begin, count] = covered_part(span, at, line_owners.size());
      std::fill_n(line_owners.begin() + static_cast<long>(begin), count, owner);
    }
  }

  /// Who each character belongs to: the innermost statement or function around it. A function that ran owns
  /// nothing: what stands between its statements (braces, `else`, `case 3:`) says nothing of its own.
  std::vector<std::vector<int>> character_owners() const {
    struct Owned {
      TextSpan span;
      int owner;
      bool executed;
    };
    std::vector<Owned> owned;
    std::vector<bool> has_sites(trace_.functions.size()), ran(trace_.functions.size());
    for (const int number : sites_) {
      owned.push_back({site(number).span, number, state(number).executed});
      has_sites[index(site(number).function)] = true;
      if (state(number).executed) ran[index(site(number).function)] = true;
    }
    for (std::size_t f = 0; f < trace_.functions.size(); ++f) {
      const TracedFunction& function = trace_.functions[f];
      if (function.source != source_ || !is_in_file(function.span)) continue;
      const bool never = has_sites[f] && !ran[f];
      owned.push_back({function.span, never ? ~static_cast<int>(f) : kNobody, !never});
    }
    // From the outside in; of equals, one that ran is the last.
    std::stable_sort(owned.begin(), owned.end(), [](const Owned& a, const Owned& b) {
      const int a_lines = a.span.end_line - a.span.line, b_lines = b.span.end_line - b.span.line;
      const long a_columns = long{a.span.end_column} - a.span.column,
                 b_columns = long{b.span.end_column} - b.span.column;
      return std::tuple(-a_lines, -a_columns, a.executed) < std::tuple(-b_lines, -b_columns, b.executed);
    });
    std::vector<std::vector<int>> owners;
    for (const CodeLine& at : code_) owners.emplace_back(at.code.size(), kNobody);
    for (const Owned& part : owned) assign_owner(owners, part.span, part.owner);
    return owners;
  }

  /// A line counts as not run when something on it could have run and nothing did.
  void mark_never() {
    const std::vector<std::vector<int>> owners = character_owners();
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::string& code = code_[i].code;
      std::size_t at = code.find_first_of(kWords);
      const bool words = at != std::string::npos;
      // Brackets, or a comment, decide only where they are alone, and then the first of them.
      if (!words) at = code.find_first_not_of(kBlank);
      if (at == std::string::npos) at = trace_.sources[index(source_)].lines[i].find_first_not_of(kBlank);
      bool ran = false, never = false, unrecorded = false;
      while (at != std::string::npos) {
        const int owner = owners[i][at];
        if (owner >= 0 && owner != kNobody && state(owner).executed) {
          ran = true;
        } else if (owner != kNobody) {
          const int function = owner < 0 ? ~owner : site(owner).function;
          const bool left_out = owner >= 0 && ran_left_out_[index(owner)];
          (left_out || trace_.functions[index(function)].ran_unrecorded ? unrecorded : never) = true;
        }
        at = words ? code.find_first_of(kWords, at + 1) : std::string::npos;
      }
      lines_[i].unrecorded = !ran && unrecorded;
      lines_[i].never = !ran && never && !unrecorded;
    }
  }

  /// What is left of a line without these statements.
  std::string remaining_text(int number, const std::vector<int>& without) const {
    std::string text = trace_.sources[index(source_)].lines[index(number - 1)];
    for (const int other : without) {
      const TextSpan& span = site(other).span;
      if (number < span.line || number > span.end_line) continue;
      const auto [begin, count] = covered_part(span, number, text.size());
      text.replace(begin, count, count, ' ');
    }
    std::replace(text.begin(), text.end(), ';', ' ');
    return text;
  }

  bool alone(int number, const std::vector<int>& without) const {
    for (int at = site(number).span.line; at <= site(number).span.end_line; ++at) {
      if (!ignorable(remaining_text(at, without))) return false;
    }
    return true;
  }

  /// Statements of hooks that ran and have their lines for themselves give way to what they rendered.
  void place_hooks() {
    std::vector<int> hooks;
    for (const int number : sites_) {
      const bool replaced = state(number).show >= 0 || state(number).shows_nothing;
      if (site(number).kind == SiteKind::hook && replaced && !site(number).hide) hooks.push_back(number);
    }
    for (const int number : hooks) {
      if (!alone(number, hooks)) continue;
      shown_.push_back(number);
      if (state(number).show >= 0) line(site(number).span.line).shown.push_back(number);
      for (int at = site(number).span.line; at <= site(number).span.end_line; ++at)
        line(at).kind = LineKind::raw;
    }
  }

  void hide_lines() {
    std::vector<int> hidden;
    for (const int number : sites_) {
      if (site(number).hide) hidden.push_back(number);
    }
    for (const int number : hidden) {
      for (int at = site(number).span.line; at <= site(number).span.end_line; ++at) {
        if (!ignorable(remaining_text(at, hidden))) continue;
        line(at).hide = true;
        line(at).kind = LineKind::raw;
      }
    }
    const std::vector<bool> hidden_definitions = hidden_lines(trace_.sources[index(source_)]);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      lines_[i].hide = lines_[i].hide || hidden_definitions[i];
      if (code_[i].hidden || hidden_definitions[i]) lines_[i].kind = LineKind::raw;
    }
  }

  void place_others() {
    for (const int number : sites_) {
      if (std::find(shown_.begin(), shown_.end(), number) != shown_.end()) continue;
      PageLine& at = line(site(number).span.end_line);
      at.ending.push_back(number);
      if (state(number).show >= 0 && !site(number).hide) at.under.push_back(number);
    }
  }

  // --- What only holds the program together steps back, so that the page reads as a text. ---

  std::string_view line_code(int number) const { return trim(code_[index(number - 1)].code); }
  bool shows_code(int number) const {
    return lines_[index(number - 1)].kind == LineKind::code && !code_[index(number - 1)].blank;
  }

  void step_back() {
    std::vector<bool> scaffolding = scaffolding_lines(trace_.sources[index(source_)]);
    for (const int number : sites_) {
      for (int at = site(number).span.line; at <= site(number).span.end_line; ++at)
        scaffolding[index(at - 1)] = false;
    }
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (scaffolding[i] && lines_[i].kind == LineKind::code) lines_[i].kind = LineKind::raw;
    }
    for (const PagePart& part : parts_) {
      if (part.call) step_back_call(part);
    }
    for (const TracedFunction& function : trace_.functions) {
      if (function.source != source_ || !is_in_file(function.span)) continue;
      step_back_head(function.span);
      if (ends_prose(function.span)) line(function.span.end_line).kind = LineKind::raw;
    }
  }

  /// `overview();`, unless something is shown beside it.
  void step_back_call(const PagePart& part) {
    const auto called = std::ranges::find_if(sites_, [&](int number) {
      return site(number).span.line >= part.first && site(number).span.end_line <= part.last;
    });
    if (called == sites_.end() || !state(*called).vars.empty() || state(*called).claims >= 0) return;
    const TextSpan& span = site(*called).span;
    const std::string_view code = line_code(span.line);
    const std::size_t name_end =
        code.find_first_not_of(":" + std::string(kWords.substr(0, kWords.size() - 2)));
    if (name_end == 0 || name_end == std::string_view::npos || code[name_end] != '(') return;
    for (int at = span.line; at <= span.end_line; ++at) line(at).aside = true;
  }

  /// The head of a function that begins with prose, and its closing bracket.
  void step_back_head(const TextSpan& span) {
    const auto part = std::ranges::find_if(parts_, [&](const PagePart& each) {
      return each.entered && each.head <= span.line && span.line <= each.last;
    });
    if (part == parts_.end() || part->head_end < span.line) return;
    int end = span.line;
    while (end < part->last && shows_code(end) && !line_code(end).ends_with('{')) ++end;
    if (!shows_code(end) || !line_code(end).ends_with('{')) return;
    for (int at = end + 1; at <= part->last && at < span.end_line; ++at) {
      if (begins_prose(at)) break;
      if (line(at).aside) break;
      if (shows_code(at)) return;
    }
    bool bare = takes_nothing(span.line, end);
    for (int at = part->first; at < part->head; ++at) bare = bare && !shows_code(at);
    for (int at = part->first; at <= end; ++at) {
      if (!shows_code(at)) continue;
      line(at).aside = true;
      if (bare) line(at).kind = LineKind::raw;
    }
    if (!bare) return;
    line(span.line).anchor = true;
    if (shows_code(span.end_line) && line_code(span.end_line) == "}")
      line(span.end_line).kind = LineKind::raw;
  }

  /// Whether the bracket that closes a function stands below what is shown instead of code.
  bool ends_prose(const TextSpan& span) const {
    if (!shows_code(span.end_line) || line_code(span.end_line) != "}") return false;
    for (int at = span.end_line - 1; at >= span.line; --at) {
      if (!lines_[index(at - 1)].under.empty() || begins_prose(at)) return true;
      if (shows_code(at)) return false;
    }
    return false;
  }

  bool begins_prose(int number) const {
    return std::ranges::any_of(lines_[index(number - 1)].shown, [&](int hook) { return !state(hook).quiet; });
  }

  /// Whether a function has no parameters.
  bool takes_nothing(int first, int last) const {
    std::string head;
    for (int at = first; at <= last; ++at) head += std::string(line_code(at)) + ' ';
    const std::size_t open = head.find('('), close = head.find(')');
    if (open == std::string::npos || close == std::string::npos || close < open) return false;
    const std::string_view inside = trim(std::string_view(head).substr(open + 1, close - open - 1));
    return inside.empty() || inside == "void";
  }

  /// Of consecutive empty lines between lines of code, one is kept.
  void place_blanks() {
    bool after_code = false;
    std::size_t waiting = lines_.size();
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      PageLine& current = lines_[i];
      if (begins_[i]) {
        after_code = false;
        waiting = lines_.size();
      }
      if (!current.shown.empty()) after_code = false;
      if (current.kind == LineKind::raw) {
        if (!current.shown.empty()) waiting = lines_.size();
        continue;
      }
      if (code_[i].blank) {
        current.kind = LineKind::raw;
        if (after_code && waiting == lines_.size()) waiting = i;
        continue;
      }
      if (waiting < lines_.size()) lines_[waiting].kind = LineKind::blank;
      waiting = lines_.size();
      after_code = current.under.empty();
    }
  }

  /// Renderings above or below a line of code end its run, and so does the end of a part.
  void mark_runs() {
    PageLine* previous = nullptr;
    const auto end_run = [&previous] {
      if (previous != nullptr) previous->last = true;
      previous = nullptr;
    };
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      PageLine& current = lines_[i];
      if (!current.shown.empty() || begins_[i]) end_run();
      if (previous != nullptr && current.kind != LineKind::raw && current.aside != previous->aside) end_run();
      if (current.kind != LineKind::raw) {
        current.first = previous == nullptr;
        previous = &current;
      }
      const bool ended =
          steps_.ended >= 0 && !trace_.steps.empty() &&
          std::count(current.ending.begin(), current.ending.end(), trace_.steps.back().site) > 0;
      if (!current.under.empty() || ended) end_run();
    }
    end_run();
  }

  const Trace& trace_;
  const RenderedSteps& steps_;
  int source_;
  const std::vector<CodeLine>& code_;
  std::vector<PageLine> lines_;
  std::vector<PagePart> parts_;  // of this source
  std::vector<bool> begins_;     // a part, by line
  std::vector<int> sites_;       // of this source
  std::vector<int> shown_;
  std::vector<bool> ran_left_out_;  // statements, in passes of loops that were not recorded
};

}  // namespace

std::vector<PageLine> page_lines(const Trace& trace, const RenderedSteps& steps, int source,
                                 const std::vector<CodeLine>& code, const std::vector<PagePart>& parts) {
  return LineLayout(trace, steps, source, code, parts).run();
}

}  // namespace lectern
