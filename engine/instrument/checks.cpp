#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/utf8.h"
#include "instrument/macros.h"
#include "instrument/program.h"
#include "trace/tokens.h"

namespace lectern {

namespace {

using Severity = Diagnostic::Severity;

/// Whether nothing in it could be stepped: `using Bases::operator()...;`, or an enumeration by macros.
bool is_harmless(const Program& program, const UnparsedPart& part) {
  if (part.kind != UnparsedPart::Kind::declaration && part.kind != UnparsedPart::Kind::member) return false;
  const std::vector<std::string_view> words = tokens(program.text(part.span), "cpp");
  const bool one = std::ranges::count(words, ";") == 1 && words.back() == ";";
  return one && (words.front() == "using" || words.front() == "enum");
}

/// The first use, in that part of the source, of a macro that stands for a bracket without its counterpart.
std::optional<std::string_view> find_unpaired(const Program& program, ByteSpan span) {
  std::size_t directive = 0;
  for (const std::string_view token : tokens(program.source, "cpp")) {
    const std::size_t begin = offset_in(program.source, token);
    if (begin < directive) continue;
    directive = directive_end(program.source, begin);
    if (directive != begin || begin < span.begin || begin >= span.end) continue;
    const bool found = std::ranges::any_of(
        program.macros, [&](const Macro& macro) { return macro.name == token && is_unpaired(macro); });
    if (found) return token;
  }
  return std::nullopt;
}

std::string unpaired_message(std::string_view macro, std::string_view effect) {
  return fmt::format(
      "{} stands for a bracket without its counterpart, so {}; write brackets in pairs, without it", macro,
      effect);
}

void report_unparsed(Program& program, const UnparsedPart& part) {
  if (is_harmless(program, part)) return;
  const int first = program.positions.line(part.span.begin), last = program.positions.line(part.span.end - 1);
  const std::string lines =
      first == last ? fmt::format("line {}", first) : fmt::format("lines {} to {}", first, last);
  using Kind = UnparsedPart::Kind;
  std::string effect, remedy;
  if (part.kind == Kind::statement) {
    effect = fmt::format("{} {} one step and nothing inside is stepped", lines, first == last ? "is" : "are");
    remedy = ", or add the semicolon that a macro lacks";
  } else if (part.kind == Kind::function) {
    effect = fmt::format("the function around it, {}, is not stepped", lines);
    remedy = ", or move it into a function of its own";
  } else {
    effect = fmt::format("functions in {} are not stepped", lines);
    remedy = " if it is one";
  }
  const bool may_hide_functions =
      part.kind != Kind::member || program.text(part.span).find('{') != std::string_view::npos;
  const Severity severity = may_hide_functions ? Severity::warning : Severity::note;
  if (const auto macro = find_unpaired(program, part.span)) {
    program.report(severity, offset_in(program.source, *macro), unpaired_message(*macro, effect));
    return;
  }
  program.report(severity, part.error,
                 fmt::format("this cannot be parsed, so {}; write it without the macro or rare syntax{}",
                             effect, remedy));
}

void check_parsed(Program& program) {
  for (const std::size_t branch : program.parsed.split_branches) {
    program.report(
        Severity::error, branch,
        "the lines between this directive and the next split a statement or a pair of brackets, which "
        "cannot be stepped; put whole statements and both brackets into each branch");
  }
  const auto unpaired =
      program.parsed.fatal_error ? find_unpaired(program, {0, program.source.size()}) : std::nullopt;
  if (unpaired) {
    program.report(Severity::error, offset_in(program.source, *unpaired),
                   unpaired_message(*unpaired, "the file cannot be stepped"));
  } else if (program.parsed.fatal_error) {
    program.report(
        Severity::error, *program.parsed.fatal_error,
        "this cannot be parsed, so the file cannot be stepped; write it without the macro or rare syntax");
  }
  for (const UnparsedPart& part : program.parsed.unparsed) report_unparsed(program, part);
}

/// By tokens: the tree has no nodes for unparsed parts.
void check_line_directives(Program& program) {
  for (const std::string_view token : tokens(program.source, "cpp")) {
    const auto offset = offset_in(program.source, token);
    const std::size_t end = directive_end(program.source, offset);
    if (end == offset) continue;
    const std::vector<Token> words = tokens_and_comments(program.text({offset, end}), "cpp");
    if (words.size() > 1 && (words[1].text == "line" || words[1].kind == TokenKind::number)) {
      program.report(Severity::error, offset,
                     "a #line directive conflicts with those of the probes; remove it");
    }
  }
}

void check_modules(Program& program) {
  for (const Node& node : program.root().children) {
    const Node* type = node.is("declaration") ? node.child("type") : nullptr;
    if (type != nullptr && (program.text(*type) == "import" || program.text(*type) == "module"))
      program.report(Severity::error, node.begin, "modules cannot be stepped; include headers instead");
  }
}

void check_encoding(Program& program) {
  std::string_view rest = program.source;
  while (const std::size_t size = utf8_character(rest)) rest.remove_prefix(size);
  if (rest.empty()) return;
  program.report(
      Severity::warning, offset_in(program.source, rest),
      fmt::format("byte {:02X} is not UTF-8, so the page shows the file as Latin-1; save it as UTF-8",
                  static_cast<unsigned char>(rest.front())));
}

}  // namespace

void check_source(Program& program) {
  const std::size_t marker = program.source.find(insertion_marker);
  if (marker != std::string_view::npos) {
    program.report(Severity::error, marker, "the file already contains probes; instrument the original");
    return;
  }
  if (program.parsed.tree.root() == nullptr) {
    program.report(
        Severity::error, program.parsed.tree.too_deep(),
        fmt::format("this is nested too deeply for the file to be stepped, in more than {} levels; "
                    "divide it into several statements",
                    SyntaxTree::max_depth));
    return;
  }
  check_encoding(program);
  check_parsed(program);
  check_line_directives(program);
  check_modules(program);
}

}  // namespace lectern
