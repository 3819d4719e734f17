#include "record/recorder.h"

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "record/front_matter.h"
#include "record/json_sink.h"
#include "record/main_thread.h"
#include "record/sources.h"
#include "record/step_recorder.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;
using probe::StepRecorder;

std::string_view last_component(std::string_view name) {
  const std::size_t colons = name.rfind("::");
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

/// The recorder; null on threads that are not recorded.
StepRecorder* recorder() {
  return on_main_thread ? StepRecorder::live() : nullptr;
}

/// The statement being executed; none on threads that are not recorded.
probe::Statement open_statement() {
  return recorder() == nullptr ? probe::Statement{} : recorder()->open_statement();
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

void Inspection::begin() const {
  if (StepRecorder* const live = StepRecorder::live()) live->suspend();
}

void Inspection::end() const {
  if (StepRecorder* const live = StepRecorder::live()) live->resume();
}

void Inspection::clear_at_run_time(const char* name) const {
  if (StepRecorder* const live = StepRecorder::live())
    live->update_details(true, [&](PendingDetails& details) { add_item(details.clear, json_text(name)); });
}

void claim_at_run_time(bool held, const char* expression) {
  const Statement statement = open_statement();
  const std::string text = !statement ? ""
                           : statement.site->kind == SiteKind::claim
                               ? statement_text(*statement.source, statement.site->span)
                               : std::string("assert(") + expression + ")";
  const bool ends = !held && !record::claims_go_on();
  if (ends) record::about_to_end();
  if (statement) {
    record::add_claim(std::string("{\"ok\":") + (held ? "true" : "false") + ",\"text\":" + json_text(text) +
                      "}");
  }
  if (ends) record::claim_failed(record::here(), text);
}

}  // namespace probe

namespace record {

bool recording() {
  return recorder() != nullptr;
}

Place here() {
  const probe::Statement statement = open_statement();
  if (!statement) return {};
  const TextSpan& span = statement.site->span;
  return {probe::shown_folder() + statement.source->path, span.line, span.column};
}

void add_rendering(std::string_view json) {
  StepRecorder* const live = StepRecorder::live();
  if (live == nullptr) return;
  note_rendering();
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

void add_local(probe::Frame& frame, std::string_view name, std::string_view json, probe::SiteRange scope,
               bool always) {
  if (StepRecorder* const live = StepRecorder::live()) {
    if (live->note_local(frame, name, json, scope) || always) add_variable(name, json);
  }
}

void add_argument(probe::Frame& frame, std::string_view name, std::string_view json) {
  if (StepRecorder* const live = StepRecorder::live()) live->add_argument(frame, name, on_one_line(json));
}

void add_claim(std::string_view json) {
  if (StepRecorder* const live = StepRecorder::live())
    live->update_details(false, [&](PendingDetails& details) { add_item(details.claims, json); });
}

void add_collective(std::string_view json) {
  if (StepRecorder* const live = StepRecorder::live())
    live->update_details(false, [&](PendingDetails& details) { add_item(details.collectives, json); });
}

int processes() {
  return recorder() == nullptr ? 0 : recorder()->block().processes;
}

bool left_out() {
  return recorder() != nullptr && recorder()->in_left_out_pass();
}

bool claims_go_on() {
  return recorder() != nullptr && recorder()->claims_go_on();
}

void about_to_end() {
  if (recorder() != nullptr) recorder()->release_loops();
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

bool has_class(std::string_view name) {
  return std::any_of(probe::sources().begin(), probe::sources().end(), [&](const probe::Source* source) {
    return std::any_of(source->classes, source->classes + source->class_count, [&](std::string_view known) {
      return known == name || last_component(known) == last_component(name);
    });
  });
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
