#include "trace/reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/json_scan.h"
#include "base/json_text.h"
#include "base/json_view.h"

namespace lectern {
namespace {

constexpr std::string_view kFormat = "lectern-trace/";
constexpr std::string_view kMajor = "1";
constexpr std::uintmax_t kMostBytes = std::uintmax_t{2} << 30;
/// What is wrong with one record; the place is added where it is caught.
struct BadRecord {
  std::string what;
};

/// A whole number that fits into T; nothing is converted.
template <typename T>
T whole_number(const Json& json, const char* name) {
  const bool fits = json.is_number_unsigned()  ? std::in_range<T>(json.get<std::uint64_t>())
                    : json.is_number_integer() ? std::in_range<T>(json.get<std::int64_t>())
                                               : false;
  if (!fits) throw BadRecord{std::string("\"") + name + "\" is not a whole number in range"};
  return json.get<T>();
}

/// Takes fields out of a record; what remains is unknown.
class Fields {
 public:
  explicit Fields(std::string_view record) : json_(Json::parse(record)) {}

  template <typename T>
  T take(const char* name, T absent) {
    const auto found = json_.find(name);
    if (found == json_.end()) return absent;
    T value;
    try {
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        value = whole_number<T>(*found, name);
      } else {
        value = found->template get<T>();
      }
    } catch (const Json::exception&) {
      throw BadRecord{std::string("the field \"") + name + "\" has a value of another type than it should"};
    }
    json_.erase(found);
    return value;
  }
  template <typename T>
  T need(const char* name) {
    if (!json_.contains(name)) throw BadRecord{std::string("the field \"") + name + "\" is missing"};
    return take<T>(name, T{});
  }
  /// A number that must be an index below `size`.
  int index(const char* name, std::size_t size, int absent) {
    if (absent >= -1 && !json_.contains(name)) return absent;
    const auto number = need<std::int64_t>(name);
    if (number < 0 || static_cast<std::uint64_t>(number) >= size) {
      throw BadRecord{std::string("\"") + name + "\":" + std::to_string(number) +
                      " names nothing that was defined"};
    }
    return static_cast<int>(number);
  }
  /// The record's own number: they count up from 0.
  void number(const char* name, std::size_t expected) {
    if (need<std::int64_t>(name) != static_cast<std::int64_t>(expected)) {
      throw BadRecord{std::string("\"") + name + "\" is not the next number, " + std::to_string(expected)};
    }
  }
  TextSpan span() {
    const auto list = need<Json>("span");
    if (!list.is_array() || list.size() != 4) throw BadRecord{"\"span\" is not a list of four numbers"};
    const auto number = [&list](int which) {
      return whole_number<int>(list[static_cast<std::size_t>(which)], "span");
    };
    const TextSpan span{number(0), number(1), number(2), number(3)};
    const bool ordered =
        span.end_line > span.line || (span.end_line == span.line && span.end_column >= span.column);
    if (span.line < 1 || span.column < 1 || !ordered)
      throw BadRecord{"\"span\" is not a span of lines and columns"};
    return span;
  }
  Json rest() { return json_.empty() ? Json(nullptr) : std::move(json_); }

 private:
  Json json_;
};

/// "text" or {"bytes":"e4bd"}.
std::string take_bytes(Fields& fields, const char* name) {
  const auto value = fields.take<Json>(name, nullptr);
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  const auto bytes = value.find("bytes");
  if (bytes == value.end() || !bytes->is_string())
    throw BadRecord{std::string("\"") + name + "\" is neither a string nor one in bytes"};
  return from_hexadecimal(bytes->get_ref<const std::string&>());
}

class Reader {
 public:
  Reader(std::string_view text, const std::string& name) : text_(text), name_(name), scan_(text) {}

