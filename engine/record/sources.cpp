#include "record/sources.h"

#include <algorithm>

#include <unistd.h>

#include "record/step_recorder.h"

namespace lectern::probe {
namespace {

// Files register before main, in whatever order: made on first use, never destroyed.
std::vector<Source*>& registered() {
  static auto* const all = new std::vector<Source*>;
  return *all;
}

}  // namespace

const std::vector<Source*>& sources() {
  return registered();
}

const std::filesystem::path& initial_folder() {
  static const auto* const folder = new std::filesystem::path([] {
    std::error_code none;
    return std::filesystem::current_path(none);
  }());
  return *folder;
}

const std::string& shown_folder() {
  static const auto* const shown = new std::string([] {
    if (registered().empty()) return std::string();
    StepRecorder* const recorder = StepRecorder::live();
    const char* const author = recorder == nullptr ? "" : recorder->block().author;
    const std::filesystem::path folder = registered().front()->folder;
    const std::filesystem::path from = *author == '\0' ? initial_folder() : author;
    const std::filesystem::path relative = folder.lexically_normal().lexically_relative(from);
    if (relative == ".") return std::string();
    const bool inside = !relative.empty() && *relative.begin() != "..";
    return (inside ? relative : folder).string() + "/";
  }());
  return *shown;
}

bool add_source(Source& source) {
  initial_folder();
  auto& all = registered();
  if (std::find(all.begin(), all.end(), &source) != all.end()) return true;
  all.push_back(&source);
  if (all.size() == 1) StepRecorder::start_if_asked();
  StepRecorder* const recorder = StepRecorder::live();
  if (recorder == nullptr) return true;
  RunBlock& block = recorder->block();
  if (source.processes > 0 && block.processes == 0) {
    block.declared = source.processes;
    _exit(0);  // the supervisor begins again
  }
  if (all.size() == 1) copy_text(block.folder, shown_folder());
  recorder->define(source);
  return true;
}

}  // namespace lectern::probe
