#pragma once

// What instrumented code calls. `lectern instrument` places these calls between the statements of a lecture;
// nobody writes them by hand. Cheap to include on purpose: every lecture file includes it first.
//
// A traced function begins with a Frame; each statement is preceded by frame.at(site). What a statement's
// directives ask for follows it: frame.inspecting().show("x", x). Nothing is recorded when no trace was asked
// for (a lecture run without `lectern run`), in a forked child, on threads other than the main one, or during
// constant evaluation.

#include <cstdint>
#include <type_traits>

#include "trace/site_kind.h"

namespace lectern::probe {

/// @steps: how many passes of a loop are recorded at its beginning and at its end. The statements in the loop
/// have the numbers from its own up to `end`, exclusive.
struct Passes {
  int first = 0, last = 0, end = 0;
};

/// The statements among which a variable is in scope: numbers from `first` up to `end`, exclusive.
struct SiteRange {
  int first = 0, end = 0x7fffffff;
  constexpr bool contains(int site) const { return first <= site && site < end; }
};

/// A statement that can be a step. Its number is its index in Source::sites.
struct Site {
  int function;
  TextSpan span;
  SiteKind kind;
  bool hide;
  bool over;           ///< @stepover: nothing that it calls is recorded
  const char* fields;  ///< JSON object of further fields of its record; null for none
  Passes passes = {};  ///< of a loop with @steps
};

struct Function {
  const char* name;  ///< qualified
  TextSpan span;
  const char* untraced;  ///< why it is not stepped; null when it is
  bool over = false;     ///< nor is what it calls
};

/// Lines that the page leaves out.
struct HiddenLines {
  int first, last;
};

/// One file of a lecture, as instrumented. Statically initialised; registered before main and before its
/// steps.
struct Source {
  const char* path;    ///< relative to the lecture's folder
  const char* folder;  ///< the lecture's folder, absolute: for finding images; never recorded
  const char* language;
  const char* const* lines;
  int line_count;
  const Function* functions;
  int function_count;
  const Site* sites;
  int site_count;
  const char* const* classes;  ///< their qualified names, without template arguments
  int class_count;
  const HiddenLines* hidden = nullptr;
  int hidden_count = 0;
  bool exercise = false;    ///< claims that fail do not end the run, nor does what they throw
  int processes = 0;        ///< as many as a run has, where the file says so (lecture({.processes = 4}))
  int first_function = -1;  ///< this file's numbers in the trace begin here; set by add_source
  int first_site = -1;
  bool* ran_on_other_thread = nullptr;  ///< by function; set by add_source when recording
};

/// Registers a file. A header that several files include is one object, registered once. Returns true.
bool add_source(Source& source);

class Frame;

/// Suspends recording while directives evaluate their expressions, and adds what they show to the statement's
/// step.
class Inspection {
 public:
  constexpr explicit Inspection(Frame* frame) : frame_(frame) {
    if (frame_ != nullptr) begin();
  }
  Inspection(const Inspection&) = delete;
  Inspection& operator=(const Inspection&) = delete;
  constexpr ~Inspection() {
    if (frame_ != nullptr) end();
  }
  /// `text` is the expression as written in the directive. Declared here, defined in "record/inspect.h".
  template <typename T>
  constexpr const Inspection& show(const char* text, const T& value) const;
  template <typename T>
  constexpr const Inspection& show_full(const char* text, const T& value) const;
  /// `@inspect *`: a variable in scope, or an argument when a function begins. `watch` shows one only if the
  /// activation has not shown this value of it. Accepts any type; some are not shown.
  template <typename T>
  constexpr const Inspection& local(const char* name, const T& value, SiteRange scope = {}) const;
  template <typename T>
  constexpr const Inspection& watch(const char* name, const T& value, SiteRange scope = {}) const;
  template <typename T>
  constexpr const Inspection& argument(const char* name, const T& value) const;
  /// Variable-length arrays, which no template accepts.
  constexpr const Inspection& local(const char*, const volatile void*, SiteRange = {}) const { return *this; }
  constexpr const Inspection& watch(const char*, const volatile void*, SiteRange = {}) const { return *this; }
  /// In a handler: the exception that evaluating the expression threw, as its value.
  constexpr const Inspection& show_error(const char* text) const {
    if (frame_ != nullptr) show_thrown(text);
    return *this;
  }
  constexpr const Inspection& clear(const char* name) const {
    if (frame_ != nullptr) clear_at_run_time(name);
    return *this;
  }

 private:
  void begin() const;
  void end() const;
  void clear_at_run_time(const char* name) const;
  void show_thrown(const char* text) const;

