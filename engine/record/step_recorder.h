#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "record/call_stack.h"
#include "record/probe.h"
#include "record/run_block.h"
#include "record/step_writer.h"

namespace lectern::probe {

/// A statement of the lecture.
struct Statement {
  const Source* source = nullptr;
  const Site* site = nullptr;
  explicit operator bool() const { return site != nullptr; }
};

/// Turns the probes that instrumented code calls into the steps of a trace. Lives from the first registered
/// file to the end of the process, whatever static objects are made or destroyed around it. Main thread only.
class StepRecorder {
 public:
  /// The recorder of this process; null when nothing is recorded (any more).
  static StepRecorder* live() { return live_.load(std::memory_order_relaxed); }
  static void start_if_asked();
  static void stop();

  void define(Source& source);

  void enter(Frame& frame);
  void leave(Frame& frame);
  void step(Frame& frame, int site);

  /// Between these, calls into traced code record nothing and their time is not the step's. They nest.
  void suspend();
  void resume();

  /// The statement being executed (that of the caller, before a function's first).
  Statement open_statement() const;

  /// Calls update(details) on those of the open step; not while recording is suspended, unless
  /// `even_suspended`.
  template <typename Update>
  void update_details(bool even_suspended, Update&& update) {
    if (suspended_ > 0 && !even_suspended) return;
    const Busy busy(*this);
    open_for_details();
    update(writer_.details());
    writer_.changed();
  }

  RunBlock& block() { return *block_; }
  bool inside_main() const { return innermost_ != nullptr; }
  void finish() { writer_.finish(ran_on_other_threads()); }
  void finish_in_signal_handler();
  void note_other_thread(const Frame& frame);

 private:
  // While one exists, a signal handler leaves the file alone.
  class Busy {
   public:
    explicit Busy(StepRecorder& recorder) : busy_(recorder.busy_) { set(true); }
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

  // A statement whose second line was retracted because it called again: what it had shown, for when it is
  // resumed.
  struct Interrupted {
    const Frame* frame;
    PendingDetails details;
    Clock::Ticks spent;
  };

  explicit StepRecorder(RunBlock& block) : block_(&block) {}

  int begin_activations(Frame& frame);
  void intern_stack(Frame& frame);
  void note_unrecorded(const Frame& frame);
  int intern_name(const Frame& frame);
  void open_after(Frame& frame);
  void flush_interrupted(Frame& frame);
  void open_for_details();
  std::string_view ran_on_other_threads();

  static constinit std::atomic<StepRecorder*> live_;

  RunBlock* block_;
  StepWriter writer_;
  CallStackTable stacks_;
  Frame* innermost_ = nullptr;
  Frame* owner_ = nullptr;  // whose statement the open line is; null when that frame is gone
  bool after_ = false;      // the open line is a statement's second
  int suspended_ = 0;
  Clock::Ticks suspended_since_ = 0;
  std::atomic<bool> busy_{false};
  std::atomic<bool> noted_thread_{false};
  std::vector<Interrupted> interrupted_;
  std::unordered_map<const char*, int> name_numbers_;  // of instantiations, by __PRETTY_FUNCTION__
  std::vector<std::string> names_;
  std::vector<const Source*> sources_;
  int functions_ = 0, sites_ = 0;
  std::vector<bool> ran_unrecorded_;  // by function
  std::string ran_on_other_threads_;  // has room for the numbers of all functions
};

}  // namespace lectern::probe
