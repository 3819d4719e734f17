#pragma once

#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record/clock.h"
#include "record/cost_meter.h"
#include "record/mapped_file.h"
#include "record/output_capture.h"
#include "record/step_memory.h"

namespace lectern {

/// JSON text on one line (outside of strings, only blanks can be newlines).
std::string on_one_line(std::string_view json);

/// Adds JSON text to a list without brackets.
void add_item(std::string& list, std::string_view json);

/// What the open step shows besides its place and time, as JSON text; lists without their brackets.
struct PendingDetails {
  capture::Text out, err;
  std::string show, clear, claims, ran, collectives;
  std::vector<std::pair<std::string, std::string>> args, vars;

  bool empty() const {
    return out.empty() && err.empty() && show.empty() && clear.empty() && claims.empty() && ran.empty() &&
           collectives.empty() && args.empty() && vars.empty();
  }
};

/// Lines of steps that are held back in memory.
struct HeldSteps {
  std::string text;
  std::uint64_t steps = 0;
};

/// Writes the lines of steps. A line is begun as soon as its step begins, so that a torn file tells where the
/// program was, and completed when the next one begins; the last stays open for the supervisor, which knows
/// how the run ended.
class StepWriter {
 public:
  /// Returns whether the trace could be opened. `listeners` are those of capture::start.
  bool start(RunBlock& block, capture::Listeners listeners);

  /// Appends a definition, a whole record, before the next step.
  void append(std::string_view text) { file_.append(text); }
  void commit() { file_.commit(steps_); }

  /// Steps are written there from now on; null: to the file.
  void hold(HeldSteps* held) { held_ = held; }
  /// Writes to where steps go, between them: text, or steps that were held back.
  void write(std::string_view text);
  void write(const HeldSteps& held);

  bool is_open() const { return open_; }
  record::Spent now() const {
    record::Spent spent{.ticks = clock_.now()};
    if (record::cost_meter != nullptr) record::cost_meter->read_counters(spent);
    return spent;
  }

  /// Begins the line of a step. The previous one is closed.
  void open(int site, int stack, int enter, bool after) {
    line_ = held_ == nullptr ? file_.position() : held_->text.size();
    char* at = put(reserve(), "{\"at\":");
    at = put(at, site);
    at = put(at, ",\"in\":");
    at = put(at, stack);
    if (enter != 0) {
      at = put(at, ",\"enter\":");
      at = put(at, enter);
    }
    if (after) at = put(at, ",\"after\":true");
    advance(at);
    ++steps();
    open_ = true;
    if (held_ == nullptr) commit();
    excluded_ = {};
    frozen_ = false;
    memory_.begin_step();
    opened_ = now();
  }

  /// The open step's cost is complete; its line stays open for what may be printed until the next begins.
  void freeze(const record::Spent& now) {
    spent_ = now - opened_ - excluded_;
    memory_.take();
    frozen_ = true;
  }

  /// Completes the open line.
  void close(const record::Spent& now) {
    if (!frozen_) freeze(now);
    if (pending_.load(std::memory_order_relaxed)) write_details();
    if (record::cost_meter != nullptr) write_tensor_cost();
    advance(put_time(reserve()));
    if (held_ == nullptr) commit();  // without its end: the run may be killed before another line is begun
    advance(put(reserve(), "},\n"));
    open_ = false;
  }

  /// Retracts the open line, as if it had not been begun. Returns what it showed and what it cost.
  std::pair<PendingDetails, record::Spent> retract(const record::Spent& now);
  /// The same, and what it showed is dropped.
  void abandon() { retract(now()); }
  /// Adds what a retracted line had shown, and its cost, to the open one.
  void restore(PendingDetails details, const record::Spent& spent);

  /// The cost from now until resume() is not the lecture's.
  void suspend();
  void resume();

  /// For additions to the open step; call changed() after.
  PendingDetails& details() { return details_; }
  void changed() { pending_.store(true, std::memory_order_relaxed); }
  bool has_details() const { return pending_.load(std::memory_order_relaxed); }

  /// At the end: everything known of the open step is in the file, and its line stays open. `also_ran` adds
  /// to what the step ran unrecorded.
  void finish(std::string_view also_ran);
  /// The same from a signal handler: what can be read without locks or memory.
  void finish_in_signal_handler(std::string_view also_ran);

 private:
  std::uint64_t& steps() { return held_ == nullptr ? steps_ : held_->steps; }
  char* reserve();
  void advance(char* end);
  static char* put(char* at, std::string_view text) {
    std::memcpy(at, text.data(), text.size());
    return at + text.size();
  }
  static char* put(char* at, std::int64_t number) { return std::to_chars(at, at + 20, number).ptr; }
  char* put_time(char* at) const {
    const std::int64_t nanoseconds = clock_.nanoseconds(spent_.ticks);
    return nanoseconds == 0 ? at : put(put(at, ",\"ns\":"), nanoseconds);
  }

  void write_details();
  void write_tensor_cost();
  void take_output(bool all);
  void write_fields(const capture::Text* out, const capture::Text* err, std::string_view also_ran = {});
  void begin_field(std::string_view name);
  void write_output(std::string_view name, std::string_view cut_name, const capture::Text& text);
  void write_list(std::string_view name, std::string_view items, std::string_view more = {});
  void write_values(std::string_view name, const std::vector<std::pair<std::string, std::string>>& values);

  MappedFile file_;
  HeldSteps* held_ = nullptr;
  Clock clock_;
  std::uint64_t line_ = 0;
  std::uint64_t steps_ = 0;
  record::Spent opened_, excluded_, spent_, suspended_;
  record::StepMemory memory_;
  bool open_ = false, frozen_ = false;
  std::atomic<bool> pending_{false};  // details_ or captured output to be written
  PendingDetails details_;
};

}  // namespace lectern
