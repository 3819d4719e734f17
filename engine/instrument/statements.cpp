#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "instrument/names.h"
#include "instrument/placement.h"
#include "trace/tokens.h"

namespace lectern {

namespace {

using Severity = Diagnostic::Severity;

/// Around a statement of an exercise that may throw without ending the run.
constexpr std::string_view guard_begin = "try {", guard_end = "} catch (...) { ::lectern::probe::caught(); }";

// Pragmas that do not apply to the statement that follows.
constexpr auto independent_pragmas =
    std::to_array<std::string_view>({"GCC diagnostic", "clang diagnostic", "once", "message", "region",
                                     "endregion", "STDC", "push_macro", "pop_macro"});

/// A pragma that must directly precede its statement, alone or at the end of an #if.
bool applies_to_next(const Program& program, const Node& node) {
  if (node.is("preproc_call")) {
    const Node* directive = node.child("directive");
    const Node* argument = node.child("argument");
    if (directive == nullptr || program.text(*directive) != "#pragma" || argument == nullptr) return false;
    const std::string words = fmt::format("{} ", fmt::join(tokens(program.text(*argument), "cpp"), " "));
    return std::ranges::none_of(independent_pragmas, [&](auto pragma) { return words.starts_with(pragma); });
  }
  if (!node.is("preproc_if", "preproc_ifdef")) return false;
  const Node* last = nullptr;
  for (const Node& child : node.children) {
    if (child.is("preproc_else", "preproc_elif", "#endif")) break;
    if (child.is_code()) last = &child;
  }
  return last != nullptr && applies_to_next(program, *last);
}

bool is_comparison_operator(const Node& node) {
  return node.is("==", "!=", "<", "<=", ">", ">=");
}

/// Whether an operand of a comparison may be bound to a reference.
bool is_plain_operand(const Program& program, const Node& operand) {
  const std::string_view text = program.text(operand);
  if (operand.is("assignment_expression", "conditional_expression", "comma_expression", "null") ||
      text == "NULL" || text == "nullptr") {
    return false;
  }
  const Node* inner = operand.is("binary_expression") ? operand.child("operator") : nullptr;
  if (inner != nullptr && (is_comparison_operator(*inner) || inner->is("&&", "||", "<=>", "and", "or")))
    return false;
  return find_node(operand, [](const Node& part) {
           return part.is("lambda_expression", "initializer_list");
         }) == nullptr;
}

/// Whether an expression is one comparison with operands that are evaluated one by one.
bool is_comparison(const Program& program, const Node& expression) {
  const Node* operation = expression.child("operator");
  if (!expression.is("binary_expression") || operation == nullptr || expression.has_error) return false;
  const Node *left = expression.child("left"), *right = expression.child("right");
  return is_comparison_operator(*operation) && left != nullptr && is_plain_operand(program, *left) &&
         right != nullptr && is_plain_operand(program, *right);
}

}  // namespace

std::size_t Placement::add_statement(SiteKind kind, ByteSpan span, ByteSpan extent, ByteSpan header,
                                     bool declares) {
  program_.statements.push_back({function_, kind, span, extent, header, declares});
  return program_.statements.size() - 1;
}

std::string Placement::probe(std::size_t statement) const {
  return fmt::format("lectern_frame_{}.at({})", function_, statement);
}

/// Precedes an expression. The cast tells compilers that this comma is intended.
std::string Placement::probe_expression(std::size_t statement) const {
  return fmt::format("static_cast<void>({}), ", probe(statement));
}

void Placement::block(const Node& body, const Node* from) {
  const bool outermost = &body == program_.functions[function_].body;
  const BlockOfLocals locals(program_,
                             outermost ? BlockOfLocals::Kind::whole_function : BlockOfLocals::Kind::block);
  for (const Node* node = from != nullptr ? from : body.first; node != nullptr; node = node->next) {
    if (!node->is_code()) continue;
    const Node* last = node;
    while (last != nullptr && applies_to_next(program_, *last)) last = last->next_code();
    const bool lacks_semicolon =
        node->is("expression_statement") && node->first->next != nullptr && node->first->next->missing;
    if (last == nullptr || !last->named) {  // a pragma at the end of a block
      last = node;
    } else if (last != node) {
      program_.report(
          Severity::note, node->begin,
          "the statement after this pragma is one step, and nothing inside it is stepped: no probe can be "
          "inserted between them");
      pragma_statement(*node, *last);
    } else if (node->is("ERROR") || lacks_semicolon) {
      program_.lacks_semicolon = true;
      const Node* next = node->next_code();
      if (next != nullptr && next->named) last = next;
      program_.report(
          Severity::warning, node->begin,
          "this macro has no semicolon, so what follows may be part of it and is not stepped; add the "
          "semicolon if the macro allows one");
      opaque_statement(node->begin, *last);
    } else {
      statement(*node, node->begin);
    }
    node = last;
  }
}

/// One step without probes inside, from that offset to the end of the node.
std::size_t Placement::opaque_statement(std::size_t begin, const Node& last) {
  const bool loop = last.is("for_statement", "for_range_loop", "while_statement");
  const std::vector<std::string_view> words = tokens(program_.text(last), "cpp");
  const std::string_view word = words.empty() ? "" : words.front();
  const SiteKind kind = loop               ? SiteKind::loop
                        : word == "return" ? SiteKind::return_
                        : word == "throw"  ? SiteKind::throw_
                                           : SiteKind::statement;
  const ByteSpan extent{begin, last.end};
  const std::size_t number = add_statement(kind, loop ? last : extent, extent);
  program_.statements[number].whole = true;
  if (transfers_control(kind)) {
    insert_inspection(begin, probe_statement(number), number, InspectionPoint::statement);
    return number;
  }
  insert(begin, probe_statement(number));
  insert_inspection(last.end, "", number, InspectionPoint::statement);
  return number;
}

void Placement::pragma_statement(const Node& pragma, const Node& statement) {
  const std::size_t number = opaque_statement(pragma.begin, statement);
  program_.statements[number].stepover = program_.is_stepped_over(statement);
  const auto mark = program_.marks.find(&statement);
  if (mark == program_.marks.end() || !mark->second.steps) return;
  mark->second.placed = true;
  program_.report(Severity::error, mark->second.steps->span.begin,
                  "the pragma makes this loop one step, so @steps has no effect; remove it");
}

/// A loop, branch or block that is stepped over. Hooks and classes in it are found nevertheless.
void Placement::whole_statement(const Node& node, std::size_t begin) {
  const std::size_t number = opaque_statement(begin, node);
  Statement& statement = program_.statements[number];
  const Node* body = find_node(node, [](const Node& part) { return part.is("compound_statement"); });
  statement.stepover = true;
  statement.header = {begin, body != nullptr ? body->begin + 1 : node.begin + 1};
  const Scoped whole(in_whole_, true);
  visit_children(node);
}

void Placement::statement(const Node& node, std::size_t begin) {
  if (program_.unparsed(node) != nullptr) {
    opaque_statement(node.begin, node);
    return;
  }
  if (program_.is_stepped_over(node) && !node.is("struct_specifier", "class_specifier", "union_specifier"))
    return whole_statement(node, begin);
  if (node.is("compound_statement")) return block(node);
  if (node.is("expression_statement")) return expression_statement(node, begin);
  if (node.is("declaration")) return declaration(node, begin);
  if (node.is("return_statement")) return simple_statement(node, begin, SiteKind::return_);
  if (node.is("throw_statement")) return simple_statement(node, begin, SiteKind::throw_);
  if (node.is("break_statement", "continue_statement", "goto_statement"))
    return simple_statement(node, begin, SiteKind::jump);
  if (node.is("if_statement", "switch_statement", "while_statement", "do_statement", "for_statement",
              "for_range_loop")) {
    return control_flow(node, begin);
  }
  if (node.is("struct_specifier", "class_specifier", "union_specifier")) return visit(node);
  nested_statements(node, begin);
}

/// The statements in labels, attributes, try blocks and conditionals.
void Placement::nested_statements(const Node& node, std::size_t begin) {
  const Node* colon = node.child_of_kind(":");
  if (node.is("case_statement")) {
    if (colon != nullptr && colon->next != nullptr) block(node, colon->next);
  } else if (node.is("labeled_statement")) {
    const Node* inner = colon != nullptr ? colon->next_code() : nullptr;
    program_.locals.forget_assignments();
    if (inner != nullptr) statement(*inner, inner->begin);
  } else if (node.is("attributed_statement")) {
    const Node* inner = nullptr;
    for (const Node& child : node.children) {
      if (child.is_code() && !child.is("attribute_declaration")) inner = &child;
    }
    if (inner != nullptr) statement(*inner, begin);
  } else if (node.is("try_statement")) {
    for (const Node& child : node.children) {
      if (child.is("compound_statement")) block(child);
      const Node* body = child.is("catch_clause") ? child.child_of_kind("compound_statement") : nullptr;
      if (body != nullptr && program_.is_stepped_over(*body)) {
        insert(body->begin, "{");
        whole_statement(*body, body->begin);
        insert(body->end, "}");
      } else if (body != nullptr) {
        const BlockOfLocals caught(program_);
        note_caught(child);
        block(*body);
      }
    }
  } else if (node.is("function_definition")) {  // to the parser, which does not know macros
    program_.report(
        Severity::warning, node.begin,
        "this macro and the block after it are one step, and nothing inside it is stepped; write the "
        "loop or branch without the macro");
    opaque_statement(begin, node);
  } else if (node.is("preproc_include")) {
    included_file(node);
  } else if (node.kind.starts_with("preproc_if") ||
             node.is("preproc_else", "preproc_elif", "preproc_elifdef")) {
    for (const Node& child : node.children) {
      if (child.named && child.field != "condition" && child.field != "name") return block(node, &child);
    }
  } else if (!node.kind.starts_with("preproc_") &&
             !node.is("using_declaration", "alias_declaration", "type_definition", "enum_specifier",
                      "static_assert_declaration", "namespace_alias_definition", "template_declaration",
                      "attribute_declaration")) {
    program_.report(Severity::warning, node.begin,
                    fmt::format("this statement is not stepped: unknown form ({})", node.kind));
  }
}

void Placement::report_included(const Node& include) {
  program_.report(Severity::warning, include.begin,
                  "what this file does here is not stepped: no probe can be inserted into it; write it as a "
                  "function, include its file outside of functions, and call it here");
}

/// One step, to which all that the file does belongs.
void Placement::included_file(const Node& include) {
  const Node* path = include.child("path");
  const ByteSpan span{include.begin, path != nullptr ? path->end : include.end};  // without its newline
  report_included(include);
  const std::size_t number = add_statement(SiteKind::statement, span, span);
  insert(span.begin, probe_statement(number));
  insert_inspection(span.end, "", number, InspectionPoint::statement);
}

void Placement::simple_statement(const Node& node, std::size_t begin, SiteKind kind, bool guarded) {
  const std::size_t number = add_statement(kind, {begin, node.end}, node, {}, node.is("declaration"));
  if (transfers_control(kind)) {
    insert_inspection(begin, probe_statement(number), number, InspectionPoint::statement);
    return visit_children(node);
  }
  insert(begin, probe_statement(number).append(guarded ? guard_begin : ""));
  visit_children(node);
  note_variables(node, number);
  insert_inspection(node.end, std::string(guarded ? guard_end : ""), number, InspectionPoint::statement);
}

/// In an exercise, what a claim throws ends the claim, and what main calls ends that call.
bool Placement::is_guarded(SiteKind kind) const {
  if (!program_.exercise || in_constexpr_ || in_macro_) return false;
  return kind == SiteKind::claim ||
         (kind == SiteKind::statement && program_.functions[function_].name == "main");
}

void Placement::expression_statement(const Node& node, std::size_t begin) {
  const Node& expression = *node.first;
  if (expression.is(";")) return;
  const CalledName called = called_name(program_, expression);
  if (called.name == "assert" && !called.qualified) return claim(node, begin, expression);
  const SiteKind kind = expression.is("throw_expression") ? SiteKind::throw_
                        : is_hook(expression)             ? SiteKind::hook
                                                          : SiteKind::statement;
  simple_statement(node, begin, kind, is_guarded(kind) && misread_variable(node) == nullptr);
}

void Placement::claim(const Node& node, std::size_t begin, const Node& call) {
  const Node* arguments = call.child("arguments");
  const Node* only = arguments != nullptr ? arguments->first->next_code() : nullptr;
  const bool single =
      only != nullptr && only->named && only->next_code() != nullptr && only->next_code()->is(")");
  const bool decomposed = single && is_comparison(program_, *only) && !in_constexpr_ && !in_macro_ &&
                          !program_.names.redefines_assert;
  const bool guarded = is_guarded(SiteKind::claim);
  if (!decomposed) return simple_statement(node, begin, SiteKind::claim, guarded);
  program_.uses_values = true;
  const std::size_t number = add_statement(SiteKind::claim, {begin, node.end}, node);
  insert(begin, fmt::format("{}{}\n#undef assert\n#define assert(...) LECTERN_ASSERT_COMPARE(__VA_ARGS__)",
                            probe_statement(number), guarded ? guard_begin : ""));
  visit_children(node);
  insert_inspection(node.end,
                    fmt::format("{}\n#undef assert\n#define assert(...) LECTERN_ASSERT(__VA_ARGS__)\n",
                                guarded ? guard_end : ""),
                    number, InspectionPoint::statement);
}

void Placement::declaration(const Node& node, std::size_t begin) {
  bool declares_variable = false;
  for (const Node& child : node.children) {
    if (child.is("storage_class_specifier") && program_.text(child) == "extern") return;
    if (child.field == "declarator" && !declares_function(program_, child)) declares_variable = true;
  }
  if (!declares_variable) return visit_children(node);
  simple_statement(node, begin, SiteKind::statement);
}

}  // namespace lectern
