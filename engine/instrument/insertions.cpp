#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "instrument/c_literal.h"
#include "instrument/directive_expression.h"
#include "instrument/program.h"

namespace lectern {

namespace {

/// `.show("x", x)`, the expression where its directive is.
std::string show_code(const Program& program, const Insertion& insertion, const Inspection& inspection,
                      const CheckedExpression& checked) {
  return fmt::format(
      ".{}({}, {}{})", inspection.kind == Inspection::Kind::show ? "show" : "show_full",
      c_literal(inspection.expression), checked.before,
      insertion.own_line ? program.positions.placed(inspection.begin, checked.text) : checked.text);
}

/// `frame.inspecting().show("x", x)…;`
class InspectionCode {
 public:
  InspectionCode(const Program& program, std::size_t function)
      : program_(program),
        function_(function),
        begin_(fmt::format("lectern_frame_{}.inspecting()", function)) {}

  /// A call in the chain of those before it.
  void add(std::string_view call) { chain_ += call; }
  /// What may throw is in a try block: an exception is shown as an error.
  void add_guarded(std::string_view call, std::string_view literal) {
    end_chain();
    code_ += fmt::format("try {{ {0}{1}; }} catch (...) {{ {0}.show_error({2}); }}", begin_, call, literal);
  }

  void add_arguments(int place) {
    for (const Local* local : program_.locals.visible(place, function_)) {
      // Only the exception of a function-try-block's handler goes out of scope before the function ends.
      if (local->state == Local::State::initialized && Locals::lives_to_the_end(*local))
        add(call("argument", *local));
    }
  }
  /// All variables in scope: those that `always` accepts, the others when they have changed.
  template <typename Predicate>
  void add_locals(int place, const Predicate& always) {
    for (const Local* local : program_.locals.visible(place, function_)) {
      const std::string shown = call(always(local->name) ? "local" : "watch", *local);
      if (local->state == Local::State::initialized) add(shown);
      if (local->state != Local::State::constructed) continue;
      end_chain();
      code_ += fmt::format("if constexpr (::lectern::probe::constructed<decltype({})>) {}{};", local->name,
                           begin_, shown);
    }
  }

  std::string text() && {
    end_chain();
    return std::move(code_);
  }

 private:
  void end_chain() {
    if (!chain_.empty()) code_ += begin_ + std::exchange(chain_, {}) + ";";
  }

  std::string call(std::string_view method, const Local& local) const {
    const std::string scope = Locals::lives_to_the_end(local) ? std::string()
                                                              : fmt::format(", {{{}, {}}}", local.begin,
                                                                            program_.locals.scope_end(local));
    return fmt::format(".{}({}, {}{})", method, c_literal(local.name), local.name, scope);
  }

  const Program& program_;
  std::size_t function_;
  std::string begin_, code_, chain_;
};

std::string inspection_code(const Program& program, const Insertion& insertion) {
  const Statement& statement = program.statements[*insertion.statement];
  const auto found = statement.inspections.find(insertion.point);
  const std::vector<Inspection> inspections =
      found == statement.inspections.end() ? std::vector<Inspection>() : found->second;
  InspectionCode code(program, statement.function);
  // What a directive names is added after these: it may ask for the whole value, or clear it.
  if (std::ranges::count(inspections, Inspection::Kind::locals, &Inspection::kind) > 0) {
    code.add_locals(insertion.locals, [](const std::string&) { return true; });
  } else if (program.functions[statement.function].inspects_all) {
    code.add_locals(insertion.locals,
                    [&](const std::string& name) { return std::ranges::count(statement.changed, name) > 0; });
  }
  for (const Inspection& inspection : inspections) {
    const std::string literal = c_literal(inspection.expression);
    if (inspection.kind == Inspection::Kind::locals) continue;
    if (inspection.kind == Inspection::Kind::clear) {
      code.add(fmt::format(".clear({})", literal));
      continue;
    }
    const CheckedExpression checked = checked_expression(inspection.expression, program.language);
    const std::string shown = show_code(program, insertion, inspection, checked);
    checked.may_throw ? code.add_guarded(shown, literal) : code.add(shown);
  }
  return std::move(code).text();
}

std::string arguments_code(const Program& program, const Insertion& insertion) {
  if (!insertion.entered || !program.functions[*insertion.entered].shows_arguments) return {};
  InspectionCode code(program, *insertion.entered);
  code.add_arguments(insertion.locals);
  return std::move(code).text();
}

std::string insertion_code(const Program& program, const Insertion& insertion) {
  const std::string inspected = insertion.statement ? inspection_code(program, insertion) : std::string();
  if (insertion.only_if_inspected && inspected.empty()) return {};
  return insertion.before + inspected + arguments_code(program, insertion) + insertion.after;
}

}  // namespace

std::string apply_insertions(const Program& program) {
  struct Inserted {
    std::string code;
    bool own_line = false;
  };
  std::map<std::size_t, Inserted> by_offset;
  for (const Insertion& insertion : program.insertions) {
    const std::string code = insertion_code(program, insertion);
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
