#include "edtrace/import.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <unordered_map>

#include "base/error.h"
#include "base/json_scan.h"
#include "base/json_text.h"
#include "base/json_view.h"
#include "edtrace/frames.h"
#include "edtrace/layout.h"
#include "edtrace/rendering.h"
#include "edtrace/value.h"
#include "trace/json_fields.h"
#include "trace/reader.h"

namespace lectern {
namespace {

std::optional<std::int64_t> integer(std::string_view json) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), value);
  if (json.empty() || error != std::errc() || end != json.data() + json.size()) return {};
  return value;
}

/// The members of a step as JSON text, in the order in which they are added.
class StepFields {
 public:
  void add(std::string_view name, std::string_view json) {
    text_ += text_.empty() ? '{' : ',';
    append_json_string(text_, name);
    text_.append(":").append(json);
  }
  std::string take() { return text_.empty() ? std::string() : text_ + "}"; }

 private:
  std::string text_;
};

class Importer {
 public:
  Importer(std::string_view text, const std::string& name)
      : whole_(text), text_(text), name_(name), frames_(trace_) {}

  Trace read() {
    check_json();
    document_ = json_members(text_);
    const std::string_view steps = json_member(document_, "steps");
    if (!steps.starts_with('['))
      fail(text_, "this is no trace of edtrace (it has no \"steps\"); name a file that edtrace wrote");
    if (const std::string_view ours = json_member(document_, kOursBeside); ours.starts_with('{')) {
      trace_ = parse_trace(ours, name_);
      exact_ = true;
      read_lines();
    } else {
      read_definitions();
    }
    for (const std::string_view step : json_elements(steps)) add_step(step);
    if (!exact_) finish();
    return std::move(trace_);
  }

 private:
  void check_json() {
    JsonScanner scan(text_);
    scan.blanks();
    const bool object = scan.peek() == '{';
    if (!scan.value())
      fail(text_.substr(scan.position()), std::string("this is not JSON: ") + scan.problem());
    const std::string_view value = text_.substr(0, scan.position());
    scan.blanks();
    if (scan.position() != text_.size())
      fail(text_.substr(scan.position()), "text after the end of the trace");
    text_ = value.substr(value.find_first_not_of(" \t\r\n"));
    if (!object) fail(text_, "this is no trace of edtrace; name a file that edtrace wrote");
  }

  void read_definitions() {
    trace_.format = "lectern-trace/1";
    trace_.lecture = std::filesystem::path(name_).stem().string();
    trace_.profile = Profile{.compiler = "edtrace"};
    trace_.end.by = "return";
    Json kept = Json::object();
    const bool later = !json_member(document_, "hidden_line_numbers").empty();
    kept["generation"] = later ? "later" : "2025";
    for (const JsonMember& member : document_) {
      const std::string name = json_unescaped(member.name);
      if (name != "files" && name != "hidden_line_numbers" && name != "steps" && name != kOursBeside)
        keep(kept, name, member.value);
    }
    trace_.unknown = text_of_json(Json{{kEdtraceBeside, std::move(kept)}});
    for (const JsonMember& file : files()) {
      frames_.add_file(json_unescaped(file.name), json_string(file.value));
    }
    for (const JsonMember& file : json_members(json_member(document_, "hidden_line_numbers"))) {
      for (const std::string_view number : json_elements(file.value)) {
        const auto line = integer(number);
        if (!line || *line < 1 || *line > kMostLines) fail(number, "a hidden line is not a number from 1 on");
        frames_.hide(json_unescaped(file.name), static_cast<int>(*line));
      }
    }
  }

  /// Of the sources that stand beside: their text is edtrace's.
  void read_lines() {
    std::unordered_map<std::string, std::string_view> texts;
    for (const JsonMember& file : files()) texts[json_unescaped(file.name)] = file.value;
    for (SourceFile& source : trace_.sources) {
      const auto text = texts.find(source.path);
      std::vector<std::string> lines;
      if (text != texts.end()) lines = EdtraceFrames::lines_of(json_string(text->second));
      lines_before_.push_back(restore_source(source, std::move(lines)));
    }
  }

  std::vector<JsonMember> files() const {
    std::vector<JsonMember> files = json_members(json_member(document_, "files"));
    for (const JsonMember& file : files) {
      if (file.name.empty()) fail(file.value, "a file has no name");
      if (!file.value.starts_with('"')) fail(file.value, "the contents of a file are not a string");
    }
    return files;
  }

