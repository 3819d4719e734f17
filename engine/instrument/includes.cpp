#include <fmt/format.h>

#include "base/characters.h"
#include "instrument/program.h"
#include "trace/tokens.h"

namespace lectern {

namespace {

/// Where an include stands.
enum class Surroundings { file, class_or_namespace, block };

Surroundings surroundings(const Node& include) {
  for (const Node* outer = include.parent; outer != nullptr; outer = outer->parent) {
    if (outer->kind.starts_with("preproc_")) continue;
    if (outer->is("translation_unit")) return Surroundings::file;
    return outer->is("compound_statement", "case_statement") ? Surroundings::block
                                                             : Surroundings::class_or_namespace;
  }
  return Surroundings::file;
}

/// Of `#define TABLE "table.inc"`, `#define TABLE OTHER`.
void find_file_macros(const Program& program, Instrumented& result) {
  walk(program.root(), [&](const Node& node) {
    const Node* name = node.is("preproc_def") ? node.child("name") : nullptr;
    const Node* value = name != nullptr ? node.child("value") : nullptr;
    if (value == nullptr) return true;
    const std::string_view text = trim(program.text(*value));
    if (tokens(text, program.language).size() == 1) result.file_macros.emplace(program.text(*name), text);
    return true;
  });
}

}  // namespace

void find_includes(Program& program, Instrumented& result) {
  walk(program.root(), [&](const Node& node) {
    const Node* path = node.is("preproc_include") ? node.child("path") : nullptr;
    if (path == nullptr || path->is("system_lib_string")) return true;
    const Surroundings around = surroundings(node);
    if (around == Surroundings::block) return false;  // Placement has warned of it
    const Node* macro = path->is("call_expression") ? path->child("function") : nullptr;
    if (macro != nullptr && program.names.macros.contains(program.text(*macro))) {
      program.report(Diagnostic::Severity::warning, node.begin,
                     "a macro with arguments names this file, so its functions are not stepped; write its "
                     "name in quotes");
    }
    const bool quoted = path->is("string_literal") && path->end - path->begin > 2;
    if (!quoted && !path->is("identifier")) return false;
    const ByteSpan name = quoted ? ByteSpan{path->begin + 1, path->end - 1} : ByteSpan{*path};
    result.includes.push_back(
        {std::string(program.text(name)),
         {program.file, program.positions.line(node.begin), program.positions.column(node.begin)},
         !quoted,
         around == Surroundings::class_or_namespace});
    return false;
  });
  find_file_macros(program, result);
}

}  // namespace lectern
