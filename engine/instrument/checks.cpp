#include <fmt/format.h>

#include "instrument/insertions.h"
#include "instrument/program.h"
#include "trace/tokens.h"

namespace lectern {

namespace {

using Severity = Diagnostic::Severity;

/// "line 3" or "lines 3 to 7".
std::string lines_of(const Program& program, ByteSpan span) {
  const int first = program.positions.line(span.begin), last = program.positions.line(span.end - 1);
  return first == last ? fmt::format("line {}", first) : fmt::format("lines {} to {}", first, last);
}

void report_unreadable(Program& program, const Unreadable& cut) {
  const std::string lines = lines_of(program, cut.span);
  switch (cut.kind) {
    case Unreadable::Kind::statement:
      return program.report(
          Severity::warning, cut.at,
          fmt::format(
              "this cannot be parsed, so {} {} one step and nothing inside is stepped; write it without "
              "the macro or rare syntax, or add the semicolon that a macro lacks",
              lines, lines.starts_with("lines") ? "are" : "is"));
    case Unreadable::Kind::function:
      return program.report(
          Severity::warning, cut.at,
          fmt::format(
              "this cannot be parsed, so the function around it, {}, is not stepped; write it without "
              "the macro or rare syntax, or move it into a function of its own",
              lines));
    case Unreadable::Kind::declaration:
    case Unreadable::Kind::member: {
      const bool may_hold_functions = cut.kind == Unreadable::Kind::declaration ||
                                      program.text(cut.span).find('{') != std::string_view::npos;
      return program.report(
          may_hold_functions ? Severity::warning : Severity::note, cut.at,
          fmt::format("this cannot be parsed, so functions in {} are not stepped; write it without the macro "
                      "or rare syntax if it is one",
                      lines));
    }
  }
}

void check_parsed(Program& program) {
  for (const std::size_t branch : program.reading.split_branches) {
    program.report(
        Severity::error, branch,
        "the lines between this directive and the next split a statement or a pair of brackets, which "
        "cannot be stepped; put whole statements and both brackets into each branch");
  }
  if (program.reading.hopeless) {
    program.report(
        Severity::error, *program.reading.hopeless,
        "this cannot be parsed, so the file cannot be stepped; write it without the macro or rare syntax");
  }
  for (const Unreadable& cut : program.reading.unreadable) report_unreadable(program, cut);
}

/// Also where the parser does not look: in what was cut out.
void check_line_directives(Program& program) {
  for (const std::string_view token : tokens(program.source, "cpp")) {
    const auto offset = static_cast<std::size_t>(token.data() - program.source.data());
    const std::size_t end = directive_end(program.source, offset);
    if (end == offset) continue;
    const std::vector<Token> words = tokens_and_comments(program.text({offset, end}), "cpp");
    if (words.size() > 1 && (words[1].text == "line" || words[1].kind == TokenKind::number)) {
      program.report(Severity::error, offset,
                     "a #line of its own would be overruled by the probes; remove it");
    }
  }
}

void check_modules(Program& program) {
  const Node& root = *program.reading.tree.root();
  for (const Node* node = root.first; node != nullptr; node = node->next) {
    const Node* type = node->is("declaration") ? node->child("type") : nullptr;
    if (type != nullptr && (program.text(*type) == "import" || program.text(*type) == "module"))
      program.report(Severity::error, node->begin, "modules cannot be stepped; include headers instead");
  }
}

}  // namespace

void check_source(Program& program) {
  const std::size_t marker = program.source.find(insertion_marker);
  if (marker != std::string_view::npos) {
    program.report(Severity::error, marker, "the file has probes already; instrument the original");
    return;
  }
  if (program.reading.tree.root() == nullptr) {
    program.report(Severity::error, 0, "the file is nested too deeply to be stepped");
    return;
  }
  check_parsed(program);
  check_line_directives(program);
  check_modules(program);
}

}  // namespace lectern