  void finish() {
    for (std::size_t i = 0; i < hooks_.size(); ++i) {
      if (hooks_[i]) trace_.sites[i].kind = SiteKind::hook;
    }
    frames_.finish();
  }

  void add_step(std::string_view json) {
    const std::vector<JsonMember> members = json_members(json);
    try {
      Step step;
      const std::vector<JsonMember> ours = json_members(json_member(members, kOursBeside));
      exact_ ? place_exactly(step, ours) : place(step, json_member(members, "stack"));
      step.ns = integer(json_member(ours, "ns")).value_or(0);
      step.text = fields(members, ours, step);
      trace_.steps.push_back(std::move(step));
    } catch (const Error& error) {
      fail(json, "step " + std::to_string(trace_.steps.size()) + ": " + error.what());
    }
  }

  void place_exactly(Step& step, const std::vector<JsonMember>& ours) {
    const auto number = [&](const char* name, std::size_t size) {
      const auto value = integer(json_member(ours, name));
      if (!value || *value < 0 || static_cast<std::uint64_t>(*value) >= size) {
        throw Error(std::string("\"") + name + "\" beside it names nothing that was defined; remove \"" +
                    kOursBeside + "\" from the beginning of the file");
      }
      return static_cast<int>(*value);
    };
    step.site = number("at", trace_.sites.size());
    step.stack = number("in", trace_.stacks.size());
    const auto depth = index(trace_.stacks[index(step.stack)].depth);
    step.enter = json_member(ours, "enter").empty() ? 0 : number("enter", depth + 1);
    step.after = json_member(ours, "after") == "true";
  }

  void place(Step& step, std::string_view stack) {
    std::vector<EdtraceFrames::Frame> frames;
    for (const std::string_view frame : json_elements(stack)) frames.push_back(frames_.frame(frame));
    if (frames.empty()) throw Error("it has no \"stack\"");
    step.site = frames.back().site;
    step.stack = frames_.stack(frames);
    const std::size_t kept = continuing(frames);
    step.enter = static_cast<int>(frames.size() - kept);
    // Back in a frame, where it called from.
    const bool back = kept == frames.size() && previous_.size() > kept;
    step.after = back && previous_[kept - 1].site == step.site;
    previous_ = std::move(frames);
  }

  /// How many of the frames are activations that went on since the previous step.
  std::size_t continuing(const std::vector<EdtraceFrames::Frame>& frames) {
    std::size_t kept = 0;
    while (kept < std::min(frames.size(), previous_.size())) {
      if (frames[kept].function != previous_[kept].function) break;
      ++kept;
      // What an inner frame was called from.
      if (frames[kept - 1].site != previous_[kept - 1].site) break;
    }
    const bool again = frames.size() == previous_.size() && frames.back().site == previous_.back().site;
    if (kept == frames.size() && frames.back().begins_function && !again) --kept;
    return kept;
  }

  std::string fields(const std::vector<JsonMember>& members, const std::vector<JsonMember>& ours,
                     const Step& step) {
    StepFields fields;
    const std::string_view renderings = json_member(members, "renderings");
    if (!renderings.empty() && renderings.front() != '[') throw Error("\"renderings\" is not a list");
    std::string show = renderings_.from_edtrace(renderings);
    if (const std::string_view hidden = json_member(ours, "hidden"); hidden.starts_with('['))
      show = with_hidden(show, Json::parse(hidden));
    if (show != "[]") {
      fields.add("show", show);
      hooks_.resize(std::max(hooks_.size(), index(step.site) + 1));
      hooks_[index(step.site)] = true;
    }
    add_environment(fields, json_member(members, "env"), ours);
    for (const auto& [theirs, name] : {std::pair("stdout", "out"), std::pair("stderr", "err")}) {
      const std::string printed = json_string(json_member(members, theirs));
      if (printed.empty() || !json_member(ours, name).empty()) continue;
      std::string text;
      append_json_string(text, printed);
      fields.add(name, text);
    }
    constexpr std::array<std::string_view, 9> kPlaced{"at",   "in",   "enter", "after", "ns",
                                                      "show", "vars", "clear", "hidden"};
    for (const JsonMember& member : ours) {
      if (std::find(kPlaced.begin(), kPlaced.end(), member.name) == kPlaced.end())
        fields.add(json_unescaped(member.name), member.value);
    }
    constexpr std::array<std::string_view, 6> kKnown{"stack",  "env",    "renderings",
                                                     "stdout", "stderr", kOursBeside};
    Json kept = Json::object();
    for (const JsonMember& member : members) {
      if (std::find(kKnown.begin(), kKnown.end(), member.name) == kKnown.end())
        keep(kept, json_unescaped(member.name), member.value);
    }
    if (!kept.empty()) fields.add(kEdtraceBeside, kept.dump());
    return fields.take();
  }

