#pragma once

#include <string>
#include <string_view>

#include "record/recorder.h"
#include "trace/encode.h"

namespace lectern {

/// Adds a rendering to the open step.
template <typename T>
void add_rendering(const T& rendering) {
  std::string json;
  append_rendering(json, rendering);
  record::add_rendering(json);
}

/// Where hooks print when nothing is recorded: one line, or as many as `text` has.
void print_plain(std::string_view text);

/// Ends the hook: a wrong argument, at the lecture's line.
[[noreturn]] void refuse(const std::string& message);

}  // namespace lectern
