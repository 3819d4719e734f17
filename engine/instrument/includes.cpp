#include <algorithm>

#include "instrument/program.h"

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

bool is_macro_with_parameters(const Program& program, std::string_view name) {
  return std::ranges::any_of(program.macros,
                             [&](const Macro& macro) { return macro.has_parameters && macro.name == name; });
}

}  // namespace

void find_includes(Program& program) {
  walk(program.root(), [&](const Node& node) {
    const Node* path = node.is("preproc_include") ? node.child("path") : nullptr;
    if (path == nullptr || path->is("system_lib_string")) return true;
    const Surroundings around = surroundings(node);
    if (around == Surroundings::block) return false;  // Placement has warned of it
    const Node* macro = path->is("call_expression") ? path->child("function") : nullptr;
    if (macro != nullptr && is_macro_with_parameters(program, program.text(*macro))) {
      program.report(Diagnostic::Severity::warning, node.begin,
                     "a macro with arguments names this file, so its functions are not stepped; write its "
                     "name in quotes");
    }
    const bool quoted = path->is("string_literal") && path->end - path->begin > 2;
    if (!quoted && !path->is("identifier")) return false;
    const ByteSpan name = quoted ? ByteSpan{path->begin + 1, path->end - 1} : ByteSpan{*path};
    program.includes.push_back(
        {std::string(program.text(name)),
         {program.file, program.positions.line(node.begin), program.positions.column(node.begin)},
         !quoted,
         around == Surroundings::class_or_namespace});
    return false;
  });
}

}  // namespace lectern
