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

/// A statement that can be a step. Its number is its index in Source::sites.
struct Site {
  int function;
  TextSpan span;
  SiteKind kind;
  bool hide;
  bool over;                ///< @stepover: nothing that it calls is recorded
  const char* comparisons;  ///< JSON object of how runs are compared: "volatile", "tolerance"; null for none
};

struct Function {
  const char* name;  ///< qualified
  TextSpan span;
  const char* untraced;  ///< why it is not stepped; null when it is
};

/// Names of the fields of a class, separated by spaces, read from the source.
struct Aggregate {
  const char* type;  ///< qualified, without template arguments
  const char* fields;
};

/// One file of a lecture, as instrumented. Statically initialised; registered before main.
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
  const Aggregate* aggregates;
  int aggregate_count;
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
  constexpr const Inspection& clear(const char* name) const {
    if (frame_ != nullptr) clear_at_run_time(name);
    return *this;
  }

 private:
  void begin() const;
  void end() const;
  void clear_at_run_time(const char* name) const;

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
  constexpr Inspection inspecting() {
    return Inspection(!__builtin_is_constant_evaluated() && active_ ? this : nullptr);
  }

 private:
  friend class StepRecorder;

  void enter();
  void leave();
  void step(int site);

  Source* source_;
  const char* pretty_;
  int function_;
  bool active_ = false;
  // The recorder's, valid while active_.
  bool entered_ = false;      // a step of this activation, or of one that it called, was recorded
  bool interrupted_ = false;  // the open statement called into traced code
  int site_ = -1;             // the open statement, -1 before the first
  int stack_ = -1;            // interned number, -1 before it is needed
  int uncaught_ = 0;          // exceptions in flight when it began
  Frame* caller_ = nullptr;
};

/// An assert as written, without its operands. Called by the macro that is defined after a file's last
/// include.
constexpr void claim(bool held);
void claim_at_run_time(bool held);

constexpr void claim(bool held) {
  if (!__builtin_is_constant_evaluated()) claim_at_run_time(held);
}

}  // namespace lectern::probe

/// What `assert` means in a lecture's own files. Evaluates its expression once.
#define LECTERN_ASSERT(...) ::lectern::probe::claim(static_cast<bool>(__VA_ARGS__))
