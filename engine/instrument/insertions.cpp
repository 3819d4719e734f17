#include <fmt/format.h>

#include "instrument/c_literal.h"
#include "instrument/program.h"

namespace lectern {

namespace {

/// `frame.inspecting().show("x", x)…;`, each expression where its directive is.
std::string inspection_code(const Program& program, const Insertion& insertion) {
  const Statement& statement = program.statements[*insertion.statement];
  const auto found = statement.inspections.find(insertion.point);
  if (found == statement.inspections.end() || found->second.empty()) return {};
  std::string code = fmt::format("lectern_frame_{}.inspecting()", statement.function);
  for (const Inspection& inspection : found->second) {
    const std::string& expression = inspection.expression;
    if (inspection.kind == Inspection::Kind::clear) {
      code += fmt::format(".clear({})", c_literal(expression));
    } else {
      const bool placed = insertion.own_line && inspection.placed;
      code += fmt::format(".{}({}, {})", inspection.kind == Inspection::Kind::show ? "show" : "show_full",
                          c_literal(expression),
                          placed ? program.positions.placed(inspection.begin, expression) : expression);
    }
  }
  return code + ";";
}

std::string code_of(const Program& program, const Insertion& insertion) {
  const std::string inspected = insertion.statement ? inspection_code(program, insertion) : std::string();
  if (insertion.only_if_inspected && inspected.empty()) return {};
  return insertion.before + inspected + insertion.after;
}

}  // namespace

std::string apply_insertions(const Program& program) {
  struct Inserted {
    std::string code;
    bool own_line = false;
  };
  std::map<std::size_t, Inserted> by_offset;
  for (const Insertion& insertion : program.insertions) {
    const std::string code = code_of(program, insertion);
    if (code.empty()) continue;
    Inserted& inserted = by_offset[insertion.offset];
    if (insertion.own_line && !inserted.code.ends_with('\n')) inserted.code += '\n';
    inserted.code += code;
    inserted.own_line = inserted.own_line || insertion.own_line;
  }
  std::string result;
  std::size_t copied = 0;
  for (auto& [offset, inserted] : by_offset) {
    if (inserted.own_line) inserted.code += program.positions.placed(offset, "");
    result.append(program.source, copied, offset - copied);
    result += fmt::format("{}{:04}*/{}", insertion_marker, inserted.code.size(), inserted.code);
    copied = offset;
  }
  result.append(program.source, copied);
  return result;
}

}  // namespace lectern
