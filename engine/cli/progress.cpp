#include "cli/progress.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <optional>

#include <unistd.h>

namespace lectern::cli {
namespace {

constexpr std::size_t kWidth = 78;
constexpr std::string_view kClear = "\r\033[K";
constexpr std::string_view kProgram = "lecture-";

// Whether the progress line is on the terminal; the signal handler reads it too.
std::atomic<bool> drawn = false;

void clear_and_end(int signal) {
  Progress::clear();
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void print(std::string_view line) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(line.size()), line.data());
}

/// The lecture whose program the text names.
std::string find_lecture_name(std::string_view text) {
  const auto begin = text.find(kProgram);
  if (begin == std::string_view::npos) return {};
  const auto name = text.substr(begin + kProgram.size());
  return std::string(name.substr(0, name.find_first_of("./ ")));
}

}  // namespace

struct Progress::Status {
  int started = 0, finished = 0, all = 0;
  std::string_view description;

  /// Parses a line that begins with kStatus.
  static std::optional<Status> parse(std::string_view line) {
    int numbers[3];
    const char* at = line.data();
    const char* const end = at + line.size();
    for (int i = 0; i < 3; ++i) {
      if (at == end || *at != "[ /"[i]) return std::nullopt;
      const auto [after, error] = std::from_chars(at + 1, end, numbers[i]);
      if (error != std::errc()) return std::nullopt;
      at = after;
    }
    const std::string_view rest(at, static_cast<std::size_t>(end - at));
    if (!rest.starts_with("] ")) return std::nullopt;
    return Status{numbers[0], numbers[1], numbers[2], rest.substr(2)};
  }
};

std::string lecture_step(std::string_view description) {
  constexpr std::array verbs = {"Instrumenting ", "Running ", "Rendering ", "Building the site", "Printing "};
  if (std::any_of(verbs.begin(), verbs.end(),
                  [&](const char* verb) { return description.starts_with(verb); })) {
    return std::string(description);
  }
  if (!description.starts_with("Building ") || description.find(".dir/") == std::string_view::npos) return {};
  const std::string lecture = find_lecture_name(description);
  return lecture.empty() ? std::string() : "Compiling " + lecture;
}

Progress::Progress() : terminal_(isatty(STDERR_FILENO) == 1) {
  if (!terminal_) return;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, clear_and_end);
}

Progress::~Progress() {
  clear();
  if (!terminal_) return;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
}

// Also called by the signal handler. (Standard error is unbuffered.)
void Progress::clear() {
  if (!drawn.exchange(false)) return;
  [[maybe_unused]] const auto written = write(STDERR_FILENO, kClear.data(), kClear.size());
}

void Progress::draw(const Status& status) const {
  std::string text = "[" + std::to_string(status.finished) + "/" + std::to_string(status.all) + "]";
  std::string steps;
  for (const std::string& description : running_) {
    const std::string step = lecture_step(description);
    if (!step.empty()) steps += (steps.empty() ? " " : ", ") + step;
  }
  if (steps.empty()) steps = " " + (running_.empty() ? std::string(status.description) : running_.front());
  text += steps;
  std::fprintf(stderr, "%s%.*s", kClear.data(), static_cast<int>(std::min(text.size(), kWidth)), text.data());
  drawn = true;
}

void Progress::advance(const Status& status) {
  const bool ended = status.finished > finished_;
  // Ninja restarts its count after it has updated its own files.
  if (status.started < started_ || (!ended && status.started == started_)) running_.clear();
  started_ = status.started;
  finished_ = status.finished;
  const auto known = std::find(running_.begin(), running_.end(), status.description);
  // Without a terminal, ninja reports only the ends of steps.
  const bool is_new = known == running_.end();
  if (!ended && is_new) running_.emplace_back(status.description);
  if (ended && !is_new) running_.erase(known);
  if (terminal_) return draw(status);
  const std::string step = is_new ? lecture_step(status.description) : "";
  if (!step.empty() && named_.insert(step).second) print("  " + step);
}

void Progress::add(std::string_view line) {
  if (skip_command_) {
    skip_command_ = false;
  } else if (const auto status = Status::parse(line)) {
    advance(*status);
  } else if (line.starts_with("FAILED: ")) {
    skip_command_ = true;
    failed_ = find_lecture_name(line);
    const std::filesystem::path output = line.substr(0, line.find_last_not_of(' ') + 1);
    if (output.extension() == ".page") {
      failed_pages_.insert(output.stem());
    } else {
      others_failed_ = true;
    }
  } else {
    add_message(line);
  }
}

void Progress::add_message(std::string_view line) {
  if (line.starts_with("ninja: ") && !line.starts_with("ninja: error")) return;
  if (line.starts_with("-- ")) return;  // CMake, which ninja runs when a lecture was added or removed
  // A header that two files of a lecture include is instrumented with each.
  if (line.starts_with("lectern: ") && !told_.emplace(line).second) return;
  std::optional<std::string> replacement = format_errors_.take(line);
  if (!replacement) replacement = hook_errors_.take(line);
  if (replacement) {
    if (replacement->empty()) return;
    clear();
    return print_message(*replacement);
  }
  clear();
  print_message(line);
  if (const std::string remedy = ambiguous_names_.remedy(line); !remedy.empty()) print_message(remedy);
  if (line.ends_with("undefined reference to `main'")) {
    print_message("lectern: " + failed_ +
                  ": there is no main() in it; a lecture is a program: add `int main() { … }`");
  }
}

void Progress::print_message(std::string_view line) {
  print(line);
  if (messages_.size() + line.size() < kMessageBytes) messages_.append(line).append("\n");
}

}  // namespace lectern::cli
