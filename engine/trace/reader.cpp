#include "trace/reader.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include <simdjson.h>

#include "base/error.h"
#include "base/files.h"
#include "base/json_text.h"
#include "trace/decode.h"
#include "trace/json_problem.h"

namespace lectern {
namespace {

namespace ondemand = simdjson::ondemand;

constexpr std::string_view kFormat = "lectern-trace/";
constexpr std::string_view kMajor = "1";
constexpr std::uintmax_t kMostBytes = std::uintmax_t{2} << 30;
constexpr std::size_t kDeepestNesting = 200;

/// The number of a definition: they count up from 0.
void check_number(const Json& record, const char* name, std::size_t expected) {
  if (!record[name].is_number_integer() || record[name] != expected)
    throw BadRecord{std::string("\"") + name + "\" is not the next number, " + std::to_string(expected)};
}

void check_index(const char* name, std::int64_t index, std::size_t size) {
  if (index < 0 || static_cast<std::uint64_t>(index) >= size) {
    throw BadRecord{std::string("\"") + name + "\":" + std::to_string(index) +
                    " names nothing that was defined"};
  }
}

template <typename T>
T integer(std::string_view name, ondemand::value value) {
  std::int64_t number = 0;
  if (value.get_int64().get(number) != simdjson::SUCCESS || !std::in_range<T>(number))
    throw BadRecord{"\"" + std::string(name) + "\" is not a whole number in range"};
  return static_cast<T>(number);
}

std::string_view trimmed(std::string_view text) {
  return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : text_(text), padded_(text), name_(name) {}

  /// Throws simdjson_error where the text is not JSON.
  Trace read() {
    ondemand::parser parser;
    ondemand::document document = parser.iterate(padded_);
    ondemand::object root = document.get_object();
    const std::string_view whole = trimmed(root.raw_json());
    if (trimmed(text_).size() != static_cast<std::size_t>(whole.data() + whole.size() - padded_.data()))
      throw simdjson::simdjson_error(simdjson::TRAILING_CONTENT);
    root.reset();
    for (ondemand::field field : root) {
      const std::string_view name = field.unescaped_key();
      name == "records" ? records(field.value()) : document_field(std::string(name), field.value());
    }
    if (trace_.format.empty()) {
      fail(text_.size(),
           "this is no Lectern trace (it has no \"format\"); name a file that `lectern run` made");
    }
    if (!in_records_) fail(text_.size(), "the trace has no records; make it again with `lectern run`");
    if (!ended_) trace_.end.by = "incomplete";
    trace_.end.steps = static_cast<std::int64_t>(trace_.steps.size());  // whatever the closing record says
    check_nesting();
    return std::move(trace_);
  }

  /// Where it stopped.
  std::size_t position() const { return position_; }
  [[noreturn]] void fail(std::size_t position, const std::string& what) const {
    const std::string_view before = text_.substr(0, position);
    throw Error({name_, static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1}, what);
  }

 private:
  /// Statements lie within each other as deep as braces do. What pages and comparisons do for each byte of
  /// each statement would take forever otherwise.
  void check_nesting() const {
    std::vector<std::vector<std::size_t>> begins;  // of each source's lines, and where the last one ends
    for (const SourceFile& source : trace_.sources) {
      begins.push_back({0});
      for (const std::string& line : source.lines)
        begins.back().push_back(begins.back().back() + line.size() + 1);
    }
    std::vector<std::size_t> covered(trace_.sources.size());
    for (const Site& site : trace_.sites) {
      const auto source =
          static_cast<std::size_t>(trace_.functions[static_cast<std::size_t>(site.function)].source);
      const auto position = [&lines = begins[source]](int line, int column) {
        const auto number = static_cast<std::size_t>(line);
        if (number >= lines.size()) return lines.back();
        return std::min(lines[number], lines[number - 1] + static_cast<std::size_t>(std::max(column, 1) - 1));
      };
      covered[source] +=
          position(site.span.end_line, site.span.end_column) - position(site.span.line, site.span.column);
      if (covered[source] > kDeepestNesting * (begins[source].back() + 1)) {
        throw Error({name_}, "the statements of " + trace_.sources[source].path + " overlap more than " +
                                 std::to_string(kDeepestNesting) + " deep; record the lecture again");
      }
    }
  }

  /// The text of a value, which is checked to be JSON: the parser that walks over it does not look inside.
  std::string_view checked(std::string_view json) {
    position_ = static_cast<std::size_t>(json.data() - padded_.data());
    constexpr std::size_t kLarge = 64 << 10;
    simdjson::dom::parser once;  // the other one keeps its memory
    const auto result = (json.size() > kLarge ? once : checker_).parse(json.data(), json.size(), false);
    if (result.error() != simdjson::SUCCESS) throw simdjson::simdjson_error(result.error());
    return trimmed(json);
  }

  void document_field(const std::string& name, ondemand::value json) {
    const std::string_view text = checked(simdjson::to_json_string(json));
    if (name == "format") {
      check_format(position_, Json::parse(text));
    } else if (name == "lecture") {
      const Json lecture = Json::parse(text);
      if (!lecture.is_string()) fail(position_, "\"lecture\" is not a string");
      trace_.lecture = lecture.get<std::string>();
    } else if (name == "profile") {
      read_record([&] { trace_.profile = record_from_json<Profile>(Json::parse(text)); });
    } else {
      std::string& unknown = trace_.unknown.text;
      unknown.empty() ? unknown = "{" : (unknown.back() = ',', unknown);
      append_json_string(unknown, name);
      unknown.append(":").append(text).append("}");
    }
  }

  void check_format(std::size_t begin, const Json& format) {
    trace_.format = format.is_string() ? format.get<std::string>() : "";
    if (!trace_.format.starts_with(kFormat)) {
      fail(begin, "this is no Lectern trace; name a file that `lectern run` made");
    }
    const std::string_view version = std::string_view(trace_.format).substr(kFormat.size());
    if (version.substr(0, version.find('.')) != kMajor) {
      fail(begin, "the trace is of version " + std::string(version) + ", this program reads version " +
                      std::string(kMajor) + "; use a Lectern of that version, or record the lecture again");
    }
  }

  void records(ondemand::value json) {
    if (trace_.format.empty()) fail(position_, "\"format\" must come before \"records\"");
    in_records_ = true;
    for (ondemand::object record : json.get_array()) {
      const std::string_view text = checked(record.raw_json());
      if (ended_) fail(position_, "bad record: a record stands past the closing one");
      record.reset();
      read_record([&] { dispatch(record, text); });
    }
  }

  template <typename Read>
  void read_record(Read read) const {
    try {
      read();
    } catch (const BadRecord& bad) {
      fail(position_, "bad record: " + bad.what);
    }
  }

  void dispatch(ondemand::object record, std::string_view text) {
    if (text.starts_with("{\"at\":")) return step(record);
    const Json json = Json::parse(text);
    if (json.contains("at")) return step(record);
    if (json.contains("stack")) return stack(json);
    if (json.contains("site")) {
      const Site& site = define(json, "site", trace_.sites);
      return check_index("function", site.function, trace_.functions.size());
    }
    if (json.contains("left_out")) return left_out(json);
    if (json.contains("end")) {
      trace_.end = record_from_json<TraceEnd>(json);
      ended_ = true;
      return;
    }
    if (json.contains("function")) {
      const TracedFunction& function = define(json, "function", trace_.functions);
      return check_index("source", function.source, trace_.sources.size());
    }
    if (json.contains("source")) {
      define(json, "source", trace_.sources);
      return;
    }
    trace_.others.push_back({trace_.steps.size(), json.dump()});
  }

  void left_out(const Json& json) {
    LeftOut& left_out = trace_.left_out.emplace_back(record_from_json<LeftOut>(json));
    left_out.before = trace_.steps.size();
    check_index("left_out", left_out.loop, trace_.sites.size());
    check_index("in", left_out.stack, trace_.stacks.size());
    if (left_out.passes < 0) throw BadRecord{"\"passes\" is negative"};
    for (const auto& [site, count] : left_out.runs) {
      check_index("runs", site, trace_.sites.size());
      check_count(count);
    }
    for (const auto& [function, count] : left_out.calls) {
      check_index("calls", function, trace_.functions.size());
      check_count(count);
      trace_.functions[static_cast<std::size_t>(function)].ran_unrecorded = true;
    }
  }

  static void check_count(std::int64_t count) {
    if (count < 0 || count > std::numeric_limits<std::int32_t>::max())
      throw BadRecord{"a statement or function ran an impossible number of times"};
  }

  /// By far the most frequent record: no document is made of it.
  void step(ondemand::object record) {
    Step step{.site = -1, .stack = -1};
    rest_.clear();
    for (ondemand::field field : record) {
      const std::string_view name = field.unescaped_key();
      if (name == "at") {
        step.site = integer<int>(name, field.value());
      } else if (name == "in") {
        step.stack = integer<int>(name, field.value());
      } else if (name == "enter") {
        step.enter = integer<int>(name, field.value());
      } else if (name == "ns") {
        step.ns = integer<std::int64_t>(name, field.value());
      } else if (name == "after") {
        step.after = trimmed(simdjson::to_json_string(field.value())) == "true";
      } else {
        rest_ += ',';
        append_json_string(rest_, name);
        const bool ran = name == "ran";
        const std::string_view value = trimmed(simdjson::to_json_string(field.value()));
        if (ran) mark_unrecorded(value);
        rest_.append(":").append(value);
      }
    }
    check_index("at", step.site, trace_.sites.size());
    check_index("in", step.stack, trace_.stacks.size());
    if (step.enter < 0 || step.enter > trace_.stacks[index(step.stack)].depth)
      throw BadRecord{"\"enter\" counts more frames than the stack has"};
    if (!rest_.empty()) {
      rest_.front() = '{';
      rest_ += '}';
      step.text = rest_.find('\n') == std::string::npos ? rest_ : Json::parse(rest_).dump();
    }
    trace_.steps.push_back(std::move(step));
  }

  void mark_unrecorded(std::string_view list) {
    for (const Json& function : Json::parse(list)) {
      if (!function.is_number_integer()) throw BadRecord{"\"ran\" is not a list of whole numbers"};
      check_index("ran", function.get<std::int64_t>(), trace_.functions.size());
      trace_.functions[function.get<std::size_t>()].ran_unrecorded = true;
    }
  }

  /// Adds the next one of its kind.
  template <typename T>
  T& define(const Json& json, const char* kind, std::vector<T>& all) {
    check_number(json, kind, all.size());
    return all.emplace_back(record_from_json<T>(json, kind));
  }

  void stack(const Json& json) {
    Stack& stack = define(json, "stack", trace_.stacks);
    check_index("function", stack.function, trace_.functions.size());
    if (json.contains("parent")) check_index("parent", stack.parent, trace_.stacks.size() - 1);
    if (json.contains("call")) check_index("call", stack.call, trace_.sites.size());
    if (stack.parent >= 0) stack.depth = trace_.stacks[index(stack.parent)].depth + 1;
  }

  std::string_view text_;
  simdjson::padded_string padded_;
  const std::string& name_;
  simdjson::dom::parser checker_;
  std::size_t position_ = 0;
  Trace trace_;
  std::string rest_;
  bool in_records_ = false;
  bool ended_ = false;
};

}  // namespace

Trace parse_trace(std::string_view text, const std::string& name) {
  // A file that was being written ends in zeros: it grows ahead of what it holds.
  const std::size_t last = text.find_last_not_of('\0');
  text = text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  if (text.empty()) throw Error({name}, "the trace is empty; record the lecture again");
  Reader reader(text, name);
  try {
    return reader.read();
  } catch (const simdjson::simdjson_error& error) {
    const auto problem = json_problem(text);
    if (!problem) reader.fail(reader.position(), std::string("this is not JSON: ") + error.what());
    if (!problem->ended || problem->whole_records == std::string_view::npos)
      reader.fail(problem->position, "this is not JSON: " + problem->what);
    const std::string whole = std::string(text.substr(0, problem->whole_records)) + "]}";
    return parse_trace(whole, name);
  }
}

std::string read_trace_text(const std::filesystem::path& path) {
  std::error_code none;
  const std::filesystem::path partial = path.string() + ".partial";
  if (!std::filesystem::exists(path, none) && std::filesystem::exists(partial, none)) {
    throw Error({path.string()},
                "there is no such trace, but " + partial.filename().string() +
                    " beside it, of a run that did not end; read that file to see how far it came");
  }
  if (const auto size = std::filesystem::file_size(path, none); !none && size > kMostBytes) {
    throw Error({path.string()}, "the trace is larger than 2 GB; step over its longest loops with @stepover");
  }
  return read_file(path);
}

Trace read_trace(const std::filesystem::path& path) {
  return parse_trace(read_trace_text(path), path.string());
}

}  // namespace lectern
