#include "record/sources.h"

#include <algorithm>

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

bool add_source(Source& source) {
  initial_folder();
  auto& all = registered();
  if (std::find(all.begin(), all.end(), &source) != all.end()) return true;
  all.push_back(&source);
  if (all.size() == 1) StepRecorder::start_if_asked();
  if (StepRecorder* const recorder = StepRecorder::live()) recorder->define(source);
  return true;
}

}  // namespace lectern::probe
