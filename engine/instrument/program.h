#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "instrument/directives.h"
#include "instrument/instrument.h"
#include "instrument/locals.h"
#include "instrument/macros.h"
#include "instrument/positions.h"
#include "instrument/recovery.h"
#include "instrument/syntax.h"
#include "trace/site_kind.h"

namespace lectern {

/// What was found in one file, and what is to be inserted.

/// Where the expressions of a statement's directives are evaluated.
enum class InspectionPoint {
  statement,   ///< after a simple statement, before a jump, on each entry to the body of a loop or branch
  exit,        ///< after a loop or branch
  else_entry,  ///< on entry to the else of a branch
};

/// What directives say about a statement, or about a definition and everything in it.
struct Mark {
  std::size_t begin = 0;  ///< of the directive
  bool stepover = false;
  bool hide = false;
  std::optional<Directive> steps = {};           ///< of a loop
  std::optional<std::size_t> inspects_all = {};  ///< where the `@inspect *` of a function begins
  bool placed = false;                           ///< whether the probes of `steps` or `@inspect *` are placed
};

/// The passes of a loop that are recorded, and the number past the statements in it.
struct Passes {
  int first, last;
  std::size_t end;
};

/// An expression that a directive shows, or a name that it clears; or `*`, all variables in scope.
struct Inspection {
  enum class Kind { show, show_full, clear, locals };
  Kind kind;
  std::string expression;
  std::size_t begin;  ///< its offset in the source
};

/// A block, or a statement without braces, that a loop or branch controls.
struct Body {
  ByteSpan span;
  bool braced;
  InspectionPoint entry;
};

/// A statement that is a step.
struct Statement {
  std::size_t function;
  SiteKind kind;
  ByteSpan span;  ///< what the step shows: of loops and branches the header
  ByteSpan extent;
  ByteSpan header;  ///< of loops, branches and blocks; of others empty
  bool declares;    ///< declares variables, a loop or branch in its header
  ByteSpan else_header = {0, 0};
  std::vector<Body> bodies = {};         ///< of loops, and of branches by if
  std::vector<std::string> unseen = {};  ///< of a switch: what its header declares, which its cases alone see
  bool hide = false;
  bool stepover = false;
  bool whole = false;  ///< a loop, branch or block that is one step
  std::optional<Passes> passes = {};
  std::size_t end = 0;  ///< of a loop: the number past the statements in it
  std::map<std::string, std::size_t> locals =
      {};                                 ///< what goes out of scope before statements of those numbers
  std::vector<std::string> changed = {};  ///< variables that it declares or assigns to
  std::vector<std::string> volatile_names = {};
  std::vector<Directive> tolerances = {};
  std::map<InspectionPoint, std::vector<Inspection>> inspections = {};

  bool is_compound() const { return !whole && (kind == SiteKind::branch || kind == SiteKind::loop); }
};

/// Whether control never reaches the end of such a statement.
constexpr bool transfers_control(SiteKind kind) {
  return kind == SiteKind::return_ || kind == SiteKind::throw_ || kind == SiteKind::jump;
}

/// A directive, and the statements that it applies to.
struct AttachedDirective {
  Directive directive;
  std::vector<std::size_t> statements;
};

/// An argument of the hook `inspect`.
struct InspectedArgument {
  std::size_t function;
  std::string expression;
  int locals;  ///< the place of visible()
};

struct FunctionRecord {
  std::string name;
  ByteSpan span;
  std::string untraced;  ///< why it is not stepped; empty when it is
  const Node* body = nullptr;
  bool over = false;             ///< what it calls is not stepped either
  bool inspects_all = false;     ///< each statement all variables
  bool shows_arguments = false;  ///< in the call stack
};

/// Code to insert: `before`, what the directives of `statement` inspect at `point`, `after`.
struct Insertion {
  std::size_t offset;
  std::string before;
  bool own_line = true;  ///< on lines of its own, so that what follows keeps its line and column
  std::optional<std::size_t> statement = {};
  InspectionPoint point = InspectionPoint::statement;
  std::string after = {};
  bool only_if_inspected = false;
  int locals = -1;                          ///< the place of visible()
  std::optional<std::size_t> entered = {};  ///< the function that begins here
};

/// Names by which calls are classified.
struct KnownNames {
  using Names = std::set<std::string, std::less<>>;
  Names functions;                ///< declared or defined in this file, unqualified
  Names free_functions;           ///< those that are no members, and lambdas with a name
  Names macros;                   ///< function-like, of all files of the lecture
  Names object_macros;            ///< object-like ones
  Names stringizing_macros;       ///< of both, those that show the text of their arguments
  Names scope_macros;             ///< those that begin a class or namespace
  Names constants;                ///< constant variables and object-like macros of this file
  bool redefines_assert = false;  ///< the file defines assert itself
};

struct Program {
  Program(std::string_view text, const InstrumentOptions& chosen);