  Frame* frame_;
};

/// One activation of a traced function. (The compiler's own __builtin_is_constant_evaluated: with -std=c++2b,
/// clang 14 takes libstdc++'s function to be true at run time too.) `pretty` is __PRETTY_FUNCTION__ for
/// templates (the instantiated name is taken from it), null otherwise.
class Frame {
 public:
  constexpr Frame(Source& source, int function, const char* pretty = nullptr)
      : source_(&source), pretty_(pretty), function_(function) {
    if (!__builtin_is_constant_evaluated()) enter();
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;
  constexpr ~Frame() {
    if (!__builtin_is_constant_evaluated() && active_) leave();
  }

  /// Ends the step that was open in this frame and opens that of statement `site`.
  constexpr void at(int site) {
    if (!__builtin_is_constant_evaluated() && active_) step(site);
  }
  /// What is called before the next statement begins is called by that of `site`, -1 for the one that is
  /// open: the first such call opens its step. The header of a loop over a range calls between the passes.
  constexpr void coming(int site) {
    if (!__builtin_is_constant_evaluated() && active_) coming_ = site, come_ = false;
  }
  /// A pass of such a loop begins: as at(), unless a call of its header has just opened the step.
  constexpr void entry(int site) {
    if (!__builtin_is_constant_evaluated() && active_ && !come_) step(site);
    come_ = false;
  }
  /// The loop of statement `site`, which has @steps, begins; one of its passes begins.
  constexpr void loop(int site) {
    if (!__builtin_is_constant_evaluated() && active_) begin_loop(site);
  }
  constexpr void pass(int site) {
    if (!__builtin_is_constant_evaluated() && active_) begin_pass(site);
  }
  constexpr Inspection inspecting() {
    return Inspection(!__builtin_is_constant_evaluated() && active_ ? this : nullptr);
  }

 private:
  friend class LimitedLoops;
  friend class Pass;
  friend class ShownLocals;
  friend class StepRecorder;

  void enter();
  void leave();
  void step(int site);
  void end_pass(int site);
  void begin_loop(int site);
  void begin_pass(int site);

  Source* source_;
  const char* pretty_;
  int function_;
  bool active_ = false;
  // The recorder's, valid while active_.
  bool entered_ = false;      // a step of this activation, or of one that it called, was recorded
  bool interrupted_ = false;  // the open statement called into traced code
  bool come_ = false;         // a call has opened the step that was coming
  int coming_ = -1;           // the statement of the next call, -1 for the open one
  int site_ = -1;             // the open statement, -1 before the first
  int stack_ = -1;            // interned number, -1 before it is needed
  int uncaught_ = 0;          // exceptions in flight when it began
  int locals_ = -1;           // its place in ShownLocals, -1 before it has one
  Frame* caller_ = nullptr;
};

/// In the body of a loop over a range: at its end, however it is reached, the header of statement `site` is
/// coming.
class Pass {
 public:
  constexpr Pass(Frame& frame, int site) : frame_(frame), site_(site) {}
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;
  constexpr ~Pass() {
    if (!__builtin_is_constant_evaluated() && frame_.active_) frame_.end_pass(site_);
  }

 private:
  Frame& frame_;
  int site_;
};

/// Whether every field of the class is initialised by itself: a constant of it needs no value.
template <typename T>
concept InitializesFields = requires {
  new const T;
};

/// Whether a variable of that type is initialised even if declared without a value.
template <typename T, typename Element = std::remove_all_extents_t<T>>
inline constexpr bool constructed = !std::is_trivially_default_constructible_v<Element> &&
                                    (!std::is_aggregate_v<Element> || InitializesFields<Element>);

/// An assert, without its operands, with its expression. Called by the macro that is defined after a
/// file's last include.
constexpr void claim(bool held, const char* text);
void claim_at_run_time(bool held, const char* expression);

/// In a handler around a claim of an exercise, or a statement of its main: the exception is recorded as a
/// claim that does not hold. Thrown again where nothing is recorded.
void caught();

constexpr void claim(bool held, const char* text) {
  if (!__builtin_is_constant_evaluated()) claim_at_run_time(held, text);
}

}  // namespace lectern::probe

/// What `assert` means in a lecture's own files. Evaluates its expression once.
#define LECTERN_ASSERT(...) ::lectern::probe::claim(static_cast<bool>(__VA_ARGS__), #__VA_ARGS__)

/// A field, in the function that `lectern instrument` gives a class so that its fields can be shown
/// (FieldWriter, record/class_value.h). What turns out not to be a field is left out.
#define LECTERN_FIELD(name) \
  if constexpr (requires { lectern_self.name; }) lectern_out.field(#name, lectern_self.name);
