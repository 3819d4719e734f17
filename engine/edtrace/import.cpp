#include "edtrace/import.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/error.h"
#include "edtrace/document.h"
#include "edtrace/frames.h"
#include "edtrace/rendering.h"
#include "edtrace/value.h"

namespace lectern {
namespace {

namespace dom = simdjson::dom;

constexpr const char* kCompiler = "edtrace";

/// The members of an object within an object, or nothing.
template <typename Visit>
void for_each_member(JsonElement json, const char* name, Visit visit) {
  const auto found = member<JsonElement>(json, name);
  if (!found || found->is_null()) return;
  dom::object object;
  if (found->get(object) != simdjson::SUCCESS) throw Error("\"" + std::string(name) + "\" is not an object");
  for (const auto& [key, value] : object) visit(std::string(key), value);
}

class Importer {
 public:
  Trace read(JsonElement document, const std::string& name) {
    if (!document.is_object()) throw Error("this is not a trace of edtrace; name a file that edtrace wrote");
    const auto steps = member<dom::array>(document, "steps");
    if (!steps) {
      throw Error(
          "this is not a trace of edtrace (it has no list \"steps\"); name a file that edtrace wrote");
    }
    trace_.format = "lectern-trace/1";
    trace_.lecture = std::filesystem::path(name).stem().string();
    trace_.profile = Profile{.compiler = kCompiler};
    read_files(document);
    for (const JsonElement step : *steps) {
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
  void read_files(JsonElement document) {
    for_each_member(document, "files", [this](const std::string& path, JsonElement contents) {
      if (path.empty()) throw Error("a file has no name");
      if (!contents.is_string()) throw Error("the contents of a file are not a string");
      frames_.add_file(path, contents);
    });
    for_each_member(document, "hidden_line_numbers", [this](const std::string& path, JsonElement numbers) {
      dom::array lines;
      if (numbers.get(lines) != simdjson::SUCCESS) throw Error("the hidden lines of a file are not a list");
      for (const JsonElement number : lines) {
        const int line = line_number(JsonElement(number));
        if (line == 0) throw Error("a hidden line is not a number from 1 on");
        frames_.hide(path, line);
      }
    });
  }

  void add_step(JsonElement json) {
    Step step;
    place(step, json);
    StepDetails details;
    if (const auto list = member<JsonElement>(json, "renderings"); list && !list->is_null())
      details.show = renderings_from_edtrace(*list, trace_);
    if (!details.show.empty()) trace_.sites[index(step.site)].kind = SiteKind::hook;
    add_environment(json, details);
    details.out.bytes = text_member(json, "stdout");
    details.err.bytes = text_member(json, "stderr");
    step.set_details(details);
    trace_.steps.push_back(std::move(step));
  }

  void place(Step& step, JsonElement json) {
    std::vector<EdtraceFrames::Frame> frames;
    if (const auto stack = member<dom::array>(json, "stack")) {
      for (const JsonElement frame : *stack) frames.push_back(frames_.frame(frame));
    }
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

  static void add_environment(JsonElement json, StepDetails& details) {
    for_each_member(json, "env", [&details](const std::string& name, JsonElement value) {
      if (value.is_null()) {
        details.clear.push_back(name);
        return;
      }
      try {
        details.vars.emplace_back(name, value_from_edtrace(value));
      } catch (const Error& error) {
        throw Error("the variable `" + name + "`: " + error.what());
      }
    });
  }

  Trace trace_;
  EdtraceFrames frames_{trace_};
  std::vector<EdtraceFrames::Frame> previous_;
};

}  // namespace

Trace parse_edtrace(std::string_view text, const std::string& name) {
  const EdtraceDocument document(text, name);
  try {
    return Importer().read(document.root(), name);
  } catch (const Error& error) {
    throw Error({name, 0}, error.what());
  }
}

bool is_edtrace(std::string_view text) {
  int depth = 0;
  for (std::size_t at = 0; (at = text.find_first_of("\"{}[]", at)) < text.size();) {
    if (text[at] != '"') {
      depth += text[at] == '{' || text[at] == '[' ? 1 : -1;
      ++at;
      continue;
    }
    const std::size_t end = json_string_end(text, at);
    const std::string_view name = text.substr(at, end - at);
    at = std::min(text.find_first_not_of(" \t\r\n", end), text.size());
    if (depth != 1 || !text.substr(at).starts_with(':')) continue;
    if (name == "\"files\"" || name == "\"steps\"") return true;
    if (name == "\"format\"") return false;
  }
  return false;
}

bool came_from_edtrace(const Trace& trace) {
  return trace.profile && trace.profile->compiler == kCompiler;
}

}  // namespace lectern
