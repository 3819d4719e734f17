#include "record/recorder.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "record/json_sink.h"
#include "record/main_thread.h"
#include "record/sources.h"
#include "record/step_recorder.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;
using probe::StepRecorder;

/// The recorder; null on threads that are not recorded.
StepRecorder* recorder() {
  return on_main_thread ? StepRecorder::live() : nullptr;
}

/// The statement being executed; none on threads that are not recorded.
probe::Statement open_statement() {
  return recorder() == nullptr ? probe::Statement{} : recorder()->open_statement();
}

std::string_view last_component(std::string_view name) {
  const std::size_t colons = name.rfind("::");
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

// The text of a statement, its lines joined by blanks.
std::string statement_text(const probe::Source& source, const TextSpan& span) {
  std::string text;
  for (int number = span.line; number <= span.end_line && number <= source.line_count; ++number) {
    std::string_view line = source.lines[number - 1];
    if (number == span.end_line) line = line.substr(0, static_cast<std::size_t>(span.end_column - 1));
    if (number == span.line)
      line.remove_prefix(std::min(line.size(), static_cast<std::size_t>(span.column - 1)));
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) continue;
    if (!text.empty()) text += ' ';
    text += line.substr(text.empty() ? 0 : begin);
  }
  return text;
}

}  // namespace

namespace probe {

void claim_at_run_time(bool held) {
  const Statement statement = open_statement();
  const std::string text = statement ? statement_text(*statement.source, statement.site->span) : "";
  if (statement) {
    record::add_claim(std::string("{\"ok\":") + (held ? "true" : "false") + ",\"text\":" + json_text(text) +
                      "}");
  }
  if (held) return;
  const std::string place = to_string(record::here());
  record::claim_failed((place.empty() ? "" : place + ": ") + "a claim does not hold" +
                       (text.empty() ? "" : ": " + text));
}

}  // namespace probe

namespace record {

bool recording() {
  return recorder() != nullptr;
}

Place here() {
  const probe::Statement statement = open_statement();
  if (!statement) return {};
  const fs::path file = fs::path(statement.source->folder) / statement.source->path;
  const fs::path relative = file.lexically_relative(probe::initial_folder());
  const bool inside = !relative.empty() && *relative.begin() != "..";
  return {.file = inside ? relative.string() : file.string(), .line = statement.site->span.line};
}

void add_rendering(std::string_view json) {
  if (StepRecorder* const live = StepRecorder::live())
    live->update_details(false, [&](PendingDetails& details) { add_item(details.show, json); });
}

void add_variable(std::string_view expression, std::string_view json) {
  StepRecorder* const live = StepRecorder::live();
  if (live == nullptr) return;
  live->update_details(true, [&](PendingDetails& details) {
    for (auto& [name, value] : details.vars) {
      if (name == expression) {
        value = on_one_line(json);
        return;
      }
    }
    details.vars.emplace_back(expression, on_one_line(json));
  });
}

void add_claim(std::string_view json) {
  if (StepRecorder* const live = StepRecorder::live())
    live->update_details(false, [&](PendingDetails& details) { add_item(details.claims, json); });
}

void warn(const std::string& message) {
  const std::string place = to_string(here());
  capture::print_diagnostic((place.empty() ? "" : place + ": ") + "warning: " + message);
}

fs::path lecture_folder() {
  const probe::Source* source = open_statement().source;
  if (source == nullptr && !probe::sources().empty()) source = probe::sources().front();
  std::error_code none;
  const bool there = source != nullptr && fs::is_directory(source->folder, none);
  return there ? fs::path(source->folder) : probe::initial_folder();
}

fs::path assets_folder() {
  StepRecorder* const live = StepRecorder::live();
  if (live == nullptr) throw Error("there is no folder for assets: nothing is recorded; use `lectern run`");
  const fs::path folder = live->block().assets;
  make_folder(folder);
  return folder;
}

const char* fields_of(std::string_view type) {
  const char* local = nullptr;
  for (const probe::Source* source : probe::sources()) {
    for (int i = 0; i < source->aggregate_count; ++i) {
      const probe::Aggregate& aggregate = source->aggregates[i];
      if (aggregate.type == type) return aggregate.fields;
      if (last_component(aggregate.type) == last_component(type)) local = aggregate.fields;
    }
  }
  return local;
}

const probe::Function* find_function(std::string_view name) {
  const probe::Function* found = nullptr;
  for (const probe::Source* source : probe::sources()) {
    for (int i = 0; i < source->function_count; ++i) {
      const std::string_view candidate = source->functions[i].name;
      if (candidate == name) return &source->functions[i];
      if (found == nullptr && candidate.size() > name.size() + 2 && candidate.ends_with(name) &&
          candidate.substr(0, candidate.size() - name.size()).ends_with("::")) {
        found = &source->functions[i];
      }
    }
  }
  return found;
}

}  // namespace record
}  // namespace lectern
