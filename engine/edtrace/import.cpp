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
    for_each_member(json, "env", [&details](const std::string& name, JsonElement value) {
      if (value.is_null()) {
        details.clear.push_back(name);
      } else {
        details.vars.emplace_back(name, value_from_edtrace(value));
      }
    });
    details.out.bytes = text_member(json, "stdout");
    details.err.bytes = text_member(json, "stderr");
    step.set_details(details);
    trace_.steps.push_back(std::move(step));
  }

  void place(Step& step, JsonElement json) {
    const auto stack = member<dom::array>(json, "stack");
    if (!stack || stack->size() == 0) throw Error("it has no \"stack\"");
    EdtraceFrames::Position position = frames_.position(*stack);
    const std::vector<int>& frames = position.stacks;
    step.site = position.site;
    step.stack = frames.back();
    const auto [first_new, left] = std::ranges::mismatch(frames, frames_before_);
    step.enter = static_cast<int>(frames.end() - first_new);
    if (step.enter == 0) {
      // Back where it called from; or, without a step in between, called once more.
      const bool back = left != frames_before_.end();
      step.after = back && trace_.stacks[index(*left)].call == step.site;
      const bool stays = !back && trace_.steps.back().site == step.site;
      if (position.begins_function && !stays && !step.after) step.enter = 1;
    }
    frames_before_ = std::move(position.stacks);
  }

  Trace trace_;
  EdtraceFrames frames_{trace_};
  std::vector<int> frames_before_;  // the stacks of the step before
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
  const std::string_view begin = text.substr(0, text.find("\"format\""));
  return begin.find("\"files\"") != begin.npos || begin.find("\"steps\"") != begin.npos;
}

bool came_from_edtrace(const Trace& trace) {
  return trace.profile && trace.profile->compiler == kCompiler;
}

}  // namespace lectern