  /// With the renderings that stand beside, at the places that they had.
  static std::string with_hidden(const std::string& show, const Json& hidden) {
    Json list = Json::parse(show);
    for (const Json& entry : hidden) {
      if (!entry.is_array() || entry.size() != 2 || !entry[0].is_number_unsigned()) continue;
      const std::size_t place = std::min(entry[0].get<std::size_t>(), list.size());
      list.insert(list.begin() + static_cast<std::ptrdiff_t>(place), entry[1]);
    }
    return list.dump();
  }

  /// A value of 2025 that stands beside with its type; empty when that no longer says the same.
  static std::string value_beside(std::string_view ours, std::string_view theirs) {
    const Json value = Json::parse(ours);
    const Json again = value_to_edtrace(value, EdtraceGeneration::of_2025);
    return edtrace_meaning(edtrace_text(again)) == edtrace_meaning(theirs) ? value.dump() : std::string();
  }

  static void add_environment(StepFields& fields, std::string_view environment,
                              const std::vector<JsonMember>& ours) {
    if (!environment.empty() && environment.front() != '{') throw Error("\"env\" is not an object");
    std::unordered_map<std::string, std::string_view> beside;
    for (const auto& [name, value] : members_by_name(json_member(ours, "vars"))) beside[name] = value;
    StepFields vars;
    std::string clear;
    const auto add_cleared = [&clear](std::string_view json) {
      clear.append(clear.empty() ? "[" : ",").append(json);
    };
    for (const auto& [name, value] : members_by_name(environment)) {
      if (value == "null") {
        std::string quoted;
        append_json_string(quoted, name);
        add_cleared(quoted);
        continue;
      }
      try {
        const auto known = beside.find(name);
        std::string read = known == beside.end() ? std::string() : value_beside(known->second, value);
        if (read.empty()) read = value_from_edtrace(value);
        vars.add(name, read);
      } catch (const Error& error) {
        throw Error("the variable `" + name + "`: " + error.what());
      }
    }
    for (const std::string_view name : json_elements(json_member(ours, "clear"))) add_cleared(name);
    if (std::string values = vars.take(); !values.empty()) fields.add("vars", values);
    if (!clear.empty()) fields.add("clear", clear + "]");
  }

  static void keep(Json& kept, const std::string& name, std::string_view value) {
    Json json = Json::parse(value, nullptr, false);
    if (!json.is_discarded() && !json.is_null()) kept[name] = std::move(json);
  }

  [[noreturn]] void fail(std::string_view at, const std::string& what) const {
    const auto line = static_cast<int>(std::count(whole_.data(), at.data(), '\n')) + 1;
    throw Error({name_, line}, what);
  }

  static constexpr std::int64_t kMostLines = 1 << 30;

  std::string_view whole_, text_;  // with the blanks around, without them
  const std::string& name_;
  Trace trace_;
  EdtraceFrames frames_;
  std::vector<int> lines_before_;  // by source
  EdtraceRenderings renderings_{trace_, EdtraceGeneration::later, "assets/", lines_before_};
  std::vector<JsonMember> document_;
  std::vector<bool> hooks_;  // sites that rendered something
  std::vector<EdtraceFrames::Frame> previous_;
  bool exact_ = false;
};

}  // namespace

bool is_edtrace(std::string_view text) {
  bool found = false;
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  JsonScanner scan(text, begin);
  if (scan.peek() != '{') return false;
  scan.object([&](std::string_view name) {
    found = name == "files" || name == "steps";
    return !found && name != "format" && scan.value();
  });
  return found;
}

Trace parse_edtrace(std::string_view text, const std::string& name) {
  if (text.find("NaN") == std::string_view::npos && text.find("Infinity") == std::string_view::npos) {
    return Importer(text, name).read();
  }
  const std::string valid = with_valid_numbers(text);
  return Importer(valid, name).read();
}

bool came_from_edtrace(const Trace& trace) {
  return json_of(trace.unknown).contains(kEdtraceBeside);
}

}  // namespace lectern
