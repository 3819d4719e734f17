#include "edtrace/layout.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "trace/json_fields.h"
namespace lectern {
namespace {

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r\f\v") == std::string_view::npos;
}

/// Statements that showed notes and nothing else.
std::set<int> note_sites(const Trace& trace) {
  std::set<int> notes, others;
  for (const Step& step : trace.steps) {
    if (step.text.find("\"show\"") == std::string::npos) continue;
    for (const Json& rendering : step_json(step).value("show", Json::array())) {
      (is_note(rendering) ? notes : others).insert(step.site);
    }
  }
  for (const int site : others) notes.erase(site);
  return notes;
}

class HiddenLines {
 public:
  HiddenLines(const Trace& trace, EdtraceGeneration generation)
      : trace_(trace), lines_(trace.sources.size()) {
    std::set<int> notes;
    if (generation == EdtraceGeneration::of_2025) notes = note_sites(trace);
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
      if (!trace.sites[i].hide && !notes.contains(static_cast<int>(i)))
        begins_.insert(begin_of(trace.sites[i]));
    }
    for (std::size_t i = 0; i < trace.sites.size(); ++i) {
      const Site& site = trace.sites[i];
      if (site.hide) {
        hide(site, Which::all);
      } else if (notes.contains(static_cast<int>(i))) {
        hide(site, Which::where_nothing_else_begins);
      } else if (site.kind == SiteKind::hook) {
        hide(site, Which::where_nothing_else_begins, 1);
      }
    }
  }

  std::vector<std::set<int>> take() { return std::move(lines_); }

 private:
  std::pair<int, int> begin_of(const Site& site) const {
    return {trace_.functions[index(site.function)].source, site.span.line};
  }

  enum class Which : std::uint8_t { all, where_nothing_else_begins };

  /// Lines of the statement, its first ones left out.
  void hide(const Site& site, Which which, std::int64_t left_out = 0) {
    const int source = begin_of(site).first;
    const auto size = static_cast<std::int64_t>(trace_.sources[index(source)].lines.size());
    const std::int64_t last = std::min<std::int64_t>(site.span.end_line, size);
    for (std::int64_t at = std::max<std::int64_t>(1, site.span.line + left_out); at <= last; ++at) {
      const int line = static_cast<int>(at);
      if (which == Which::all || !begins_.contains({source, line})) lines_[index(source)].insert(line);
    }
  }

  const Trace& trace_;
  std::vector<std::set<int>> lines_;      // by source
  std::set<std::pair<int, int>> begins_;  // sources and lines where a statement begins that is seen
};

/// The sources' numbers, that of the first step's first.
std::vector<std::size_t> order_of(const Trace& trace) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < trace.sources.size(); ++i) order.push_back(i);
  if (trace.steps.empty()) return order;
  const Site& site = trace.sites[index(trace.steps.front().site)];
  const auto first = order.begin() + trace.functions[index(site.function)].source;
  std::rotate(order.begin(), first, first + 1);
  return order;
}

constexpr const char* kBefore = "before";
constexpr const char* kBlanked = "blanked";

}  // namespace

bool is_note(const Json& rendering) {
  return rendering.is_object() && rendering.value("kind", Json()) == "note";
}

std::vector<EdtraceFile> edtrace_files(const Trace& trace, EdtraceGeneration generation) {
  const std::vector<std::set<int>> hidden = HiddenLines(trace, generation).take();
  std::vector<EdtraceFile> files(trace.sources.size());
  int lines_so_far = 0;
  for (const std::size_t number : order_of(trace)) {
    EdtraceFile& file = files[number];
    std::vector<std::string> lines = trace.sources[number].lines;
    if (generation == EdtraceGeneration::of_2025) {
      for (const int line : hidden[number]) lines[index(line - 1)].clear();
    }
    file.before = lines_so_far;
    if (file.before == 0 && !lines.empty() && is_blank(lines.front())) file.before = 1;
    file.lines.resize(index(file.before));
    if (file.before > 0) file.lines.front() = "// Here no line of the lecture stands.";
    file.lines.insert(file.lines.end(), lines.begin(), lines.end());
    if (generation == EdtraceGeneration::later) {
      for (int line = 1; line <= file.before; ++line) file.hidden.insert(line);
      for (const int line : hidden[number]) file.hidden.insert(line + file.before);
    }
    lines_so_far = static_cast<int>(file.lines.size());
  }
  return files;
}

Json changes_of(const EdtraceFile& file, const SourceFile& source) {
  Json changes = Json::object();
  if (file.before > 0) changes[kBefore] = file.before;
  for (std::size_t i = 0; i < source.lines.size(); ++i) {
    if (file.lines[index(file.before) + i] != source.lines[i])
      changes[kBlanked].push_back(Json::array({i + 1, source.lines[i]}));
  }
  return changes.empty() ? Json(nullptr) : changes;
}

int restore_source(SourceFile& source, std::vector<std::string> lines) {
  Json changes = nullptr;
  if (Json unknown = json_of(source.unknown); unknown.contains(kEdtraceBeside)) {
    changes = unknown[kEdtraceBeside];
    unknown.erase(kEdtraceBeside);
    source.unknown = text_of_json(unknown);
  }
  std::size_t before = 0;
  if (changes.is_object()) {
    const Json count = changes.value(kBefore, Json(0));
    if (count.is_number_unsigned()) before = std::min(count.get<std::size_t>(), lines.size());
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(before));
    for (const Json& blanked : changes.value(kBlanked, Json::array())) {
      if (!blanked.is_array() || blanked.size() != 2) continue;
      if (!blanked[0].is_number_unsigned() || !blanked[1].is_string()) continue;
      const auto line = blanked[0].get<std::size_t>();
      // What somebody wrote there since counts.
      if (line >= 1 && line <= lines.size() && lines[line - 1].empty())
        lines[line - 1] = blanked[1].get<std::string>();
    }
  }
  source.lines = std::move(lines);
  return static_cast<int>(before);
}

}  // namespace lectern
