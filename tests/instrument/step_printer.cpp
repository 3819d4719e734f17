// The run-time side of probes for the construct fixtures: writes one line a step, "function:line" indented by
// the depth of the stack, to the file that LECTERN_STEPS names. A statement that called into traced code has
// a second line with " after"; what directives show follows its step, behind a bar.

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <thread>

#include "record/inspect.h"

namespace lectern::probe {

namespace {

Frame* innermost = nullptr;
int depth = 0;
int silent = 0;  // while directives evaluate their expressions
Frame* over = nullptr;

/// The first to ask is the main one, be it from an initialiser before main.
bool on_main_thread() {
  static const std::thread::id main_thread = std::this_thread::get_id();
  return std::this_thread::get_id() == main_thread;
}

std::FILE* output() {
  static std::FILE* const file = [] {
    const char* path = std::getenv("LECTERN_STEPS");
    return path != nullptr ? std::fopen(path, "w") : nullptr;
  }();
  return file;
}

void print(const Source& source, int site, const char* after) {
  if (output() == nullptr) return;
  const Site& place = source.sites[site];
  std::fprintf(output(), "%*s%s:%d%s\n", 2 * (depth - 1), "", source.functions[place.function].name,
               place.span.line, after);
  std::fflush(output());
}

}  // namespace

bool add_source(Source&) {
  return true;
}

void Frame::end_pass(int site) {
  const bool returns = site_ >= 0 && source_->sites[site_].kind == SiteKind::return_;
  if (!returns && std::uncaught_exceptions() <= uncaught_) coming(site);
}

void Frame::enter() {
  if (!on_main_thread() || silent > 0 || over != nullptr) return;
  if (innermost != nullptr && innermost->coming_ >= 0) {
    innermost->step(innermost->coming_);
    innermost->come_ = true;
  }
  if (innermost != nullptr && innermost->site_ >= 0 && innermost->source_->sites[innermost->site_].over)
    return;
  active_ = true;
  if (source_->functions[function_].over) {
    over = this;
    return;
  }
  caller_ = innermost;
  innermost = this;
  uncaught_ = std::uncaught_exceptions();
  ++depth;
}

void Frame::step(int site) {
  coming(-1);
  if (site_ >= 0 && interrupted_) print(*source_, site_, " after");
  for (Frame* caller = caller_; caller != nullptr; caller = caller->caller_) caller->interrupted_ = true;
  interrupted_ = false;
  site_ = site;
  print(*source_, site, "");
}

void Frame::begin_loop(int site) {
  const Passes& passes = source_->sites[site].passes;
  if (output() != nullptr)
    std::fprintf(output(), "%*s(first %d last %d)\n", 2 * (depth - 1), "", passes.first, passes.last);
}

void Frame::begin_pass(int) {
  if (output() != nullptr) std::fprintf(output(), "%*s(pass)\n", 2 * (depth - 1), "");
}

void Frame::leave() {
  if (over == this) {
    over = nullptr;
    return;
  }
  const bool returns = site_ >= 0 && source_->sites[site_].kind == SiteKind::return_;
  if (site_ >= 0 && interrupted_ && !returns && std::uncaught_exceptions() == uncaught_) {
    print(*source_, site_, " after");
  }
  innermost = caller_;
  --depth;
}

void Inspection::begin() const {
  ++silent;
}
void Inspection::end() const {
  --silent;
}

void print_shown(const char* text, const std::string& value) {
  if (output() != nullptr) std::fprintf(output(), "%*s| %s = %s\n", 2 * (depth - 1), "", text, value.c_str());
}
void Inspection::clear_at_run_time(const char* name) const {
  if (output() != nullptr) std::fprintf(output(), "%*s| %s cleared\n", 2 * (depth - 1), "", name);
}

void Inspection::show_thrown(const char* text) const {
  try {
    throw;
  } catch (const std::exception& error) {
    print_shown(text, error.what());
  }
}

void claim_at_run_time(bool held, const char*) {
  if (!held) std::abort();
}

}  // namespace lectern::probe
