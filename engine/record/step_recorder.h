#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "record/call_stack.h"
#include "record/limited_loops.h"
#include "record/probe.h"
#include "record/run_block.h"
#include "record/shown_locals.h"
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
  void begin_loop(Frame& frame, int site);
  void begin_pass(Frame& frame, int site);

  /// Between these, calls into traced code record nothing and their time is not the step's. They nest.
  void suspend();
  void resume();

  /// Returns whether the trace does not have this value of a variable yet. Steps that are held back may never
  /// be written.
  bool note_local(Frame& frame, std::string_view name, std::string_view json, SiteRange scope) {
    return locals_.note(frame, name, json, scope) || loops_.holding();
  }
  void add_argument(Frame& frame, std::string_view name, std::string_view json) {
    locals_.add_argument(frame, name, json);
  }

  /// The statement being executed (that of the caller, before a function's first).
  Statement open_statement() const;

  /// Calls update(details) on those of the open step; not while recording is suspended, unless
  /// `even_suspended`.
  template <typename Update>
  void update_details(bool even_suspended, Update&& update) {
    if ((suspended_ > 0 && !even_suspended) || in_left_out_pass()) return;
    const Busy busy(*this);
    open_for_details();
    update(writer_.details());
    writer_.changed();
  }

  RunBlock& block() { return *block_; }
  bool inside_main() const { return innermost_ != nullptr; }
  /// Whether the statement is in a pass that @steps leaves out.
  bool in_left_out_pass() const { return loops_.muted() != nullptr; }
  /// Whether a claim that fails in this statement is no more than recorded.
  bool claims_go_on() const {
    const Source* const source = open_statement().source;
    return source != nullptr && source->exercise && suspended_ == 0 && !loops_.holding();
  }
  /// The run is about to end in this statement: no pass is left out, or held back, any more.
  void release_loops();
  void finish();
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
    record::Spent spent;
  };

  explicit StepRecorder(RunBlock& block) : block_(&block) {}

  void add_arguments(const Frame& frame);
  void close_line(Frame& frame, const record::Spent& now);
  void leave_out(Frame& frame, int site);
  void end_loops(const Frame& frame, bool jumped, const record::Spent& now);
  int begin_activations(Frame& frame);
  void intern_stack(Frame& frame);
  void note_unrecorded(const Frame& frame);
  void add_unrecorded();
  int intern_name(const Frame& frame);
  void open_after(Frame& frame);
  void flush_interrupted(Frame& frame);
  void open_for_details();
  static void begin_output();
  std::string_view ran_on_other_threads();

  static constinit std::atomic<StepRecorder*> live_;

  RunBlock* block_;
  StepWriter writer_;
  LimitedLoops loops_{writer_};
  ShownLocals locals_;
  CallStackTable stacks_;
  Frame* innermost_ = nullptr;
  Frame* owner_ = nullptr;  // whose statement the open line is; null when that frame is gone
  Frame* over_ = nullptr;   // in a call that is stepped over because of the function's definition
  bool after_ = false;      // the open line is a statement's second
  bool printed_ = false;    // something was printed since it was begun
  int suspended_ = 0;
  std::atomic<bool> busy_{false};
  std::atomic<bool> noted_thread_{false};
  std::vector<Interrupted> interrupted_;
  std::unordered_map<const char*, int> name_numbers_;  // of instantiations, by __PRETTY_FUNCTION__
  std::vector<std::string> names_;
  std::vector<const Source*> sources_;
  int functions_ = 0, sites_ = 0;
  std::vector<bool> ran_unrecorded_;  // by function
  std::vector<int> unrecorded_;       // those that no step names yet
  std::string ran_on_other_threads_;  // has room for the numbers of all functions
};

}  // namespace lectern::probe
