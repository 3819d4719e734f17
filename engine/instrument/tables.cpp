#include <algorithm>

#include <fmt/format.h>

#include "instrument/c_literal.h"
#include "instrument/program.h"
#include "trace/encode.h"
#include "trace/tokens.h"

namespace lectern {

namespace {

std::string span_literal(const Program& program, ByteSpan span) {
  const Positions& at = program.positions;
  return fmt::format("{{{}, {}, {}, {}}}", at.line(span.begin), at.column(span.begin), at.line(span.end),
                     at.column(span.end));
}

std::string c_literal_or_null(std::string_view text) {
  return text.empty() ? "nullptr" : c_literal(text);
}

/// Further fields of a statement's record, as JSON; empty when it has none.
std::string site_fields(const Statement& statement, std::size_t number) {
  std::string json;
  if (!statement.volatile_names.empty()) json += ",\"volatile\":" + to_json(statement.volatile_names);
  std::vector<SiteTolerance> tolerances;
  for (const Directive& directive : statement.tolerances) {
    SiteTolerance& tolerance = tolerances.emplace_back();
    for (const Directive::Item& item : directive.items) tolerance.names.push_back(item.text);
    if (tolerance.names.empty()) tolerance.names.emplace_back("*");
    tolerance.rel = directive.relative;
    tolerance.abs = directive.absolute;
  }
  if (!tolerances.empty()) json += ",\"tolerance\":" + to_json(tolerances);
  if (statement.end > number + 1) json += fmt::format(",\"body\":{}", statement.end - number - 1);
  Members<std::size_t> locals;
  for (const auto& [name, end] : statement.locals) locals.emplace_back(name, end - number - 1);
  if (!locals.empty()) json += ",\"locals\":" + to_json(locals);
  return json.empty() ? json : "{" + json.substr(1) + "}";
}

/// The lines of a file. Its last line end begins none.
std::vector<std::string> line_literals(std::string_view source) {
  if (source.starts_with(byte_order_mark)) source.remove_prefix(byte_order_mark.size());
  std::vector<std::string> lines;
  while (!source.empty()) {
    const std::size_t end = std::min(source.find('\n'), source.size());
    std::string_view line = source.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(c_literal(line) + ",\n");
    source.remove_prefix(std::min(end + 1, source.size()));
  }
  return lines;
}

/// One array, or nothing when it would be empty; and how Source refers to it.
struct Table {
  std::string definition, reference;
};

Table table(std::string_view type, std::string_view name, const std::vector<std::string>& rows) {
  if (rows.empty()) return {"", "nullptr, 0"};
  return {fmt::format("inline constexpr {} {}[] = {{\n{}}};\n", type, name, fmt::join(rows, "")),
          fmt::format("{}, {}", name, rows.size())};
}

}  // namespace

std::string write_tables(const Program& program) {
  std::vector<std::string> functions, sites, classes, hidden;
  for (const FunctionRecord& function : program.functions) {
    functions.push_back(fmt::format("{{{}, {}, {}{}}},\n", c_literal(function.name),
                                    span_literal(program, function.span),
                                    c_literal_or_null(function.untraced), function.over ? ", true" : ""));
  }
  for (const Statement& statement : program.statements) {
    const std::string passes = statement.passes ? fmt::format(", {{{}, {}, {}}}", statement.passes->first,
                                                              statement.passes->last, statement.passes->end)
                                                : std::string();
    sites.push_back(fmt::format(
        "{{{}, {}, ::lectern::SiteKind::{}, {}, {}, {}{}}},\n", statement.function,
        span_literal(program, statement.span), kSiteKindEnumerators[static_cast<std::size_t>(statement.kind)],
        statement.hide, statement.stepover, c_literal_or_null(site_fields(statement, sites.size())), passes));
  }
  for (const std::string& name : program.classes) classes.push_back(c_literal(name) + ",\n");
  for (const ByteSpan& span : program.hidden) {
    hidden.push_back(fmt::format("{{{}, {}}},\n", program.positions.line(span.begin),
                                 program.positions.line(std::max(span.begin + 1, span.end) - 1)));
  }
  std::vector tables{table("const char*", "lines", line_literals(program.source)),
                     table("::lectern::probe::Function", "functions", functions),
                     table("::lectern::probe::Site", "sites", sites),
                     table("const char*", "classes", classes)};
  if (!hidden.empty() || program.exercise || program.processes > 0)
    tables.push_back(table("::lectern::probe::HiddenLines", "hidden", hidden));

  std::string guard = program.table;
  for (char& c : guard) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  std::string text = fmt::format("#ifndef {0}\n#define {0}\n#include \"record/probe.h\"\n", guard);
  if (program.uses_values) text += "#include \"record/inspect.h\"\n";
  text += fmt::format("namespace {} {{\n", program.table);
  for (const Table& each : tables) text += each.definition;
  text += fmt::format("inline ::lectern::probe::Source source{{{}, {}, {}", c_literal(program.options.path),
                      c_literal(program.options.folder.string()), c_literal(program.language));
  for (const Table& each : tables) text += ", " + each.reference;
  if (program.exercise || program.processes > 0) text += program.exercise ? ", true" : ", false";
  if (program.processes > 0) text += fmt::format(", {}", program.processes);
  text += fmt::format(
      "}};\ninline const bool registered = ::lectern::probe::add_source(source);\n}}  // namespace "
      "{}\n#endif\n",
      program.table);
  return text;
}

}  // namespace lectern
