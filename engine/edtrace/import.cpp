#include "edtrace/import.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/error.h"
#include "edtrace/document.h"
#include "edtrace/frames.h"
#include "edtrace/json_fields.h"
#include "edtrace/rendering.h"
#include "edtrace/value.h"

namespace lectern {
namespace {

constexpr const char* kCompiler = "edtrace";

/// Frees what it holds; its destructor would first take as much memory again.
void discard(Json& json) {
  if (!json.is_structured()) return;
  for (Json& inner : json) discard(inner);
  json.clear();
}

class Importer {
 public:
  Trace read(Json document, const std::string& name) {
    if (!document.is_object()) throw Error("this is no trace of edtrace; name a file that edtrace wrote");
    const auto steps = document.find("steps");
    if (steps == document.end() || !steps->is_array())
      throw Error("this is no trace of edtrace (it has no \"steps\"); name a file that edtrace wrote");
    trace_.format = "lectern-trace/1";
    trace_.lecture = std::filesystem::path(name).stem().string();
    trace_.profile = Profile{.compiler = kCompiler};
    read_files(document);
    for (Json& step : *steps) {
      try {
        add_step(step);
      } catch (const Error& error) {
        throw Error("step " + std::to_string(trace_.steps.size()) + ": " + error.what());
      }
    }
    frames_.finish();
    trace_.end = {.by = "return", .steps = static_cast<std::int64_t>(trace_.steps.size())};
    return std::move(trace_);
  }

 private:
  void read_files(const Json& document) {
    for (const auto& [path, contents] : members(document, "files")) {
      if (path.empty()) throw Error("a file has no name");
      if (!contents.is_string()) throw Error("the contents of a file are not a string");
      frames_.add_file(path, contents.get_ref<const std::string&>());
    }
    for (const auto& [path, numbers] : members(document, "hidden_line_numbers")) {
      for (const Json& number : numbers) {
        const int line = EdtraceFrames::line_number(number);
        if (line == 0) throw Error("a hidden line is not a number from 1 on");
        frames_.hide(path, line);
      }
    }
  }

  /// Of an object within an object; none where it is something else.
  static const Json::object_t& members(const Json& json, const char* name) {
    static const Json::object_t kNone;
    const Json& object = part(json, name);
    return object.is_object() ? object.get_ref<const Json::object_t&>() : kNone;
  }

  /// Discards the step, to make room for the text of what it becomes.
  void add_step(Json& json) {
    Step step;
    place(step, part(json, "stack"));
    StepDetails details;
    details.show = renderings_from_edtrace(part(json, "renderings"), trace_);
    if (!details.show.empty()) trace_.sites[index(step.site)].kind = SiteKind::hook;
    add_environment(part(json, "env"), details);
    details.out.bytes = text_member(json, "stdout");
    details.err.bytes = text_member(json, "stderr");
    discard(json);
    step.set_details(details);
    trace_.steps.push_back(std::move(step));
  }

  void place(Step& step, const Json& stack) {
    if (!stack.is_array() || stack.empty()) throw Error("it has no \"stack\"");
    std::vector<EdtraceFrames::Frame> frames;
    for (const Json& frame : stack) frames.push_back(frames_.frame(frame));
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
  std::size_t continuing(const std::vector<EdtraceFrames::Frame>& frames) const {
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

  static void add_environment(const Json& environment, StepDetails& details) {
    if (!environment.is_object() && !environment.is_null()) throw Error("\"env\" is not an object");
    for (const auto& [name, value] : environment.items()) {
      if (value.is_null()) {
        details.clear.push_back(name);
        continue;
      }
      try {
        details.vars.emplace_back(name, value_from_edtrace(value));
      } catch (const Error& error) {
        throw Error("the variable `" + name + "`: " + error.what());
      }
    }
  }

  Trace trace_;
  EdtraceFrames frames_{trace_};
  std::vector<EdtraceFrames::Frame> previous_;
};

}  // namespace

Trace parse_edtrace(std::string_view text, const std::string& name) {
  Json document = read_document(text, name);
  try {
    return Importer().read(std::move(document), name);
  } catch (const Error& error) {
    throw Error({name, 0}, error.what());
  }
}

bool came_from_edtrace(const Trace& trace) {
  return trace.profile && trace.profile->compiler == kCompiler;
}

}  // namespace lectern
