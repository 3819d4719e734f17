#include "record/front_matter.h"

#include <utility>

#include "record/output_capture.h"
#include "record/recorder.h"

namespace lectern::record {
namespace {

/// Never destroyed: whether there was front matter is asked after static objects are gone.
struct Shown {
  Place first_hook, front_matter;
  bool told_twice = false;
};
Shown& shown() {
  static auto* const state = new Shown;
  return *state;
}

void warn_at(const Place& place, const std::string& message) {
  capture::print_diagnostic(to_string(place) + ": warning: " + message);
}

}  // namespace

void note_rendering() {
  auto& [first_hook, front_matter, told_twice] = shown();
  if (first_hook.file.empty() && front_matter.file.empty()) first_hook = here();
}

void note_front_matter() {
  auto& [first_hook, front_matter, told_twice] = shown();
  if (front_matter.file.empty()) {
    front_matter = here();
    if (!first_hook.file.empty())
      warn_at(first_hook, "this hook comes before lecture(); call lecture() first");
  } else if (!std::exchange(told_twice, true)) {
    warn("lecture() was called already, at " + to_string(front_matter) + "; remove one of the calls");
  }
}

void note_return() {
  const auto& [first_hook, front_matter, told_twice] = shown();
  if (!front_matter.file.empty() || first_hook.file.empty()) return;
  warn_at(first_hook,
          "the lecture has no title; begin it with lecture({.title = \"…\", .date = \"YYYY-MM-DD\"})");
}

}  // namespace lectern::record
