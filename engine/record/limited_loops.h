#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string_view>

#include "record/probe.h"
#include "record/step_writer.h"

namespace lectern::probe {

/// The loops with @steps that are running, innermost last. Steps of the first passes are written as they
/// come; those that follow are held back, pass by pass, until it is known whether they are among the last
/// ones. A pass begins with the loop's own step that leads to it; after the last pass that step is always
/// written. Where no last passes are asked for, nothing is written in the passes that are left out.
///
/// What is held back takes at most kMostHeld bytes; beyond it, fewer of the last passes are recorded.
class LimitedLoops {
 public:
  static constexpr std::size_t kMostHeld = 32 << 20;

  explicit LimitedLoops(StepWriter& writer) : writer_(&writer) {}

  bool empty() const { return released_ || loops_.empty(); }
  /// The frame of the loop whose current pass is not written; null if there is none.
  Frame* muted() const { return !empty() && loops_.back().muted ? loops_.back().frame : nullptr; }
  /// Whether what is written now may be left out.
  bool holding() const;

  // No line is open where these are called.

  /// A loop begins; those that it is not nested in end.
  void begin(Frame& frame, int site);
  /// A statement begins: ends the loops that do not contain it. Returns false where its step is not written.
  bool begin_statement(const Frame& frame, int site);
  /// An activation of a function of that number begins, with its first statement.
  void count_call(int function);
  /// Whether loops of the frame hold back steps, or are in a pass that is left out.
  bool has_divided(const Frame& frame) const {
    return !empty() && loops_.back().frame == &frame && holding();
  }
  /// The loops of a frame end.
  void end(const Frame& frame);
  /// Ends loops whose frames were unwound without being left; `frame` is the innermost now.
  void end_left(const Frame& frame);

  /// Whether the open line must be closed before begin_pass().
  bool needs_closed_line(const Frame& frame, int site) const;
  void begin_pass(const Frame& frame, int site);

  /// At the end of the run: writes what was held back. Allocates nothing: signal handlers call it.
  void release();

 private:
  /// How often each statement of the loop's activation ran, and how many activations of other functions
  /// began.
  struct Counts {
    std::map<int, std::int64_t> runs, calls;
    void add(const Counts& other);
  };
  struct Segment : HeldSteps {
    Counts counts;
    bool is_pass = false;  ///< the loop's own step led to one
  };
  struct Loop {
    Frame* frame = nullptr;
    int site = 0;
    Passes passes;
    std::int64_t pass = 0;
    bool headed = false;   ///< it had a step of its own
    bool divided = false;  ///< `current` has begun
    bool muted = false;
    Segment current;
    std::deque<Segment> held;  ///< passes before the current one
    std::int64_t left_out = 0;
    Counts left_counts;
    int running = -1;  ///< the statement of the activation that is not counted yet
  };

  Loop* innermost(const Frame& frame, int site);
  void count_running(Loop& loop);
  void divide(Loop& loop);
  void finish_segment(Loop& loop);
  void leave_out(Loop& loop, const Segment& segment);
  void mute(Loop& loop);
  void end_innermost();
  void bound();
  void write_left_out(const Loop& loop, const Counts* more);
  void write_counts(std::string_view& separator, const std::map<int, std::int64_t>& counts);
  void write_number(std::int64_t number);
  void redirect();

  StepWriter* writer_;
  std::deque<Loop> loops_;
  bool released_ = false;
  bool warned_ = false;
};

}  // namespace lectern::probe
