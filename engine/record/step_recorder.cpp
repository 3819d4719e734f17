#include "record/step_recorder.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <exception>
#include <utility>

#include "record/definitions.h"
#include "record/endings.h"
#include "record/json_sink.h"
#include "record/main_thread.h"
#include "record/recorder.h"
#include "record/template_name.h"

namespace lectern {

namespace {

void warn_of_full_budget() {
  record::warn("the lecture has printed " + std::to_string(capture::kRunLimit >> 20) +
               " MB: what it prints from here on is passed on, but not recorded; print less");
}

}  // namespace

namespace probe {

constinit std::atomic<StepRecorder*> StepRecorder::live_{nullptr};

void StepRecorder::start_if_asked() {
  RunBlock* const block = RunBlock::attach();
  if (block == nullptr) return;
  auto* const recorder = new StepRecorder(*block);
  if (!recorder->writer_.start(*block, {.on_print = begin_output, .on_full = warn_of_full_budget})) {
    block->failure.store(errno);
    return;
  }
  recorder->writer_.append(document_header(*block));
  recorder->writer_.commit();
  on_main_thread = true;
  live_.store(recorder, std::memory_order_release);
  watch_endings();
}

void StepRecorder::stop() {
  live_.store(nullptr, std::memory_order_release);
  capture::stop();
}

void StepRecorder::define(Source& source) {
  const Busy busy(*this);
  if (writer_.is_open()) {
    writer_.close(writer_.now());
    owner_ = nullptr;
    if (innermost_ != nullptr) innermost_->interrupted_ = innermost_->site_ >= 0;
  }
  if (source.exercise) block_->exercise = 1;
  source.first_function = functions_;
  source.first_site = sites_;
  functions_ += source.function_count;
  sites_ += source.site_count;
  const auto count = static_cast<std::size_t>(source.function_count);
  source.ran_on_other_thread = new bool[count]{};  // never deleted: threads may run to the very end
  constexpr std::size_t kLongestNumber = 11;       // with its comma
  ran_on_other_threads_.reserve(static_cast<std::size_t>(functions_) * kLongestNumber);
  writer_.append(source_definition(source, static_cast<int>(sources_.size())));
  sources_.push_back(&source);
  writer_.commit();
}

void StepRecorder::enter(Frame& frame) {
  if (suspended_ > 0) return;
  if (innermost_ != nullptr && innermost_->coming_ >= 0) {
    step(*innermost_, innermost_->coming_);
    innermost_->come_ = true;
  }
  const bool over =
      innermost_ != nullptr && innermost_->site_ >= 0 && innermost_->source_->sites[innermost_->site_].over;
  if (over || over_ != nullptr) return note_unrecorded(frame);
  if (frame.source_->functions[frame.function_].over) {
    over_ = &frame;
    frame.active_ = true;
    return note_unrecorded(frame);
  }
  frame.caller_ = innermost_;
  frame.uncaught_ = std::uncaught_exceptions();
  frame.active_ = true;
  innermost_ = &frame;
}

// Once for each function, so that pages do not call it unreached.
void StepRecorder::note_unrecorded(const Frame& frame) {
  const int number = frame.source_->first_function + frame.function_;
  const auto function = static_cast<std::size_t>(number);
  if (function >= ran_unrecorded_.size()) ran_unrecorded_.resize(static_cast<std::size_t>(functions_));
  if (ran_unrecorded_[function]) return;
  ran_unrecorded_[function] = true;
  unrecorded_.push_back(number);
  add_unrecorded();
}

// Not to a step that may be left out.
void StepRecorder::add_unrecorded() {
  if (unrecorded_.empty() || loops_.holding()) return;
  update_details(false, [&](PendingDetails& details) {
    for (const int number : unrecorded_) add_item(details.ran, std::to_string(number));
    unrecorded_.clear();
  });
}

void StepRecorder::step(Frame& frame, int site) {
  const record::Spent now = writer_.now();
  const Busy busy(*this);
  over_ = nullptr;  // longjmp left it
  frame.coming(-1);
  close_line(frame, now);
  if (frame.locals_ >= 0) locals_.begin_statement(frame, site);
  if (!loops_.empty() && !loops_.begin_statement(frame, site)) return leave_out(frame, site);
  const int begun = frame.entered_ ? 0 : begin_activations(frame);
  owner_ = &frame;
  frame.interrupted_ = false;
  frame.site_ = site;
  writer_.open(frame.source_->first_site + site, frame.stack_, begun, false);
  if (frame.locals_ >= 0) add_arguments(frame);
  if (!unrecorded_.empty()) add_unrecorded();
}

// To the first step of an activation.
void StepRecorder::add_arguments(const Frame& frame) {
  ShownLocals::Values arguments = locals_.take_arguments(frame);
  if (arguments.empty()) return;
  writer_.details().args = std::move(arguments);
  writer_.changed();
}

// Before a statement of the frame begins.
void StepRecorder::close_line(Frame& frame, const record::Spent& now) {
  if (owner_ == &frame) {
    writer_.close(now);
    owner_ = nullptr;
    after_ = false;
    return;
  }
  // longjmp leaves frames without destroying them.
  const bool jumped = innermost_ != &frame;
  if (jumped) owner_ = nullptr;
  innermost_ = &frame;
  if (owner_ != nullptr && after_ && !printed_) {
    auto [details, spent] = writer_.retract(now);
    interrupted_.push_back({owner_, std::move(details), spent});
  } else if (writer_.is_open()) {
    writer_.close(now);
  }
  flush_interrupted(frame);
  owner_ = nullptr;
  after_ = false;
  if (jumped && !loops_.empty()) loops_.end_left(frame);
}

// The statement of a pass that is not recorded.
void StepRecorder::leave_out(Frame& frame, int site) {
  for (Frame* f = &frame; f != nullptr && !f->entered_; f = f->caller_) {
    f->entered_ = true;
    loops_.count_call(f->source_->first_function + f->function_);
  }
  frame.interrupted_ = false;
  frame.site_ = site;
}

void StepRecorder::begin_loop(Frame& frame, int site) {
  const record::Spent now = writer_.now();
  const Busy busy(*this);
  close_line(frame, now);
  loops_.begin(frame, site);
}

void StepRecorder::begin_pass(Frame& frame, int site) {
  const bool divides = loops_.needs_closed_line(frame, site);
  if (divides && !frame.entered_) step(frame, site);  // what is left out must not announce the activation
  const record::Spent now = writer_.now();
  const Busy busy(*this);
  if (divides) close_line(frame, now);
  loops_.begin_pass(frame, site);
  if (in_left_out_pass()) owner_ = nullptr;
}

void StepRecorder::release_loops() {
  const Frame* const frame = loops_.muted();
  loops_.release();
  if (frame != nullptr) writer_.open(frame->source_->first_site + frame->site_, frame->stack_, 0, false);
}

void StepRecorder::finish() {
  {
    const Busy busy(*this);
    release_loops();
  }
  if (writer_.is_open()) add_unrecorded();
  writer_.finish(ran_on_other_threads());
}

// Numbers the stacks of the activations that had no step yet; returns how many there are.
int StepRecorder::begin_activations(Frame& frame) {
  int begun = 0;
  for (Frame* f = &frame; f != nullptr && !f->entered_; f = f->caller_) {
    f->entered_ = true;
    ++begun;
    if (!loops_.empty()) loops_.count_call(f->source_->first_function + f->function_);
    if (f->caller_ != nullptr) f->caller_->interrupted_ = true;
  }
  intern_stack(frame);
  return begun;
}

void StepRecorder::intern_stack(Frame& frame) {
  while (frame.stack_ < 0) {
    Frame* outer = &frame;
    while (outer->caller_ != nullptr && outer->caller_->stack_ < 0) outer = outer->caller_;
    const Frame* const caller = outer->caller_;
    const int name = intern_name(*outer);
    const CallStack stack{.parent = caller == nullptr ? -1 : caller->stack_,
                          .call_site = caller == nullptr || caller->site_ < 0
                                           ? -1
                                           : caller->source_->first_site + caller->site_,
                          .function = outer->source_->first_function + outer->function_,
                          .name = name};
    const auto [entry, fresh] = stacks_.try_emplace(stack, static_cast<int>(stacks_.size()));
    outer->stack_ = entry->second;
    if (fresh) {
      writer_.append(
          stack_definition(entry->second, stack, name < 0 ? "" : names_[static_cast<std::size_t>(name)]));
    }
  }
}

// -1 for a function that is no template.
int StepRecorder::intern_name(const Frame& frame) {
  if (frame.pretty_ == nullptr) return -1;
  const auto [entry, fresh] = name_numbers_.try_emplace(frame.pretty_, -1);
  if (fresh) {
    const char* const plain = frame.source_->functions[frame.function_].name;
    const std::string text = instantiated_name(plain, frame.pretty_);
    if (text != plain) {
      const auto known = std::find(names_.begin(), names_.end(), text);
      entry->second = static_cast<int>(known - names_.begin());
      if (known == names_.end()) names_.push_back(text);
    }
  }
  return entry->second;
}

void StepRecorder::leave(Frame& frame) {
  if (over_ == &frame) {
    over_ = nullptr;
    return;
  }
  const record::Spent now = writer_.now();
  const Busy busy(*this);
  if (frame.locals_ >= 0) locals_.leave(frame);
  const bool jumped = innermost_ != &frame;
  if (jumped) owner_ = nullptr;
  if (owner_ == &frame) {
    writer_.freeze(now);
    owner_ = nullptr;
  }
  flush_interrupted(frame);
  if (!loops_.empty()) end_loops(frame, jumped, now);
  innermost_ = frame.caller_;
  if (in_left_out_pass()) return;
  if (owner_ != nullptr || innermost_ == nullptr || !innermost_->interrupted_) return;
  const SiteKind kind = innermost_->source_->sites[innermost_->site_].kind;
  if (kind == SiteKind::return_ || kind == SiteKind::throw_) return;
  // Nor does a statement go on that an exception leaves, whatever destructors it runs.
  if (std::uncaught_exceptions() <= innermost_->uncaught_) open_after(*innermost_);
}

void StepRecorder::end_loops(const Frame& frame, bool jumped, const record::Spent& now) {
  if (writer_.is_open() && (jumped || loops_.has_divided(frame))) {
    writer_.close(now);
    owner_ = nullptr;
  }
  if (jumped) loops_.end_left(frame);
  loops_.end(frame);
}

// Begins the second line of a statement that called into traced code; retracted if it calls again before it
// prints.
void StepRecorder::open_after(Frame& frame) {
  if (writer_.is_open()) writer_.close(writer_.now());
  owner_ = &frame;
  after_ = true;
  printed_ = false;
  writer_.open(frame.source_->first_site + frame.site_, frame.stack_, 0, true);
  if (interrupted_.empty() || interrupted_.back().frame != &frame) return;
  writer_.restore(std::move(interrupted_.back().details), interrupted_.back().spent);
  interrupted_.pop_back();
}

// Writes a line for what a statement of the frame had shown before an exception ended it.
void StepRecorder::flush_interrupted(Frame& frame) {
  if (interrupted_.empty() || interrupted_.back().frame != &frame) return;
  if (!interrupted_.back().details.empty() && !in_left_out_pass()) {
    open_after(frame);
    writer_.freeze(writer_.now());
    owner_ = nullptr;
    writer_.close({});
  } else {
    interrupted_.pop_back();
  }
}

// A return, or a statement that caught an exception from traced code, has no second line unless it shows
// or prints something.
void StepRecorder::open_for_details() {
  if (owner_ == nullptr && innermost_ != nullptr && innermost_->interrupted_) open_after(*innermost_);
}

// What a return prints after a call is its own, too; what a statement prints between two calls stays there,
// for the second may print as well.
void StepRecorder::begin_output() {
  StepRecorder* const recorder = live();
  if (recorder == nullptr || recorder->suspended_ > 0 || recorder->in_left_out_pass()) return;
  const Frame* const frame = recorder->innermost_;
  const bool busy = recorder->busy_.load(std::memory_order_relaxed);
  if (!busy && frame != nullptr && std::uncaught_exceptions() <= frame->uncaught_) {
    const Busy now(*recorder);
    recorder->open_for_details();
  }
  recorder->printed_ = true;
}

void StepRecorder::suspend() {
  if (suspended_++ > 0) return;
  writer_.suspend();
  capture::suspend(true);
}

void StepRecorder::resume() {
  if (--suspended_ > 0) return;
  capture::suspend(in_left_out_pass());
  writer_.resume();
}

Statement StepRecorder::open_statement() const {
  const Frame* frame = innermost_;
  while (frame != nullptr && frame->site_ < 0) frame = frame->caller_;
  if (frame == nullptr) return {};
  return {frame->source_, &frame->source_->sites[frame->site_]};
}

void StepRecorder::finish_in_signal_handler() {
  if (busy_.load(std::memory_order_relaxed)) return;
  release_loops();
  writer_.finish_in_signal_handler(ran_on_other_threads());
}

void StepRecorder::note_other_thread(const Frame& frame) {
  if (frame.source_->ran_on_other_thread == nullptr) return;
  const std::atomic_ref<bool> ran(frame.source_->ran_on_other_thread[frame.function_]);
  if (ran.load(std::memory_order_relaxed)) return;
  ran.store(true, std::memory_order_relaxed);
  if (noted_thread_.exchange(true)) return;
  const Function& function = frame.source_->functions[frame.function_];
  capture::print_diagnostic(std::string(frame.source_->path) + ":" + std::to_string(function.span.line) +
                            ": warning: " + function.name +
                            " runs on another thread than main: stepped over there");
}

// The numbers of the functions that other threads ran, for the last step, because when they ran differs
// between runs. Allocates nothing: signal handlers call it.
std::string_view StepRecorder::ran_on_other_threads() {
  ran_on_other_threads_.clear();
  for (const Source* source : sources_) {
    for (int i = 0; i < source->function_count; ++i) {
      const int number = source->first_function + i;
      const auto index = static_cast<std::size_t>(number);
      const bool known = index < ran_unrecorded_.size() && ran_unrecorded_[index];
      const std::atomic_ref<bool> ran(source->ran_on_other_thread[i]);
      if (known || !ran.load(std::memory_order_relaxed)) continue;
      std::array<char, 10> digits;
      const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
      if (!ran_on_other_threads_.empty()) ran_on_other_threads_ += ',';
      ran_on_other_threads_.append(static_cast<const char*>(digits.data()), end);
    }
  }
  return ran_on_other_threads_;
}

}  // namespace probe
}  // namespace lectern
