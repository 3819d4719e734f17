#include "site/parts.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "instrument/positions.h"
#include "instrument/syntax.h"
#include "site/outer_calls.h"

namespace lectern {
namespace {

constexpr int kShort = 3;  // lines; what is shorter is grouped with its neighbours
constexpr int kNever = -1;
constexpr int kBefore = -1, kHere = 0, kAfter = 1;

struct Part : PagePart {
  bool definition = false;
  int step = kNever;   ///< the first one in it, or in what it stands beside
  int place = kHere;   ///< beside what is entered at that step
  int size = 0;        ///< lines that are not blank
  bool piece = false;  ///< of the outermost function
};

/// Whether a named node of the outermost level, or what it wraps, has a body. `inner`: the node that has it.
bool is_definition(const Node& node, const Node*& inner) {
  inner = &node;
  while (inner->is("template_declaration", "decorated_definition")) {
    const Node* last = nullptr;
    for (const Node& child : inner->children) {
      if (child.is_code()) last = &child;
    }
    if (last == nullptr) return false;
    inner = last;
  }
  const Node* const type = inner->is("declaration") ? inner->child("type") : inner;
  return type != nullptr && type->child("body") != nullptr &&
         type->is("function_definition", "class_specifier", "struct_specifier", "union_specifier",
                  "enum_specifier", "class_definition");
}

/// Divides one source.
class Division {
 public:
  Division(const Trace& trace, int source)
      : trace_(trace), lines_(trace.sources[index(source)].lines), source_(source) {
    for (const std::string& line : lines_) text_ += line + '\n';
  }

  std::vector<Part> run() {
    comment_.resize(lines_.size() + 2);
    closing_.resize(lines_.size() + 2);
    add_definitions();
    for (const TracedFunction& function : trace_.functions) {
      if (function.source == source_) add(function.span.line, function.span.line, function.span.end_line);
    }
    merge_overlapping();
    for (std::size_t i = 0; i < definitions_.size(); ++i) widen(i);
    return fill_gaps();
  }

 private:
  int count() const { return static_cast<int>(lines_.size()); }
  std::string_view line(int number) const { return lines_[index(number - 1)]; }
  bool blank(int number) const { return line(number).find_first_not_of(" \t\r") == std::string_view::npos; }

  void add(int first, int head_end, int last) {
    if (first < 1 || last < first || last > count()) return;
    definitions_.push_back({{source_, first, last, first, std::clamp(head_end, first, last)}, true});
  }

  void add_definitions() {
    constexpr std::array<std::string_view, 4> kKnown{"cpp", "cuda", "c", "python"};
    const std::string& language = trace_.sources[index(source_)].language;
    if (std::ranges::count(kKnown, language) == 0) return;
    const SyntaxTree tree(text_, language);
    const Positions positions(text_);
    if (tree.root() != nullptr) add_members(*tree.root(), positions);
  }

  /// Of the file, a namespace, `extern "C"`, or a conditional of the preprocessor.
  void add_members(const Node& container, const Positions& positions) {
    for (const Node& node : container.children) {
      if (!node.named || node.empty()) continue;
      const int first = positions.line(node.begin), last = positions.line(node.end - 1);
      const Node* inner = nullptr;
      if (node.is("comment")) {
        for (int at = first; at <= last; ++at) comment_[index(at)] = begins_line(node, positions);
      } else if (is_definition(node, inner)) {
        add(first, positions.line(inner->begin), last);
      } else if (node.is("namespace_definition", "linkage_specification", "declaration_list", "ERROR") ||
                 node.kind.starts_with("preproc_if") || node.kind.starts_with("preproc_el")) {
        add_members(node, positions);
        const std::string_view end = last <= count() ? line(last) : std::string_view();
        const std::size_t text = end.find_first_not_of(" \t");
        closing_[index(last)] = first < last && text != std::string_view::npos &&
                                (end[text] == '}' || end.substr(text).starts_with("#endif"));
      }
    }
  }

  bool begins_line(const Node& node, const Positions& positions) const {
    const std::size_t begin = positions.line_begin(positions.line(node.begin));
    return text_.find_first_not_of(" \t", begin) == node.begin;
  }

  void merge_overlapping() {
    std::ranges::stable_sort(definitions_, [](const Part& a, const Part& b) {
      return std::pair(a.first, -a.last) < std::pair(b.first, -b.last);
    });
    std::vector<Part> merged;
    for (const Part& part : definitions_) {
      if (!merged.empty() && part.first <= merged.back().last) {
        merged.back().last = std::max(merged.back().last, part.last);
      } else {
        merged.push_back(part);
      }
    }
    definitions_ = std::move(merged);
  }

  /// Comments right above belong to a definition, and what closes the namespace that it is the last of.
  void widen(std::size_t i) {
    Part& part = definitions_[i];
    const int above = i > 0 ? definitions_[i - 1].last : 0;
    const int below = i + 1 < definitions_.size() ? definitions_[i + 1].first : count() + 1;
    while (part.first - 1 > above && comment_[index(part.first - 1)]) --part.first;
    for (int at = part.last + 1; at < below && (blank(at) || closing_[index(at)]); ++at) {
      if (closing_[index(at)]) part.last = at;
    }
  }

