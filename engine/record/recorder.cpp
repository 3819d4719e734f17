#include "record/recorder.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "record/definitions.h"
#include "record/endings.h"
#include "record/json_sink.h"
#include "record/main_thread.h"
#include "record/recording.h"

namespace lectern {
namespace {

// Files register before main, in whatever order: made on first use, never destroyed.
std::vector<probe::Source*>& sources() {
  static auto* const all = new std::vector<probe::Source*>;
  return *all;
}

const std::filesystem::path& first_folder() {
  static const auto* const folder = new std::filesystem::path([] {
    std::error_code none;
    return std::filesystem::current_path(none);
  }());
  return *folder;
}

std::string_view last_component(std::string_view name) {
  const std::size_t colons = name.rfind("::");
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

// The text of a statement, its lines joined by blanks.
std::string statement_text(const probe::Source& source, const probe::Span& span) {
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

RunBlock* asked_run() {
  const char* const number = std::getenv(RunBlock::kVariable);
  if (number == nullptr) return nullptr;
  const int descriptor = std::atoi(number);
  unsetenv(RunBlock::kVariable);  // not for programs that the lecture starts
  struct stat status {};
  if (fstat(descriptor, &status) != 0 || status.st_size != static_cast<off_t>(sizeof(RunBlock)))
    return nullptr;
  void* const memory = mmap(nullptr, sizeof(RunBlock), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  if (memory == MAP_FAILED) return nullptr;
  auto* const block = static_cast<RunBlock*>(memory);
  int nobody = 0;
  if (block->version != RunBlock::kVersion) return nullptr;
  return block->recorder.compare_exchange_strong(nobody, getpid()) ? block : nullptr;
}

void warn_of_full_budget() {
  record::warn("the lecture has printed " + std::to_string(capture::kRunLimit >> 20) +
               " MB: what it prints from here on is passed on, but not recorded");
}

int thread_count() {
  if (const char* const asked = std::getenv("OMP_NUM_THREADS")) {
    if (const int count = std::atoi(asked); count > 0) return count;
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

std::string compiler() {
#if defined(__clang__)
  return "clang++ " + std::to_string(__clang_major__) + "." + std::to_string(__clang_minor__) + "." +
         std::to_string(__clang_patchlevel__);
#else
  return "g++ " + std::to_string(__GNUC__) + "." + std::to_string(__GNUC_MINOR__) + "." +
         std::to_string(__GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

namespace probe {

bool add_source(Source& source) {
  first_folder();
  auto& all = sources();
  if (std::find(all.begin(), all.end(), &source) != all.end()) return true;
  all.push_back(&source);
  if (all.size() == 1) Recorder::start_if_asked();
  if (Recorder* const recorder = Recorder::live()) recorder->define(source);
  return true;
}

void Recorder::start_if_asked() {
  RunBlock* const block = asked_run();
  if (block == nullptr) return;
  auto* const recorder = new Recorder(*block);
  if (!recorder->writer_.start(*block, warn_of_full_budget)) {
    block->failure.store(errno);
    return;
  }
  recorder->write_header();
  on_main_thread = true;
  live_.store(recorder, std::memory_order_release);
  watch_endings();
}

void Recorder::stop() {
  live_.store(nullptr, std::memory_order_release);
  capture::stop();
}

void Recorder::write_header() {
  writer_.append("{\"format\":\"lectern-trace/1\",\n\"lecture\":" + json_text(block_->lecture) +
                 ",\n\"profile\":{\"name\":" + json_text(block_->profile) +
                 ",\"threads\":" + std::to_string(thread_count()) + ",\"compiler\":" + json_text(compiler()) +
                 ",\"libraries\":{}},\n\"records\":[\n");
  writer_.commit();
}

void Recorder::define(Source& source) {
  const Busy busy(*this);
  if (writer_.is_open()) {
    writer_.close(writer_.now());
    owner_ = nullptr;
    if (innermost_ != nullptr) innermost_->interrupted_ = innermost_->site_ >= 0;
  }
  source.first_function = functions_;
  source.first_site = sites_;
  functions_ += source.function_count;
  sites_ += source.site_count;
  const auto count = static_cast<std::size_t>(source.function_count);
  source.ran_elsewhere = new bool[count]{};   // never deleted: threads may run to the very end
  constexpr std::size_t kLongestNumber = 11;  // with its comma
  ran_elsewhere_.reserve(static_cast<std::size_t>(functions_) * kLongestNumber);
  writer_.append(source_definition(source, static_cast<int>(sources_.size())));
  sources_.push_back(&source);
  writer_.commit();
}

void Inspection::begin() const {
  if (Recorder* const recorder = Recorder::live()) recorder->begin_inspection();
}

void Inspection::end() const {
  if (Recorder* const recorder = Recorder::live()) recorder->end_inspection();
}

void Inspection::clear_at_run_time(const char* name) const {
  if (Recorder* const recorder = Recorder::live())
    recorder->change(true, [&](StepDetails& details) { add_item(details.clear, json_text(name)); });
}

void claim_at_run_time(bool held) {
  Recorder* const recorder = record::recording() ? Recorder::live() : nullptr;
  const Site* const site = recorder == nullptr ? nullptr : recorder->open_site();
  const std::string text = site == nullptr ? "" : statement_text(*recorder->open_source(), site->span);
  if (site != nullptr)
    record::add_claim(std::string("{\"ok\":") + (held ? "true" : "false") + ",\"text\":" + json_text(text) +
                      "}");
  if (held) return;
  const std::string place = to_string(record::here());
  record::claim_failed((place.empty() ? "" : place + ": ") + "a claim does not hold" +
                       (text.empty() ? "" : ": " + text));
}

}  // namespace probe

namespace record {

using probe::Recorder;

bool recording() {
  return on_main_thread && Recorder::live() != nullptr;
}

Place here() {
  const Recorder* const recorder = on_main_thread ? Recorder::live() : nullptr;
  const probe::Site* const site = recorder == nullptr ? nullptr : recorder->open_site();
  if (site == nullptr) return {};
  const probe::Source& source = *recorder->open_source();
  const std::filesystem::path file = std::filesystem::path(source.folder) / source.path;
  const std::filesystem::path shorter = file.lexically_relative(first_folder());
  const bool inside = !shorter.empty() && *shorter.begin() != "..";
  return {.file = inside ? shorter.string() : file.string(), .line = site->span.line};
}

void add_rendering(std::string_view json) {
  if (Recorder* const recorder = Recorder::live())
    recorder->change(false, [&](StepDetails& details) { add_item(details.show, json); });
}

void add_variable(std::string_view expression, std::string_view json) {
  Recorder* const recorder = Recorder::live();
  if (recorder == nullptr) return;
  recorder->change(true, [&](StepDetails& details) {
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
  if (Recorder* const recorder = Recorder::live())
    recorder->change(false, [&](StepDetails& details) { add_item(details.claims, json); });
}

void warn(const std::string& message) {
  const std::string place = to_string(here());
  capture::tell((place.empty() ? "" : place + ": ") + "warning: " + message);
}

std::filesystem::path lecture_folder() {
  const Recorder* const recorder = on_main_thread ? Recorder::live() : nullptr;
  const probe::Source* source = recorder == nullptr ? nullptr : recorder->open_source();
  if (source == nullptr && !sources().empty()) source = sources().front();
  std::error_code none;
  const bool there = source != nullptr && std::filesystem::is_directory(source->folder, none);
  return there ? std::filesystem::path(source->folder) : first_folder();
}

std::filesystem::path assets_folder() {
  Recorder* const recorder = Recorder::live();
  if (recorder == nullptr)
    throw Error("there is no folder for assets: nothing is recorded; use `lectern run`");
  const std::filesystem::path folder = recorder->block().assets;
  make_folder(folder);
  return folder;
}

const char* fields_of(std::string_view type) {
  const char* local = nullptr;
  for (const probe::Source* source : sources()) {
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
  for (const probe::Source* source : sources()) {
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
