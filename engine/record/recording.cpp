#include "record/recording.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <exception>

#include "record/definitions.h"
#include "record/main_thread.h"
#include "record/recorder.h"
#include "record/template_name.h"

namespace lectern {

constinit thread_local bool on_main_thread = false;

namespace probe {

constinit std::atomic<Recorder*> Recorder::live_{nullptr};

void Frame::enter() {
  Recorder* const recorder = Recorder::live();
  if (recorder == nullptr) return;
  if (on_main_thread) {
    recorder->enter(*this);
  } else {
    recorder->note_other_thread(*this);
  }
}

void Frame::leave() {
  if (Recorder* const recorder = Recorder::live()) recorder->leave(*this);
}

void Frame::step(int site) {
  if (Recorder* const recorder = Recorder::live()) recorder->step(*this, site);
}

bool Recorder::steps_over(const Frame& caller) const {
  return caller.site_ >= 0 && caller.source_->sites[caller.site_].over;
}

void Recorder::enter(Frame& frame) {
  if (suspended_ > 0) return;
  if (innermost_ != nullptr && steps_over(*innermost_)) return note_unrecorded(frame);
  frame.caller_ = innermost_;
  frame.uncaught_ = std::uncaught_exceptions();
  frame.active_ = true;
  innermost_ = &frame;
}

// Once for each function: a page must not say of it that it never ran.
void Recorder::note_unrecorded(const Frame& frame) {
  const int number = frame.source_->first_function + frame.function_;
  const auto function = static_cast<std::size_t>(number);
  if (function >= ran_unrecorded_.size()) ran_unrecorded_.resize(static_cast<std::size_t>(functions_));
  if (ran_unrecorded_[function]) return;
  ran_unrecorded_[function] = true;
  change(false, [&](StepDetails& details) { add_item(details.ran, std::to_string(number)); });
}

void Recorder::step(Frame& frame, int site) {
  const Clock::Ticks now = writer_.now();
  const Busy busy(*this);
  int begun = 0;
  if (owner_ == &frame) {
    writer_.close(now);
  } else {
    // A jump past frames (longjmp) leaves them without a word.
    if (innermost_ != &frame) {
      innermost_ = &frame;
      owner_ = nullptr;
    }
    if (owner_ != nullptr && after_) {
      auto [details, spent] = writer_.take_back(now);
      interrupted_.push_back({owner_, std::move(details), spent});
    } else if (writer_.is_open()) {
      writer_.close(now);
    }
    settle(frame);
    if (!frame.entered_) begun = begin_activations(frame);
    owner_ = &frame;
  }
  after_ = false;
  frame.interrupted_ = false;
  frame.site_ = site;
  writer_.open(frame.source_->first_site + site, frame.stack_, begun, false);
}

// Numbers the stacks of the activations that had no step yet; returns how many there are.
int Recorder::begin_activations(Frame& frame) {
  int begun = 0;
  for (Frame* f = &frame; f != nullptr && !f->entered_; f = f->caller_) {
    f->entered_ = true;
    ++begun;
    if (f->caller_ != nullptr) f->caller_->interrupted_ = true;
  }
  intern_stack(frame);
  return begun;
}

void Recorder::intern_stack(Frame& frame) {
  while (frame.stack_ < 0) {
    Frame* outer = &frame;
    while (outer->caller_ != nullptr && outer->caller_->stack_ < 0) outer = outer->caller_;
    const Frame* const caller = outer->caller_;
    const int name = name_of(*outer);
    const StackTable::Stack stack{
        .parent = caller == nullptr ? -1 : caller->stack_,
        .call = caller == nullptr || caller->site_ < 0 ? -1 : caller->source_->first_site + caller->site_,
        .function = outer->source_->first_function + outer->function_,
        .name = name};
    const auto [number, fresh] = stacks_.intern(stack);
    outer->stack_ = number;
    if (fresh) {
      writer_.append(
          stack_definition(number, stack, name < 0 ? "" : name_texts_[static_cast<std::size_t>(name)]));
    }
  }
}

// -1 for a function that is no template.
int Recorder::name_of(const Frame& frame) {
  if (frame.pretty_ == nullptr) return -1;
  const auto [entry, fresh] = names_.try_emplace(frame.pretty_, -1);
  if (fresh) {
    const char* const plain = frame.source_->functions[frame.function_].name;
    const std::string text = instantiated_name(plain, frame.pretty_);
    if (text != plain) {
      const auto known = std::find(name_texts_.begin(), name_texts_.end(), text);
      entry->second = static_cast<int>(known - name_texts_.begin());
      if (known == name_texts_.end()) name_texts_.push_back(text);
    }
  }
  return entry->second;
}

void Recorder::leave(Frame& frame) {
  const Clock::Ticks now = writer_.now();
  const Busy busy(*this);
  if (innermost_ != &frame) owner_ = nullptr;
  if (owner_ == &frame) {
    writer_.freeze(now);
    owner_ = nullptr;
  }
  settle(frame);
  innermost_ = frame.caller_;
  if (owner_ != nullptr || innermost_ == nullptr || !innermost_->interrupted_) return;
  const Kind kind = innermost_->source_->sites[innermost_->site_].kind;
  if (kind == Kind::return_ || kind == Kind::throw_) return;
  if (std::uncaught_exceptions() <= frame.uncaught_) open_after(*innermost_);
}

// Begins the second line of a statement that called into traced code: taken back should it call again.
void Recorder::open_after(Frame& frame) {
  if (writer_.is_open()) writer_.close(writer_.now());
  owner_ = &frame;
  after_ = true;
  writer_.open(frame.source_->first_site + frame.site_, frame.stack_, 0, true);
  if (interrupted_.empty() || interrupted_.back().frame != &frame) return;
  writer_.give(std::move(interrupted_.back().details), interrupted_.back().spent);
  interrupted_.pop_back();
}

// Gives a line to what a statement of the frame had shown when an exception ended it.
void Recorder::settle(Frame& frame) {
  if (interrupted_.empty() || interrupted_.back().frame != &frame) return;
  if (!interrupted_.back().details.empty()) {
    open_after(frame);
    writer_.freeze(writer_.now());
    owner_ = nullptr;
    writer_.close(0);
  } else {
    interrupted_.pop_back();
  }
}

// A return, or a statement that caught an exception from traced code, has no second line unless it shows
// something.
void Recorder::open_for_details() {
  if (owner_ == nullptr && innermost_ != nullptr && innermost_->interrupted_) open_after(*innermost_);
}

void Recorder::begin_inspection() {
  if (suspended_++ > 0) return;
  inspection_began_ = writer_.now();
  capture::suspend(true);
}

void Recorder::end_inspection() {
  if (--suspended_ > 0) return;
  capture::suspend(false);
  writer_.exclude(writer_.now() - inspection_began_);
}

const Frame* Recorder::stepping_frame() const {
  const Frame* frame = innermost_;
  while (frame != nullptr && frame->site_ < 0) frame = frame->caller_;
  return frame;
}

const Site* Recorder::open_site() const {
  const Frame* const frame = stepping_frame();
  return frame == nullptr ? nullptr : &frame->source_->sites[frame->site_];
}

const Source* Recorder::open_source() const {
  const Frame* const frame = stepping_frame();
  return frame == nullptr ? nullptr : frame->source_;
}

void Recorder::finish_in_signal_handler() {
  if (!busy_.load(std::memory_order_relaxed)) writer_.finish_in_signal_handler(ran_elsewhere());
}

void Recorder::note_other_thread(const Frame& frame) {
  if (frame.source_->ran_elsewhere == nullptr) return;
  const std::atomic_ref<bool> ran(frame.source_->ran_elsewhere[frame.function_]);
  if (ran.load(std::memory_order_relaxed)) return;
  ran.store(true, std::memory_order_relaxed);
  if (noted_thread_.exchange(true)) return;
  const Function& function = frame.source_->functions[frame.function_];
  capture::tell(std::string(frame.source_->path) + ":" + std::to_string(function.span.line) +
                ": warning: " + function.name + " runs on another thread than main: stepped over there");
}

// The numbers of the functions that other threads ran, for the last step: when they did differs from run to
// run. Takes no memory, for the sake of signal handlers.
std::string_view Recorder::ran_elsewhere() {
  ran_elsewhere_.clear();
  for (const Source* source : sources_) {
    for (int i = 0; i < source->function_count; ++i) {
      const int number = source->first_function + i;
      const auto index = static_cast<std::size_t>(number);
      const bool known = index < ran_unrecorded_.size() && ran_unrecorded_[index];
      const std::atomic_ref<bool> ran(source->ran_elsewhere[i]);
      if (known || !ran.load(std::memory_order_relaxed)) continue;
      std::array<char, 10> digits;
      const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
      if (!ran_elsewhere_.empty()) ran_elsewhere_ += ',';
      ran_elsewhere_.append(static_cast<const char*>(digits.data()), end);
    }
  }
  return ran_elsewhere_;
}

}  // namespace probe
}  // namespace lectern
