#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "instrument/directives.h"
#include "instrument/instrument.h"
#include "instrument/positions.h"
#include "instrument/recovery.h"
#include "instrument/syntax.h"
#include "trace/site_kind.h"

namespace lectern {

/// What is found in one file, and what is to be inserted.

/// Where the expressions of a statement's directives are evaluated.
enum class InspectionPoint {
  statement,   ///< after a simple statement, before a jump, on each entry to the body of a loop or branch
  exit,        ///< after a loop or branch
  else_entry,  ///< on entry to the else of a branch
};

/// An expression that a directive shows, or a name that it clears.
struct Inspection {
  enum class Kind { show, show_full, clear };
  Kind kind;
  std::string expression;
  std::size_t begin;   ///< its offset in the source
  bool placed = true;  ///< whether a compiler's error about it is to point there
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
  ByteSpan header;  ///< of loops and branches: where directives mean the entry to the body, else empty
  bool declares;    ///< the header of a loop or branch declares variables
  ByteSpan else_header = {0, 0};
  std::vector<Body> bodies = {};  ///< of loops, and of branches by if
  bool hide = false;
  bool stepover = false;
  std::vector<std::string> volatile_names = {};
  std::vector<Directive> tolerances = {};
  std::map<InspectionPoint, std::vector<Inspection>> inspections = {};

  bool is_compound() const { return kind == SiteKind::branch || kind == SiteKind::loop; }
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

/// Code to insert: `before`, what the directives of `statement` inspect at `point`, `after`.
struct Insertion {
  std::size_t offset;
  std::string before;
  bool own_line = true;  ///< on lines of its own, so that what follows keeps its line and column
  std::optional<std::size_t> statement = {};
  InspectionPoint point = InspectionPoint::statement;
  std::string after = {};
  bool only_if_inspected = false;
};

/// Names by which calls are classified.
struct KnownNames {
  using Names = std::set<std::string, std::less<>>;
  Names functions;                ///< declared or defined in this file, unqualified
  Names free_functions;           ///< those that are no members, and lambdas with a name
  Names macros;                   ///< function-like, defined in this file
  Names stringizing_macros;       ///< those among them that use # or ##
  Names constants;                ///< constant variables and object-like macros
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
  KnownNames names;
  std::string table;  ///< the namespace of this file's tables
  std::vector<FunctionRecord> functions;
  std::vector<Statement> statements;
  std::vector<AggregateRecord> aggregates;
  std::vector<Insertion> insertions;
  std::vector<const Node*> comments;
  std::vector<AttachedDirective> directives;
  std::vector<InspectedArgument> inspected;
  std::vector<Diagnostic> diagnostics;
  bool uses_values = false;  ///< claims that compare, or directives that show

  const Node& root() const { return *parsed.tree.root(); }
  std::string_view text(ByteSpan span) const { return source.substr(span.begin, span.end - span.begin); }
  /// The unparsed part that an empty block replaces; null for other nodes.
  const UnparsedPart* unparsed(const Node& node) const;
  void report(Diagnostic::Severity severity, std::size_t offset, std::string message);
};

/// The steps of instrumenting, each in the file of its name.
void check_source(Program& program);                   // checks.cpp: errors, and what was not parsed
void find_names(Program& program);                     // names.cpp
void place_probes(Program& program);                   // placement.cpp: functions, statements, insertions
void attach_directives(Program& program);              // attachment.cpp
void check_directive_names(Program& program);          // directive_names.cpp: directives that name nothing
std::string write_tables(const Program& program);      // tables.cpp: the beginning of the instrumented file
std::string apply_insertions(const Program& program);  // insertions.cpp

}  // namespace lectern
