#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "record/probe.h"
#include "record/run_block.h"
#include "record/stack_table.h"
#include "record/step_writer.h"

namespace lectern::probe {

/// One recording: what the frames of instrumented code do to the trace. Lives from the first registered file
/// to the end of the process, whatever static objects are made or destroyed around it. Main thread only.
class Recorder {
 public:
  /// The recording of this process; null when there is none (any more).
  static Recorder* live() { return live_.load(std::memory_order_relaxed); }
  static void start_if_asked();
  static void stop();

  void define(Source& source);

  void enter(Frame& frame);
  void leave(Frame& frame);
  void step(Frame& frame, int site);

  void begin_inspection();
  void end_inspection();

  /// The statement being executed (that of the caller, before a function's first) and its file; null when
  /// there is none.
  const Site* open_site() const;
  const Source* open_source() const;

  /// The details of the step that is open, to be added to; null while an expression is inspected, unless
  /// `inspected`.
  template <typename Change>
  void change(bool inspected, Change&& change_details) {
    if (suspended_ > 0 && !inspected) return;
    const Busy busy(*this);
    open_for_details();
    change_details(writer_.details());
    writer_.changed();
  }

  RunBlock& block() { return *block_; }
  bool inside_main() const { return innermost_ != nullptr; }
  void finish() { writer_.finish(ran_elsewhere()); }
  void finish_in_signal_handler();
  void note_other_thread(const Frame& frame);

 private:
  // While one exists, a signal handler leaves the file alone.
  class Busy {
   public:
    explicit Busy(Recorder& recorder) : busy_(recorder.busy_) { set(true); }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;
    ~Busy() { set(false); }

   private:
    void set(bool value) {
      std::atomic_signal_fence(std::memory_order_seq_cst);
      busy_.store(value, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    std::atomic<bool>& busy_;
  };

  // A statement's line that was taken back because the statement called on: what it had shown, for when it is
  // resumed.
  struct Interrupted {
    const Frame* frame;
    StepDetails details;
    Clock::Ticks spent;
  };

  explicit Recorder(RunBlock& block) : block_(&block) {}

  const Frame* stepping_frame() const;
  void write_header();
  void first_step(Frame& frame);
  int begin_activations(Frame& frame);
  void intern_stack(Frame& frame);
  void note_unrecorded(const Frame& frame);
  int name_of(const Frame& frame);
  void open_after(Frame& frame);
  void settle(Frame& frame);
  void open_for_details();
  bool steps_over(const Frame& caller) const;
  std::string_view ran_elsewhere();

  static constinit std::atomic<Recorder*> live_;

  RunBlock* block_;
  StepWriter writer_;
  StackTable stacks_;
  Frame* innermost_ = nullptr;
  Frame* owner_ = nullptr;  // whose statement the open line is; null when that frame is gone
  bool after_ = false;      // the open line is a statement's second
  int suspended_ = 0;
  Clock::Ticks inspection_began_ = 0;
  std::atomic<bool> busy_{false};
  std::atomic<bool> noted_thread_{false};
  std::vector<Interrupted> interrupted_;
  std::unordered_map<const char*, int> names_;  // of instantiations, by __PRETTY_FUNCTION__
  std::vector<std::string> name_texts_;
  std::vector<const Source*> sources_;
  int functions_ = 0, sites_ = 0;
  std::vector<bool> ran_unrecorded_;  // by function
  std::string ran_elsewhere_;         // has room for the numbers of all functions
};

}  // namespace lectern::probe
