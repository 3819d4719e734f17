#include "cli/progress.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include <unistd.h>

namespace lectern::cli {
namespace {

constexpr std::size_t kWidth = 78;

/// The text after "[done/all] "; the whole line when there is no such status.
std::string_view description_of(std::string_view line) {
  if (!line.starts_with('[')) return line;
  const auto end = line.find("] ");
  const auto status = line.substr(1, end == std::string_view::npos ? 0 : end - 1);
  const bool is_status = !status.empty() && status.find_first_not_of("0123456789/") == std::string_view::npos;
  return is_status ? line.substr(end + 2) : line;
}

void print(std::string_view line) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
}

}  // namespace

std::string lecture_step(std::string_view description) {
  constexpr std::array own = {"Instrumenting ", "Running ", "Rendering ", "Building the site", "Printing "};
  if (std::any_of(own.begin(), own.end(), [&](const char* verb) { return description.starts_with(verb); })) {
    return std::string(description);
  }
  constexpr std::string_view program = "lecture-";
  const auto begin = description.find(program);
  if (!description.starts_with("Building ") || begin == std::string_view::npos) return {};
  const auto end = description.find(".dir/", begin);
  if (end == std::string_view::npos) return {};
  return "Compiling " + std::string(description.substr(begin + program.size(), end - begin - program.size()));
}

Progress::Progress() : terminal_(isatty(2) == 1) {}

Progress::~Progress() {
  clear();
}

void Progress::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void Progress::ninja(std::string_view line) {
  if (skip_command_) {
    skip_command_ = false;
    return;
  }
  const std::string_view description = description_of(line);
  if (description.size() != line.size()) {
    const std::string step = lecture_step(description);
    if (!terminal_) {
      if (!step.empty()) print("  " + step);
      return;
    }
    const std::string_view status = line.substr(0, line.size() - description.size());
    const std::string text = std::string(status) + (step.empty() ? std::string(description) : step);
    std::fprintf(stderr, "\r\033[K%.*s", static_cast<int>(std::min(text.size(), kWidth)), text.data());
    drawn_ = true;
    return;
  }
  if (line.starts_with("FAILED: ")) {
    skip_command_ = true;
    return;
  }
  if (line.starts_with("ninja: ") && !line.starts_with("ninja: error")) return;
  if (line.starts_with("-- ")) return;  // CMake, which ninja calls when a lecture came or went
  clear();
  print(line);
}

}  // namespace lectern::cli
