#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "instrument/directives.h"
#include "instrument/grammar.h"
#include "instrument/instrument.h"
#include "instrument/positions.h"
#include "instrument/reading.h"
#include "instrument/syntax.h"

namespace lectern {

/// What the tool finds in one file, and what it will insert.

enum class StatementKind { statement, hook, claim, return_, throw_, branch, loop, jump };

/// When a statement's directives are read.
enum class Moment {
  own,         ///< after a simple statement, before a jump, at each entry of the body of a loop or branch
  afterwards,  ///< after a whole loop or branch
  otherwise,   ///< at the entry of a branch's else
};

/// An expression that a directive shows, or a name that it takes away.
struct Shown {
  enum class Kind { show, show_full, clear };
  Kind kind;
  std::string text;
  std::size_t begin;   ///< where the expression stands in the source
  bool placed = true;  ///< whether a compiler's error about it is to point there
};

/// What a loop or branch does: a block, or one statement without braces.
struct Body {
  ByteSpan span;
  bool braced;
  Moment entry;
};

/// A statement that is a step.
struct Statement {
  int function;
  StatementKind kind;
  ByteSpan span;  ///< what the step shows: of loops and branches the header
  ByteSpan whole;
  ByteSpan
      header;  ///< the lines on which directives mean the body's entry: loops and branches only, else empty
  ByteSpan otherwise = {0, 0};    ///< the same for the else
  std::vector<Body> bodies = {};  ///< of loops and of branches by if
  bool declares = false;          ///< a loop's or branch's header declares variables
  bool hide = false;
  bool over = false;
  std::vector<std::string> volatile_names = {};
  std::vector<Directive> tolerances = {};
  std::map<Moment, std::vector<Shown>> shown = {};

  bool compound() const { return kind == StatementKind::branch || kind == StatementKind::loop; }
  bool leaves() const {
    return kind == StatementKind::return_ || kind == StatementKind::throw_ || kind == StatementKind::jump;
  }
};

/// A directive, and the statements that it belongs to.
struct AttachedDirective {
  Directive directive;
  std::vector<int> statements;
};

/// An expression that the hook `inspect` shows.
struct InspectedByHook {
  int function;
  std::string text;
};

struct FunctionRecord {
  std::string name;
  ByteSpan span;
  std::string untraced;  ///< why it is not stepped; empty when it is
  const Node* body = nullptr;
};

struct AggregateRecord {
  std::string type;
  std::vector<std::string> fields;
};

/// An insertion whose text is known when the directives have found their statements.
struct Slot {
  std::size_t offset;
  std::string before = {};
  int statement = -1;
  Moment moment = Moment::own;
  std::string after = {};
  bool own_line = true;
  bool only_if_shown = false;  ///< no insertion at all when no directive shows anything here
};

/// Names that decide what a call is.
struct KnownNames {
  std::set<std::string, std::less<>> functions;        ///< declared or defined in this file: last components
  std::set<std::string, std::less<>> free_functions;   ///< those that are no members, and lambdas with a name
  std::set<std::string, std::less<>> macros;           ///< with arguments, defined in this file
  std::set<std::string, std::less<>> printing_macros;  ///< those among them that make text of their arguments
  std::set<std::string, std::less<>> constants;        ///< constant variables and macros without arguments
  bool assert_is_own = false;                          ///< the file defines assert itself
};

struct Program {
  Program(std::string_view text, const InstrumentOptions& chosen)
      : source(text),
        options(chosen),
        positions(text),
        reading(read_source(text, language_of(chosen.path))) {}

  std::string_view source;
  const InstrumentOptions& options;
  Positions positions;
  Reading reading;
  KnownNames names;
  std::string table;  ///< the namespace of this file's tables
  std::vector<FunctionRecord> functions;
  std::vector<Statement> statements;
  std::vector<AggregateRecord> aggregates;
  std::vector<Slot> slots;
  std::vector<const Node*> comments;
  std::vector<AttachedDirective> directives;
  std::vector<InspectedByHook> inspected;
  std::vector<Diagnostic> diagnostics;
  bool uses_values = false;  ///< claims that compare, or directives that show

  std::string_view text(const Node& node) const { return source.substr(node.begin, node.end - node.begin); }
  std::string_view text(ByteSpan span) const { return source.substr(span.begin, span.end - span.begin); }
  /// What was cut out of the syntax tree with braces left in its place, of which `node` is; null for others.
  const Unreadable* unreadable(const Node& node) const;
  void report(Diagnostic::Severity severity, std::size_t offset, std::string message);
};

/// The steps of the work, each in the file of its name.
void check_source(Program& program);               // checks.cpp: errors, and what did not parse
void find_names(Program& program);                 // names.cpp
void place_probes(Program& program);               // functions.cpp: functions, statements, aggregates, slots
void attach_directives(Program& program);          // attachment.cpp
void check_directive_names(Program& program);      // directive_names.cpp: directives that name nothing
std::string write_tables(const Program& program);  // tables.cpp: the head of the instrumented file

}  // namespace lectern
