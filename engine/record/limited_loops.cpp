#include "record/limited_loops.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "record/recorder.h"

namespace lectern::probe {

void LimitedLoops::Counts::add(const Counts& other) {
  for (const auto& [site, count] : other.runs) runs[site] += count;
  for (const auto& [function, count] : other.calls) calls[function] += count;
}

bool LimitedLoops::holding() const {
  return !empty() && std::any_of(loops_.begin(), loops_.end(), [](const Loop& loop) { return loop.divided; });
}

void LimitedLoops::begin(Frame& frame, int site) {
  if (released_) return;
  for (Loop& loop : loops_) {
    if (loop.frame == &frame) count_running(loop);
  }
  while (!loops_.empty() && loops_.back().frame == &frame &&
         (site <= loops_.back().site || site >= loops_.back().passes.end))
    end_innermost();
  if (muted() != nullptr) return;
  Loop& loop = loops_.emplace_back();
  loop.frame = &frame;
  loop.site = site;
  loop.passes = frame.source_->sites[site].passes;
}

LimitedLoops::Loop* LimitedLoops::innermost(const Frame& frame, int site) {
  const bool running = !empty() && loops_.back().frame == &frame && loops_.back().site == site;
  return running ? &loops_.back() : nullptr;
}

void LimitedLoops::count_running(Loop& loop) {
  const int site = std::exchange(loop.running, -1);
  if (site >= 0 && loop.divided) ++loop.current.counts.runs[loop.frame->source_->first_site + site];
}

bool LimitedLoops::begin_statement(const Frame& frame, int site) {
  for (Loop& loop : loops_) {
    if (loop.frame == &frame) count_running(loop);
  }
  while (!loops_.empty() && loops_.back().frame == &frame &&
         (site < loops_.back().site || site >= loops_.back().passes.end))
    end_innermost();
  if (Loop* const loop = innermost(frame, site)) {
    const bool first = !std::exchange(loop->headed, true) && loop->pass == 0;
    if (!first && loop->pass >= loop->passes.first) divide(*loop);
  }
  for (Loop& loop : loops_) {
    if (loop.frame == &frame) loop.running = site;
  }
  bound();
  return muted() == nullptr;
}

void LimitedLoops::count_call(int function) {
  for (Loop& loop : loops_) {
    if (loop.divided) ++loop.current.counts.calls[function];
  }
}

bool LimitedLoops::needs_closed_line(const Frame& frame, int site) const {
  if (empty() || loops_.back().frame != &frame || loops_.back().site != site) return false;
  return !loops_.back().divided && loops_.back().pass >= loops_.back().passes.first;
}

void LimitedLoops::begin_pass(const Frame& frame, int site) {
  Loop* const loop = innermost(frame, site);
  if (loop == nullptr) return;  // a jump led into the loop, or it is in a pass that is left out
  ++loop->pass;
  if (loop->pass <= loop->passes.first) return;
  if (!loop->divided) divide(*loop);
  loop->current.is_pass = true;
  while (!loop->held.empty() && loop->held.size() >= static_cast<std::size_t>(loop->passes.last)) {
    leave_out(*loop, loop->held.front());
    loop->held.pop_front();
  }
  if (loop->passes.last == 0) mute(*loop);
}

/// Steps from here on may be left out.
void LimitedLoops::divide(Loop& loop) {
  finish_segment(loop);
  loop.current = {};
  loop.divided = true;
  redirect();
}

/// The current pass is held back or left out.
void LimitedLoops::finish_segment(Loop& loop) {
  if (!loop.divided) return;
  if (loop.muted) {
    leave_out(loop, loop.current);
    loop.muted = false;
    capture::suspend(false);
  } else {
    loop.held.push_back(std::move(loop.current));
  }
  loop.divided = false;
}

void LimitedLoops::leave_out(Loop& loop, const Segment& segment) {
  loop.left_counts.add(segment.counts);
  if (segment.is_pass) ++loop.left_out;
}

/// Leaves out the rest of the current pass, with what it had written.
void LimitedLoops::mute(Loop& loop) {
  while (&loops_.back() != &loop) loops_.pop_back();
  if (writer_->is_open()) writer_->abandon();
  loop.current.text.clear();
  loop.current.steps = 0;
  loop.muted = true;
  capture::suspend(true);
  redirect();
}

void LimitedLoops::end(const Frame& frame) {
  while (!loops_.empty() && loops_.back().frame == &frame) {
    count_running(loops_.back());
    end_innermost();
  }
}

void LimitedLoops::end_left(const Frame& frame) {
  const auto is_left = [&](const Frame* loop_frame) {
    for (const Frame* each = &frame; each != nullptr; each = each->caller_) {
      if (each == loop_frame) return false;
    }
    return true;
  };
  while (!loops_.empty() && is_left(loops_.back().frame)) end_innermost();
}

void LimitedLoops::end_innermost() {
  Loop loop = std::move(loops_.back());
  loops_.pop_back();
  if (loop.muted) finish_segment(loop);
  redirect();
  write_left_out(loop, nullptr);
  for (const Segment& segment : loop.held) writer_->write(segment);
  if (loop.divided) writer_->write(loop.current);
}

void LimitedLoops::bound() {
  if (!holding()) return;
  std::size_t held = 0;
  for (const Loop& loop : loops_) {
    held += loop.current.text.size();
    for (const Segment& segment : loop.held) held += segment.text.size();
  }
  if (held <= kMostHeld) return;
  if (!std::exchange(warned_, true)) {
    record::warn("the last passes of this loop take more than " + std::to_string(kMostHeld >> 20) +
                 " MB: fewer of them are recorded; ask for fewer with @steps");
  }
  for (Loop& loop : loops_) {
    while (held > kMostHeld && !loop.held.empty()) {
      held -= loop.held.front().text.size();
      leave_out(loop, loop.held.front());
      loop.held.pop_front();
    }
  }
  const auto outermost =
      std::find_if(loops_.begin(), loops_.end(), [](const Loop& loop) { return loop.divided; });
  if (held > kMostHeld && !outermost->muted) mute(*outermost);
}

/// Steps are written to the innermost pass that is held back; the file where there is none.
void LimitedLoops::redirect() {
  const auto target = std::find_if(loops_.rbegin(), loops_.rend(),
                                   [](const Loop& loop) { return loop.divided && !loop.muted; });
  writer_->hold(target == loops_.rend() ? nullptr : &target->current);
}

void LimitedLoops::release() {
  if (empty()) return;
  writer_->hold(nullptr);
  for (const Loop& loop : loops_) {
    write_left_out(loop, loop.muted ? &loop.current.counts : nullptr);
    for (const Segment& segment : loop.held) writer_->write(segment);
    if (loop.divided && !loop.muted) writer_->write(loop.current);
  }
  if (loops_.back().muted) capture::suspend(false);
  released_ = true;
}

void LimitedLoops::write_left_out(const Loop& loop, const Counts* more) {
  if (loop.left_out == 0 && (more == nullptr || more->runs.empty())) return;
  writer_->write("{\"left_out\":");
  write_number(loop.frame->source_->first_site + loop.site);
  writer_->write(",\"in\":");
  write_number(loop.frame->stack_);
  if (loop.left_out > 0) {
    writer_->write(",\"passes\":");
    write_number(loop.left_out);
  }
  for (const auto& [name, counts] :
       {std::pair(",\"runs\":[", &Counts::runs), std::pair(",\"calls\":[", &Counts::calls)}) {
    std::string_view separator = name;
    write_counts(separator, loop.left_counts.*counts);
    if (more != nullptr) write_counts(separator, more->*counts);
    if (separator == ",") writer_->write("]");
  }
  writer_->write("},\n");
}

void LimitedLoops::write_counts(std::string_view& separator, const std::map<int, std::int64_t>& counts) {
  for (const auto& [number, count] : counts) {
    writer_->write(std::exchange(separator, ","));
    writer_->write("[");
    write_number(number);
    writer_->write(",");
    write_number(count);
    writer_->write("]");
  }
}

void LimitedLoops::write_number(std::int64_t number) {
  std::array<char, 20> digits;
  const char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  writer_->write(std::string_view(digits.data(), static_cast<std::size_t>(end - digits.data())));
}

}  // namespace lectern::probe