  Trace read() {
    scan_.blanks();
    bool whole = scan_.object([this](std::string_view field) { return document_field(field); });
    if (whole) {
      scan_.blanks();
      if (scan_.position() != text_.size()) whole = scan_.wrong("text after the end of the trace");
    }
    if (!whole && !scan_.ended()) fail(scan_.position(), std::string("this is not JSON: ") + scan_.problem());
    if (trace_.format.empty()) {
      fail(scan_.position(),
           "this is no Lectern trace (it has no \"format\"); name a file that `lectern run` made");
    }
    if (!in_records_) fail(scan_.position(), "the trace has no records; make it again with `lectern run`");
    if (!ended_) trace_.end.by = "incomplete";
    check_nesting();
    return std::move(trace_);
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

  bool document_field(std::string_view field) {
    if (field == "records") {
      if (trace_.format.empty()) fail(scan_.position(), "\"format\" must come before \"records\"");
      in_records_ = scan_.peek() == '[';
      return scan_.array([this] { return record(); });
    }
    const std::size_t begin = scan_.position();
    if (!scan_.value()) return false;
    const std::string_view value = text_.substr(begin, scan_.position() - begin);
    if (field == "format") {
      check_format(begin, Json::parse(value));
    } else if (field == "lecture") {
      const Json name = Json::parse(value);
      if (!name.is_string()) fail(begin, "\"lecture\" is not a string");
      trace_.lecture = name.get<std::string>();
    } else if (field == "profile") {
      trace_.profile = Json::parse(value);
    } else {
      trace_.unknown[plain_name(field)] = Json::parse(value);
    }
    return true;
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

  /// A name as it stands between its quotes, without escapes.
  static std::string plain_name(std::string_view raw) {
    return Json::parse('"' + std::string(raw) + '"').get<std::string>();
  }

  /// Goes behind an object and takes note of its members. Returns whether it is whole.
  bool scan_members(JsonScanner& scan, std::string_view text) {
    members_.clear();
    return scan.object([&](std::string_view field) {
      const std::size_t value = scan.position();
      if (!scan.value()) return false;
      members_.push_back({field, text.substr(value, scan.position() - value)});
      return true;
    });
  }

  bool record() {
    const std::size_t begin = scan_.position();
    if (!scan_members(scan_, text_)) return false;
    std::string_view text = text_.substr(begin, scan_.position() - begin);
    try {
      // Names that are written with escapes, as nobody does who means well, are the same names.
      std::string unescaped;
      if (std::any_of(members_.begin(), members_.end(),
                      [](const JsonMember& m) { return m.name.find('\\') != std::string_view::npos; })) {
        text = unescaped = Json::parse(text).dump();
        JsonScanner again(text);
        scan_members(again, text);
      }
      if (ended_) throw BadRecord{"a record stands behind the closing one"};
      dispatch(text);
    } catch (const BadRecord& bad) {
      fail(begin, "bad record: " + bad.what);
    } catch (const Json::exception& error) {
      fail(begin, std::string("bad record: ") + error.what());
    }
    return true;
  }

  void dispatch(std::string_view text) {
    for (const JsonMember& member : members_) {
      if (member.name == "at") return step();
      if (member.name == "stack") return stack(Fields(text));
      if (member.name == "site") return site(Fields(text));
      if (member.name == "end") return end(Fields(text));
      if (member.name == "source" && !has("function")) return source(Fields(text));
      if (member.name == "function" && !has("site") && !has("stack")) return function(Fields(text));
    }
    trace_.others.push_back({trace_.steps.size(), Json::parse(text).dump()});
  }

  bool has(std::string_view name) const {
    return std::any_of(members_.begin(), members_.end(), [&](const JsonMember& m) { return m.name == name; });
  }

  /// By far the most frequent record: no JSON document is made of it.
  void step() {
    Step step;
    step.site = step.stack = -1;
    rest_.clear();
    for (const auto& [name, value] : members_) {
      if (name == "at") {
        step.site = integer<int>(name, value);
      } else if (name == "in") {
        step.stack = integer<int>(name, value);
      } else if (name == "enter") {
        step.enter = integer<int>(name, value);
      } else if (name == "ns") {
        step.ns = integer<std::int64_t>(name, value);
      } else if (name == "after") {
        step.after = value == "true";
      } else {
        if (name == "ran") mark_unrecorded(value);
        rest_ += rest_.empty() ? "{\"" : ",\"";
        rest_.append(name).append("\":").append(value);
      }
    }
    check_index("at", step.site, trace_.sites.size());
    check_index("in", step.stack, trace_.stacks.size());
    if (step.enter < 0 || step.enter > trace_.stacks[static_cast<std::size_t>(step.stack)].depth) {
      throw BadRecord{"\"enter\" counts more frames than the stack has"};
    }
    if (!rest_.empty()) {
      rest_ += '}';
      step.rest = rest_.find('\n') == std::string::npos ? rest_ : Json::parse(rest_).dump();
    }
    trace_.steps.push_back(std::move(step));
  }

  void mark_unrecorded(std::string_view list) {
    for (const Json& function : Json::parse(list)) {
      const int number = whole_number<int>(function, "ran");
      check_index("ran", number, trace_.functions.size());
      trace_.functions[static_cast<std::size_t>(number)].ran_unrecorded = true;
    }
  }

  template <typename T>
  static T integer(std::string_view name, std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      throw BadRecord{"\"" + std::string(name) + "\" is not a whole number in range"};
    }
    return value;
  }
  static void check_index(const char* name, int index, std::size_t size) {
    if (index < 0 || static_cast<std::size_t>(index) >= size) {
      throw BadRecord{std::string("\"") + name + "\":" + std::to_string(index) +
                      " names nothing that was defined"};
    }
  }

  void source(Fields fields) {
    fields.number("source", trace_.sources.size());
    SourceFile source;
    source.path = fields.need<std::string>("path");
    source.language = fields.take<std::string>("language", "");
    source.lines = fields.need<std::vector<std::string>>("lines");
    source.encoding = fields.take<std::string>("encoding", "");
    source.unknown = fields.rest();
    trace_.sources.push_back(std::move(source));
  }

  void function(Fields fields) {
    fields.number("function", trace_.functions.size());
    TracedFunction function;
    function.name = fields.need<std::string>("name");
    function.source = fields.index("source", trace_.sources.size(), kNeeded);
    function.span = fields.span();
    function.untraced = fields.take<std::string>("untraced", "");
    function.unknown = fields.rest();
    trace_.functions.push_back(std::move(function));
  }

  void site(Fields fields) {
    fields.number("site", trace_.sites.size());
    Site site;
    site.function = fields.index("function", trace_.functions.size(), kNeeded);
    site.span = fields.span();
    const auto kind = fields.take<std::string>("kind", "");
    const auto known = std::find(kSiteKinds.begin(), kSiteKinds.end(), kind);
    if (known == kSiteKinds.end()) throw BadRecord{"there is no kind of statement \"" + kind + "\""};
    site.kind = static_cast<SiteKind>(known - kSiteKinds.begin());
    site.hide = fields.take("hide", false);
    site.over = fields.take("over", false);
    site.volatile_names = fields.take<std::vector<std::string>>("volatile", {});
    site.tolerance = fields.take<Json>("tolerance", nullptr);
    site.unknown = fields.rest();
    trace_.sites.push_back(std::move(site));
  }

  void stack(Fields fields) {
    fields.number("stack", trace_.stacks.size());
    Stack stack;
    stack.function = fields.index("function", trace_.functions.size(), kNeeded);
    stack.name = fields.take<std::string>("name", "");
    stack.parent = fields.index("parent", trace_.stacks.size(), -1);
    stack.call = fields.index("call", trace_.sites.size(), -1);
    stack.depth = stack.parent < 0 ? 1 : trace_.stacks[static_cast<std::size_t>(stack.parent)].depth + 1;
    stack.unknown = fields.rest();
    trace_.stacks.push_back(std::move(stack));
  }

  void end(Fields fields) {
    trace_.end.by = fields.need<std::string>("end");
    trace_.end.status = fields.take("status", 0);
    trace_.end.signal = fields.take<std::string>("signal", "");
    trace_.end.out = take_bytes(fields, "out");
    trace_.end.err = take_bytes(fields, "err");
    fields.take<std::int64_t>("steps", 0);
    trace_.end.unknown = fields.rest();
    ended_ = true;
  }

  [[noreturn]] void fail(std::size_t position, const std::string& what) const {
    const std::string_view before = text_.substr(0, position);
    throw Error({name_, static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1}, what);
  }

  static constexpr int kNeeded = -2;
  static constexpr std::size_t kDeepestNesting = 200;

  std::string_view text_;
  const std::string& name_;
  JsonScanner scan_;
  Trace trace_;
  std::vector<JsonMember> members_;
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
  return Reader(text, name).read();
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
