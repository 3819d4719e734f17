#include "instrument/instrument.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/fnv.h"
#include "instrument/c_literal.h"
#include "instrument/insertions.h"
#include "instrument/program.h"

namespace lectern {

namespace {

constexpr std::string_view assert_definition =
    "#undef assert\n#define assert(...) LECTERN_ASSERT(__VA_ARGS__)\n";

/// Same path, same name: a header that several files include has one table.
std::string table_name(std::string_view path) {
  return fmt::format("lectern_source_{:08x}", fnv1a_32(path));
}

/// `frame.inspecting().show("x", x)…;`, each expression where its directive stands.
std::string inspection(const Program& program, const Insertions& insertions, const Slot& slot) {
  const Statement& statement = program.statements[static_cast<std::size_t>(slot.statement)];
  const auto found = statement.shown.find(slot.moment);
  if (found == statement.shown.end() || found->second.empty()) return {};
  std::string code = fmt::format("lectern_frame_{}.inspecting()", statement.function);
  for (const Shown& shown : found->second) {
    if (shown.kind == Shown::Kind::clear) {
      code += fmt::format(".clear({})", c_literal(shown.text));
      continue;
    }
    const bool placed = slot.own_line && shown.placed;
    code +=
        fmt::format(".{}({}, {})", shown.kind == Shown::Kind::show ? "show" : "show_full",
                    c_literal(shown.text), placed ? insertions.placed(shown.begin, shown.text) : shown.text);
  }
  return code + ";";
}

void fill_slots(const Program& program, Insertions& insertions) {
  for (const Slot& slot : program.slots) {
    const std::string shown = slot.statement >= 0 ? inspection(program, insertions, slot) : std::string();
    if (slot.only_if_shown && shown.empty()) continue;
    insertions.add(slot.offset, slot.before + shown + slot.after, slot.own_line);
  }
}

/// Redefines assert after each run of includes: <cassert> may come again with any of them.
bool redefine_assert(const Node& root, Insertions& insertions) {
  bool any = false;
  walk(root, [&](const Node& node) {
    if (!node.is("preproc_include")) return !node.is("function_definition");
    any = true;
    const Node* next = node.next_code();
    const Node* path = node.child("path");
    if (path != nullptr && (next == nullptr || !next->is("preproc_include"))) {
      insertions.own_line(path->end, std::string(assert_definition));
    }
    return false;
  });
  return any;
}

void list_includes(const Program& program, Instrumented& result) {
  // Only those at the file's own level: what is included elsewhere is no file of functions.
  walk(*program.reading.tree.root(), [&](const Node& node) {
    const Node* path = node.is("preproc_include") ? node.child("path") : nullptr;
    if (path != nullptr && path->is("string_literal") && path->end - path->begin > 2) {
      result.includes.emplace_back(program.text({path->begin + 1, path->end - 1}));
    }
    return node.is("translation_unit") || node.kind.starts_with("preproc_");
  });
}

}  // namespace

const Unreadable* Program::unreadable(const Node& node) const {
  const auto found =
      std::find_if(reading.unreadable.begin(), reading.unreadable.end(), [&](const Unreadable& cut) {
        const bool braces = cut.kind == Unreadable::Kind::statement || cut.kind == Unreadable::Kind::function;
        return braces && node.is("compound_statement") && cut.span.begin == node.begin &&
               cut.span.end == node.end;
      });
  return found != reading.unreadable.end() ? &*found : nullptr;
}

void Program::report(Diagnostic::Severity severity, std::size_t offset, std::string message) {
  const std::string file = options.original.empty() ? options.path : options.original.string();
  diagnostics.push_back(
      {severity, {file, positions.line(offset), positions.column(offset)}, std::move(message)});
}

Instrumented instrument(std::string_view source, const InstrumentOptions& options) {
  Program program(source, options);
  program.table = table_name(options.path);
  Instrumented result;
  const auto finish = [&] {
    std::stable_sort(
        program.diagnostics.begin(), program.diagnostics.end(), [](const auto& a, const auto& b) {
          return std::pair(a.place.line, a.place.column) < std::pair(b.place.line, b.place.column);
        });
    result.diagnostics = std::move(program.diagnostics);
  };
  check_source(program);
  if (std::any_of(program.diagnostics.begin(), program.diagnostics.end(),
                  [](const Diagnostic& d) { return d.severity == Diagnostic::Severity::error; })) {
    finish();
    return result;
  }
  find_names(program);
  place_probes(program);
  attach_directives(program);
  check_directive_names(program);

  Insertions insertions(source, program.positions);
  const std::size_t begin = source.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  const std::string file = options.original.empty() ? options.path : options.original.string();
  const bool includes =
      !program.names.assert_is_own && redefine_assert(*program.reading.tree.root(), insertions);
  const bool needs_assert = !program.names.assert_is_own && !includes;
  insertions.own_line(begin, write_tables(program) + std::string(needs_assert ? assert_definition : "") +
                                 fmt::format("#line 1 {}\n", c_literal(file)));
  fill_slots(program, insertions);
  result.text = insertions.apply();
  for (const FunctionRecord& function : program.functions) {
    ++(function.untraced.empty() ? result.traced_functions : result.untraced_functions);
  }
  list_includes(program, result);
  finish();
  return result;
}

}  // namespace lectern