  /// The definitions and what stands between them.
  std::vector<Part> fill_gaps() const {
    std::vector<Part> parts;
    int next = 1;
    const auto add_rest = [&](int end) {
      int first = next;
      while (first < end && blank(first)) ++first;
      if (first == end) return;
      int head = first;
      while (head + 1 < end && (comment_[index(head)] || blank(head))) ++head;
      if (comment_[index(head)] || blank(head)) head = first;
      parts.push_back({{source_, next, end - 1, head, head}});
      next = end;
    };
    for (Part part : definitions_) {
      add_rest(part.first);
      part.first = next;
      parts.push_back(part);
      next = part.last + 1;
    }
    add_rest(count() + 1);
    if (next <= count() && !parts.empty()) parts.back().last = count();
    for (Part& part : parts) {
      for (int at = part.first; at <= part.last; ++at) part.size += !blank(at);
    }
    return parts;
  }

  const Trace& trace_;
  const std::vector<std::string>& lines_;
  int source_;
  std::string text_;
  std::vector<Part> definitions_;
  std::vector<bool> comment_, closing_;  // by line: only a comment; what ends a container
};

/// Fills in the first step of each part. Without steps there is no order but that of the files.
void mark_entered(const Trace& trace, std::vector<std::vector<Part>>& sources) {
  if (trace.steps.empty()) {
    for (std::vector<Part>& parts : sources) {
      for (Part& part : parts) part.entered = true, part.step = 0;
    }
  }
  std::vector<Part*> site_part(trace.sites.size());
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    std::vector<Part>& parts = sources[index(trace.functions[index(trace.sites[i].function)].source)];
    const int line = trace.sites[i].span.line;
    const auto found = std::ranges::lower_bound(parts, line, {}, &Part::last);
    if (line >= 1 && found != parts.end()) site_part[i] = &*found;
  }
  for (std::size_t step = 0; step < trace.steps.size(); ++step) {
    Part* const part = site_part[index(trace.steps[step].site)];
    if (part == nullptr || part->entered) continue;
    part->entered = true;
    part->step = static_cast<int>(step);
  }
}

/// Divides the part of the outermost function before and after each of its calls.
std::vector<Part> divided_at_calls(const std::vector<OuterStatement>& statements, std::vector<Part> parts) {
  std::vector<Part> result;
  for (Part& part : parts) {
    int end = 0;  // of the statements before
    const OuterStatement* before = nullptr;
    for (const OuterStatement& each : statements) {
      if (each.span.line < part.first || each.span.end_line > part.last) continue;
      if (before != nullptr && (before->call || each.call)) {
        result.push_back(part);
        result.back().last = end;
        result.back().head_end = std::min(part.head_end, end);
        part.first = part.head = part.head_end = end + 1;
      }
      part.piece = true;
      part.call = each.call;
      end = std::max(end, each.span.end_line);
      before = &each;
    }
    result.push_back(part);
  }
  return result;
}

/// Only calls after which something came stay on their own.
std::vector<PagePart> rejoined(const std::vector<Part>& parts) {
  std::vector<PagePart> result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i];
    const bool leads_on = part.call && i + 1 < parts.size() && !parts[i + 1].piece;
    const bool joins = i > 0 && parts[i - 1].piece && part.piece && !leads_on &&
                       parts[i - 1].source == part.source && parts[i - 1].last + 1 == part.first;
    if (joins) {
      result.back().last = part.last;
    } else {
      result.push_back(part);
    }
    result.back().call = leads_on;
  }
  return result;
}

/// Groups what was never entered and is short or no definition.
std::vector<Part> grouped(const std::vector<Part>& parts) {
  const auto groups = [](const Part& part) {
    return !part.entered && (!part.definition || part.size < kShort);
  };
  std::vector<Part> result;
  for (const Part& part : parts) {
    if (!result.empty() && groups(result.back()) && groups(part)) {
      result.back().last = part.last;
      result.back().size += part.size;
      result.back().definition = false;
    } else {
      result.push_back(part);
    }
  }
  return result;
}

/// Where each part of a source that was never entered comes: before what follows it, or after the last.
void place_never_entered(std::vector<Part>& parts, int introduction, int end_of_run) {
  int first = end_of_run, last = kNever;
  for (const Part& part : parts) {
    if (!part.entered) continue;
    first = std::min(first, part.step);
    last = std::max(last, part.step);
  }
  int step = last == kNever ? end_of_run : last, place = kAfter;
  for (std::size_t i = parts.size(); i-- > 0;) {
    Part& part = parts[i];
    if (part.entered) {
      step = part.step;
      place = kBefore;
    } else {
      const bool opens_file = i == 0 && !part.definition;
      part.step = opens_file ? first : step;
      // No other function or class stands above the introduction.
      part.place = part.step <= introduction && part.definition ? kAfter : place;
    }
  }
}

}  // namespace

std::vector<PagePart> page_parts(const Trace& trace) {
  std::vector<std::vector<Part>> sources;
  for (std::size_t i = 0; i < trace.sources.size(); ++i)
    sources.push_back(divided_at_calls(outer_statements(trace, static_cast<int>(i)),
                                       Division(trace, static_cast<int>(i)).run()));
  mark_entered(trace, sources);
  const int end_of_run = static_cast<int>(trace.steps.size());
  int introduction = end_of_run;  // the first step that is in no piece
  for (const std::vector<Part>& divided : sources) {
    for (const Part& part : divided) {
      if (part.entered && !part.piece) introduction = std::min(introduction, part.step);
    }
  }
  std::vector<Part> all;
  for (const std::vector<Part>& divided : sources) {
    std::vector<Part> parts = grouped(divided);
    place_never_entered(parts, introduction, end_of_run);
    all.insert(all.end(), parts.begin(), parts.end());
  }
  std::ranges::stable_sort(all, {}, [](const Part& part) { return std::pair(part.step, part.place); });
  return rejoined(all);
}

}  // namespace lectern