  std::string_view source;
  const InstrumentOptions& options;
  std::string file;  ///< as diagnostics and #line name it
  std::string_view language;
  Positions positions;
  ParsedSource parsed;
  std::vector<Macro> macros;
  std::vector<Include> includes;
  KnownNames names;
  std::string table;  ///< the namespace of this file's tables
  std::vector<FunctionRecord> functions;
  std::vector<Statement> statements;
  std::vector<std::string> classes;  ///< qualified names
  std::vector<Insertion> insertions;
  std::vector<const Node*> comments;
  std::map<const Node*, Mark> marks;  ///< by their statement or definition
  std::set<std::size_t> marking;      ///< where the directives begin that these come from
  std::vector<ByteSpan> hidden;       ///< definitions
  std::vector<AttachedDirective> directives;
  std::vector<InspectedArgument> inspected;
  Locals locals;
  std::vector<Diagnostic> diagnostics;
  bool lacks_semicolon = false;  ///< a statement does: that of a macro, or by mistake
  bool uses_values = false;      ///< claims that compare, or directives that show
  bool exercise = false;         ///< claims that fail do not end the run, nor does what they throw
  int processes = 0;             ///< as many as lecture({…}) asks for; 0: it does not

  const Node& root() const { return *parsed.tree.root(); }
  std::string_view text(ByteSpan span) const { return source.substr(span.begin, span.end - span.begin); }
  /// The unparsed part that an empty block replaces; null for other nodes.
  const UnparsedPart* unparsed(const Node& node) const;
  const Mark* mark(const Node& node) const;
  bool is_stepped_over(const Node& node) const;
  /// Whether nothing else is on the comment's lines.
  bool is_alone(const Node& comment) const;
  /// Whether it is alone between the header of a loop or branch, or an `else`, and the statement without
  /// braces there.
  bool is_before_body(const Node& comment) const;
  void report(Diagnostic::Severity severity, std::size_t offset, std::string message);
};

/// What the files of a lecture define for each other.
struct LectureNames {
  std::vector<Macro> macros;

  void add(const Program& program);
};

/// A file is read, and instrumented when all files of its lecture were read (instrument.cpp).
void read_source(Program& program);
Instrumented insert_probes(Program& program, const LectureNames& names);

/// The steps of these, each in the file of its name.
void check_source(Program& program);                          // checks.cpp: errors, and what was not parsed
void find_processes(Program& program);                        // processes.cpp
void find_includes(Program& program);                         // includes.cpp: what else is to be instrumented
void find_names(Program& program);                            // names.cpp
void add_names(Program& program, const LectureNames& names);  // names.cpp: of the other files
void find_marks(Program& program);                     // marks.cpp: directives on what spans statements
void place_probes(Program& program);                   // placement.cpp: functions, statements, insertions
void check_marks(Program& program);                    // marks.cpp: directives that concern nothing stepped
void attach_directives(Program& program);              // attachment.cpp
void limit_inspections(Program& program);              // locals.cpp: where what is inspected is in scope
void check_directive_names(Program& program);          // directive_names.cpp: directives that name nothing
std::string write_tables(const Program& program);      // tables.cpp: the beginning of the instrumented file
std::string apply_insertions(const Program& program);  // insertions.cpp

}  // namespace lectern
