#include "instrument/instrument.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/fnv.h"
#include "instrument/c_literal.h"
#include "instrument/grammar.h"
#include "instrument/program.h"
#include "trace/tokens.h"

namespace lectern {

namespace {

constexpr std::string_view assert_definition =
    "#undef assert\n#define assert(...) LECTERN_ASSERT(__VA_ARGS__)\n";

/// Redefines assert after each run of includes: any of them may include <cassert>. Returns the definition
/// for a file without includes.
std::string_view redefine_assert(Program& program) {
  if (program.names.redefines_assert) return {};
  bool found = false;
  walk(program.root(), [&](const Node& node) {
    if (!node.is("preproc_include")) return !node.is("function_definition");
    found = true;
    const Node* next = node.next_code();
    const Node* path = node.child("path");
    if (path != nullptr && (next == nullptr || !next->is("preproc_include"))) {
      program.insertions.push_back({path->end, std::string(assert_definition)});
    }
    return false;
  });
  return found ? std::string_view() : assert_definition;
}

/// Whether the file is a starter, or what became of one.
bool includes_exercise(const Program& program) {
  return find_node(program.root(), [&](const Node& node) {
           const Node* path = node.is("preproc_include") ? node.child("path") : nullptr;
           return path != nullptr && program.text(*path) == "<lectern/exercise.h>";
         }) != nullptr;
}

bool is_refused(const Program& program) {
  return std::ranges::count(program.diagnostics, Diagnostic::Severity::error, &Diagnostic::severity) > 0;
}

/// The text of a file without errors so far.
std::string instrumented_text(Program& program, const LectureNames& names) {
  add_names(program, names);
  program.exercise = includes_exercise(program);
  const std::string_view definition = redefine_assert(program);
  find_marks(program);
  place_probes(program);
  check_marks(program);
  attach_directives(program);
  limit_inspections(program);
  check_directive_names(program);
  const std::size_t begin = program.source.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  program.insertions.insert(
      program.insertions.begin(),
      {begin, fmt::format("{}{}#line 1 {}\n", write_tables(program), definition, c_literal(program.file))});
  return apply_insertions(program);
}

}  // namespace

Program::Program(std::string_view text, const InstrumentOptions& chosen)
    : source(text),
      options(chosen),
      file(chosen.original.empty() ? chosen.path : chosen.original.string()),
      language(source_language(chosen.path)),
      positions(text),
      parsed(parse_with_recovery(text, language)),
      // Same path, same name: a header that several files include has one table.
      table(fmt::format("lectern_source_{:08x}", fnv1a_32(chosen.path))) {}

const UnparsedPart* Program::unparsed(const Node& node) const {
  const auto found = std::ranges::find_if(parsed.unparsed, [&](const UnparsedPart& part) {
    return part.has_block() && node.is("compound_statement") && part.span.begin == node.begin &&
           part.span.end == node.end;
  });
  return found != parsed.unparsed.end() ? &*found : nullptr;
}

const Mark* Program::mark(const Node& node) const {
  const auto found = marks.find(&node);
  return found != marks.end() ? &found->second : nullptr;
}

bool Program::is_stepped_over(const Node& node) const {
  const Mark* const found = mark(node);
  return found != nullptr && found->stepover;
}

bool Program::is_alone(const Node& comment) const {
  const std::size_t begin = positions.line_begin(positions.line(comment.begin));
  const std::size_t end = std::min(source.find('\n', comment.end), source.size());
  const auto is_blank_text = [&](ByteSpan span) {
    return text(span).find_first_not_of(" \t\r\f\v") == std::string_view::npos;
  };
  return is_blank_text({begin, comment.begin}) && is_blank_text({comment.end, end});
}

bool Program::is_before_body(const Node& comment) const {
  const Node* next = comment.next_code();
  return next != nullptr && is_controlled(*next) && !next->is("compound_statement") && is_alone(comment);
}

void Program::report(Diagnostic::Severity severity, std::size_t offset, std::string message) {
  diagnostics.push_back(
      {severity, {file, positions.line(offset), positions.column(offset)}, std::move(message)});
}

void read_source(Program& program) {
  program.macros = find_macros(program.source);
  check_source(program);
  if (program.parsed.tree.root() == nullptr) return;
  find_processes(program);
  find_names(program);
  if (!is_refused(program)) find_includes(program);
}

Instrumented insert_probes(Program& program, const LectureNames& names) {
  Instrumented result;
  if (!is_refused(program)) result.text = instrumented_text(program, names);
  result.traced_functions =
      static_cast<int>(std::ranges::count(program.functions, "", &FunctionRecord::untraced));
  result.untraced_functions = static_cast<int>(program.functions.size()) - result.traced_functions;
  result.includes = std::move(program.includes);
  const ParsedSource& parsed = program.parsed;
  result.parsed = !parsed.fatal_error && parsed.unparsed.empty() && parsed.split_branches.empty() &&
                  !program.lacks_semicolon;
  result.diagnostics = std::move(program.diagnostics);
  std::ranges::stable_sort(result.diagnostics, {}, [](const Diagnostic& diagnostic) {
    return std::pair(diagnostic.place.line, diagnostic.place.column);
  });
  return result;
}

Instrumented instrument(std::string_view source, const InstrumentOptions& options) {
  Program program(source, options);
  read_source(program);
  LectureNames names;
  names.add(program);
  return insert_probes(program, names);
}

}  // namespace lectern
