#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "instrument/names.h"
#include "instrument/placement.h"
#include "trace/tokens.h"

namespace lectern {

namespace {

using Severity = Diagnostic::Severity;

constexpr std::array<std::string_view, 16> hooks{
    "lecture", "text", "verbatim", "image",    "video", "link",        "plot",    "graph",
    "table",   "card", "callout",  "exercise", "note",  "system_text", "inspect", "inspect_all"};

/// Pragmas that say nothing about the statement that follows.
constexpr std::array<std::string_view, 9> harmless_pragmas{"GCC diagnostic", "clang diagnostic", "once",
                                                           "message",        "region",           "endregion",
                                                           "STDC",           "push_macro",       "pop_macro"};

bool is_empty_statement(const Node& node) {
  return node.is("expression_statement") && node.first != nullptr && node.first->is(";");
}

bool makes_calls(const Node& node) {
  bool found = false;
  walk(node, [&](const Node& inner) {
    found = found || inner.is("call_expression") || inner.is("new_expression") ||
            inner.is("init_statement") || inner.is("compound_literal_expression") ||
            inner.is("lambda_expression");
    return !found;
  });
  return found;
}

/// Whether a loop or branch declares variables that its body sees.
bool declares_in_header(const Node& node) {
  bool found = node.is("for_range_loop");
  for (const Node* part = node.first; part != nullptr; part = part->next) {
    if (part->field == "body" || part->field == "consequence" || part->field == "alternative") continue;
    walk(*part, [&](const Node& inner) {
      found = found || inner.is("declaration");
      return !found && !inner.is("lambda_expression");
    });
  }
  return found;
}

/// The block that a statement is, also behind attributes; null for others.
const Node* block_of(const Node& node) {
  if (node.is("compound_statement")) return &node;
  if (!node.is("attributed_statement")) return nullptr;
  return node.child_of_kind("compound_statement");
}

}  // namespace

int Placement::add_statement(StatementKind kind, ByteSpan span, const Node& whole) {
  program_.statements.push_back({.function = function_,
                                 .kind = kind,
                                 .span = span,
                                 .whole = {whole.begin, whole.end},
                                 .header = {0, 0},
                                 .declares = declares_in_header(whole)});
  return static_cast<int>(program_.statements.size()) - 1;
}

std::string Placement::at(int statement) const {
  return fmt::format("lectern_frame_{}.at({});", function_, statement);
}

/// The same within an expression, before what it precedes. The cast tells compilers that this comma is meant.
std::string Placement::at_expression(int statement) const {
  return fmt::format("static_cast<void>(lectern_frame_{}.at({})), ", function_, statement);
}

void Placement::put(std::size_t offset, std::string code) {
  program_.slots.push_back({.offset = offset, .before = std::move(code), .own_line = !in_macro_});
}

void Placement::put_shown(std::size_t offset, std::string before, int statement, Moment moment,
                          std::string after) {
  program_.slots.push_back({.offset = offset,
                            .before = std::move(before),
                            .statement = statement,
                            .moment = moment,
                            .after = std::move(after),
                            .own_line = !in_macro_});
}

/// Pragmas that must stay directly before their statement, alone or in an #if.
static bool binds_next(const Program& program, const Node& node) {
  if (node.is("preproc_call")) {
    const Node* directive = node.child("directive");
    const Node* argument = node.child("argument");
    if (directive == nullptr || program.text(*directive) != "#pragma" || argument == nullptr) return false;
    std::string words;
    for (const std::string_view token : tokens(program.text(*argument), "cpp"))
      words.append(token).append(" ");
    return std::none_of(harmless_pragmas.begin(), harmless_pragmas.end(),
                        [&](std::string_view harmless) { return words.starts_with(harmless); });
  }
  if (!node.is("preproc_if") && !node.is("preproc_ifdef")) return false;
  const Node* last = nullptr;
  for (const Node* child = node.first; child != nullptr; child = child->next) {
    if (child->is("preproc_else") || child->is("preproc_elif") || child->is("#endif")) break;
    if (child->named && !child->is("comment")) last = child;
  }
  return last != nullptr && binds_next(program, *last);
}

void Placement::block(const Node& body, const Node* from) {
  locals_.emplace_back();
  for (const Node* node = from != nullptr ? from : body.first; node != nullptr; node = node->next) {
    if (!node->named || node->is("comment")) continue;
    const Node* last = node;
    while (last != nullptr && binds_next(program_, *last)) last = last->next_code();
    const bool made_up =
        node->is("expression_statement") && node->first->next != nullptr && node->first->next->missing;
    const bool bare_macro = node->is("ERROR") || made_up;
    if (last == nullptr || !last->named) {  // a pragma at the end of a block
      last = node;
    } else if (last != node) {
      program_.report(
          Severity::note, node->begin,
          "the statement after this pragma is one step, and nothing inside of it is stepped: a probe may not "
          "stand between them");
      untouched(*node, *last);
    } else if (bare_macro) {
      const Node* next = node->next_code();
      if (next != nullptr && next->named) last = next;
      program_.report(
          Severity::warning, node->begin,
          "this macro has no semicolon behind it, so what follows may be part of it and is not stepped; add "
          "the semicolon if the macro can have one");
      untouched(*node, *last);
    } else {
      statement(*node, node->begin);
    }
    node = last;
  }
  locals_.pop_back();
}

void Placement::untouched(const Node& first, const Node& last) {
  const bool loop = last.is("for_statement") || last.is("for_range_loop") || last.is("while_statement");
  const std::vector<std::string_view> words = tokens(program_.text(last), "cpp");
  const std::string_view word = words.empty() ? "" : words.front();
  const StatementKind kind = loop               ? StatementKind::loop
                             : word == "return" ? StatementKind::return_
                             : word == "throw"  ? StatementKind::throw_
                                                : StatementKind::statement;
  const int number = add_statement(kind, {first.begin, last.end}, last);
  Statement& added = program_.statements.back();
  added.whole = added.span;
  if (loop) added.span = {last.begin, last.end};
  if (kind == StatementKind::return_ || kind == StatementKind::throw_)
    return put_shown(first.begin, at(number), number, Moment::own);
  put(first.begin, at(number));
  put_shown(last.end, "", number, Moment::own);
}

void Placement::statement(const Node& node, std::size_t before) {
  if (program_.unreadable(node) != nullptr) return untouched(node, node);
  if (node.is("compound_statement")) return block(node);
  if (node.is("expression_statement")) return expression_statement(node, before);
  if (node.is("declaration")) return declaration(node, before);
  if (node.is("return_statement")) return simple(node, before, StatementKind::return_);
  if (node.is("throw_statement")) return simple(node, before, StatementKind::throw_);
  if (node.is("break_statement") || node.is("continue_statement") || node.is("goto_statement")) {
    return simple(node, before, StatementKind::jump);
  }
  if (node.is("if_statement")) return if_statement(node, before);
  if (node.is("switch_statement")) return switch_statement(node, before);
  if (node.is("while_statement")) return while_statement(node, before);
  if (node.is("do_statement")) return do_statement(node);
  if (node.is("for_statement")) return for_statement(node, before);
  if (node.is("for_range_loop")) return range_for_statement(node, before);
  if (node.is("case_statement")) {
    const Node* colon = node.child_of_kind(":");
    if (colon != nullptr && colon->next != nullptr) block(node, colon->next);
    return;
  }
  if (node.is("labeled_statement")) {
    const Node* colon = node.child_of_kind(":");
    const Node* inner = colon != nullptr ? colon->next_code() : nullptr;
    if (inner != nullptr) statement(*inner, inner->begin);
    return;
  }
  if (node.is("attributed_statement")) {
    const Node* inner = nullptr;
    for (const Node* child = node.first; child != nullptr; child = child->next) {
      if (child->named && !child->is("comment") && !child->is("attribute_declaration")) inner = child;
    }
    if (inner != nullptr) statement(*inner, before);
    return;
  }
  if (node.is("try_statement")) {
    for (const Node* child = node.first; child != nullptr; child = child->next) {
      if (child->is("compound_statement")) block(*child);
      const Node* handler = child->is("catch_clause") ? child->child_of_kind("compound_statement") : nullptr;
      if (handler != nullptr) block(*handler);
    }
    return;
  }
  if (node.kind.starts_with("preproc_if") || node.is("preproc_else") || node.is("preproc_elif") ||
      node.is("preproc_elifdef")) {
    for (const Node* child = node.first; child != nullptr; child = child->next) {
      if (child->named && child->field != "condition" && child->field != "name") {
        return block(node, child);
      }
    }
    return;
  }
  if (node.is("struct_specifier") || node.is("class_specifier") || node.is("union_specifier"))
    return visit(node);
  const bool silent = node.kind.starts_with("preproc_") || node.is("using_declaration") ||
                      node.is("alias_declaration") || node.is("type_definition") ||
                      node.is("static_assert_declaration") || node.is("namespace_alias_definition") ||
                      node.is("enum_specifier") || node.is("template_declaration") ||
                      node.is("attribute_declaration");
  if (!silent) {
    program_.report(Severity::warning, node.begin,
                    "this statement is not stepped: its form is not known (" + std::string(node.kind) + ")");
  }
}

void Placement::simple(const Node& node, std::size_t before, StatementKind kind) {
  const int number = add_statement(kind, {before, node.end}, node);
  const bool leaves =
      kind == StatementKind::return_ || kind == StatementKind::throw_ || kind == StatementKind::jump;
  if (leaves) {
    put_shown(before, at(number), number, Moment::own);
    visit_children(node);
    return;
  }
  put(before, at(number));
  visit_children(node);
  show_variables(node, number);
  put_shown(node.end, "", number, Moment::own);
}

bool Placement::is_hook(const Node& expression) const {
  if (expression.is("comma_expression")) {
    return is_hook(*expression.child("left")) && is_hook(*expression.child("right"));
  }
  const CalledName called = called_name(program_, expression);
  return std::find(hooks.begin(), hooks.end(), called.name) != hooks.end() &&
         (called.qualified || !program_.names.free_functions.contains(called.name));
}

void Placement::expression_statement(const Node& node, std::size_t before) {
  if (is_empty_statement(node)) return;
  const Node& expression = *node.first;
  const CalledName called = called_name(program_, expression);
  if (called.name == "assert" && !called.qualified) return claim(node, before, expression);
  const bool throws = expression.is("throw_expression");
  simple(node, before,
         throws                ? StatementKind::throw_
         : is_hook(expression) ? StatementKind::hook
                               : StatementKind::statement);
}

/// Whether the compiler may know a condition's value: a probe in it would hide from the compiler that a loop
/// never ends, or runs once.
bool Placement::is_constant(const Node& condition) const {
  bool constant = true;
  walk(condition, [&](const Node& part) {
    const bool name = part.is("identifier");
    constant = constant && (!name || program_.names.constants.contains(program_.text(part))) &&
               !part.is("call_expression") && !part.is("declaration") && !part.is("lambda_expression");
    return constant;
  });
  return constant;
}

/// Whether an expression is one comparison whose operands may be bound to references one by one.
bool Placement::is_comparison(const Node& expression) const {
  const Node* operation = expression.child("operator");
  if (!expression.is("binary_expression") || operation == nullptr || expression.has_error) return false;
  constexpr std::array<std::string_view, 6> comparisons{"==", "!=", "<", "<=", ">", ">="};
  const auto compares = [&](std::string_view kind) {
    return std::find(comparisons.begin(), comparisons.end(), kind) != comparisons.end();
  };
  if (!compares(operation->kind)) return false;
  for (const std::string_view side : {"left", "right"}) {
    const Node* operand = expression.child(side);
    if (operand == nullptr || operand->is("assignment_expression") || operand->is("conditional_expression") ||
        operand->is("comma_expression") || operand->is("initializer_list") || operand->is("null") ||
        program_.text(*operand) == "NULL" || program_.text(*operand) == "nullptr") {
      return false;
    }
    const Node* inner = operand->is("binary_expression") ? operand->child("operator") : nullptr;
    if (inner != nullptr && (compares(inner->kind) || inner->is("&&") || inner->is("||") ||
                             inner->is("<=>") || inner->is("and") || inner->is("or"))) {
      return false;
    }
    bool plain = true;
    walk(*operand, [&](const Node& part) {
      plain = plain && !part.is("lambda_expression") && !part.is("initializer_list");
      return plain;
    });
    if (!plain) return false;
  }
  return true;
}

void Placement::claim(const Node& node, std::size_t before, const Node& call) {
  const Node* arguments = call.child("arguments");
  const Node* only = arguments != nullptr ? arguments->first->next_code() : nullptr;
  const bool single =
      only != nullptr && only->named && only->next_code() != nullptr && only->next_code()->is(")");
  const bool decomposed =
      single && is_comparison(*only) && constant_ == 0 && !in_macro_ && !program_.names.assert_is_own;
  if (!decomposed) return simple(node, before, StatementKind::claim);
  program_.uses_values = true;
  const int number = add_statement(StatementKind::claim, {before, node.end}, node);
  put(before, at(number) + "\n#undef assert\n#define assert(...) LECTERN_ASSERT_COMPARE(__VA_ARGS__)");
  visit_children(node);
  put_shown(node.end, "\n#undef assert\n#define assert(...) LECTERN_ASSERT(__VA_ARGS__)\n", number,
            Moment::own);
}

void Placement::declaration(const Node& node, std::size_t before) {
  bool runs = false;
  for (const Node* child = node.first; child != nullptr; child = child->next) {
    if (child->is("storage_class_specifier") && program_.text(*child) == "extern") return;
    if (child->field == "declarator" && !declares_function(program_, *child)) runs = true;
  }
  if (!runs) return visit_children(node);
  simple(node, before, StatementKind::statement);
}

void Placement::body(const Node& node, int statement, Moment moment, const std::string& entry) {
  program_.statements[static_cast<std::size_t>(statement)].bodies.push_back(
      {{node.begin, node.end}, block_of(node) != nullptr, moment});
  if (const Node* braced = block_of(node)) {
    put_shown(braced->begin + 1, entry, statement, moment);
    return block(*braced);
  }
  const bool of_loop = program_.statements[static_cast<std::size_t>(statement)].kind == StatementKind::loop;
  if (is_empty_statement(node) && of_loop && !node.parent->is("do_statement") && entry.empty()) {
    put_shown(node.begin, "{", statement, moment,
              "}");  // becomes the body, if needed; the semicolon then follows the loop
    program_.slots.back().only_if_shown = true;
    return;
  }
  put_shown(node.begin, "{" + entry, statement, moment);
  locals_.emplace_back();
  this->statement(node, node.begin);
  locals_.pop_back();
  put(node.end, "}");
}

void Placement::if_statement(const Node& node, std::size_t before) {
  const Node* condition = node.child("condition");
  const Node* consequence = node.child("consequence");
  if (consequence == nullptr) return;
  const std::size_t header_end = condition != nullptr ? condition->end : consequence->begin;
  const int number = add_statement(StatementKind::branch, {before, header_end}, node);
  program_.statements.back().header = {before, consequence->begin + 1};
  put(before, at(number));
  locals_.emplace_back();
  if (condition != nullptr) {
    visit(*condition);
    show_variables(*condition, number);
  }
  body(*consequence, number, Moment::own, "");
  const Node* alternative = node.child("alternative");
  const Node* otherwise = alternative;
  if (alternative != nullptr && alternative->is("else_clause")) otherwise = alternative->first->next_code();
  if (otherwise != nullptr) {
    program_.statements[static_cast<std::size_t>(number)].otherwise = {alternative->begin,
                                                                       otherwise->begin + 1};
    body(*otherwise, number, Moment::otherwise, "");
  }
  locals_.pop_back();
  put_shown(node.end, "", number, Moment::afterwards);
}

void Placement::switch_statement(const Node& node, std::size_t before) {
  const Node* condition = node.child("condition");
  const Node* switched = node.child("body");
  if (condition == nullptr || switched == nullptr) return;
  const int number = add_statement(StatementKind::branch, {before, condition->end}, node);
  program_.statements.back().header = {before, switched->begin + 1};
  put_shown(before, at(number), number, Moment::own);  // nothing runs before the first case
  visit(*condition);
  if (const Node* braced = block_of(*switched)) {
    const Node* first = braced->first;
    while (first != nullptr && !first->is("case_statement") && !first->is("labeled_statement") &&
           !first->is("attributed_statement") && !first->kind.starts_with("preproc_if")) {
      if (first->kind.ends_with("_specifier")) visit(*first);
      first = first->next;
    }
    if (first != nullptr) block(*braced, first);
  } else {
    statement(*switched, switched->begin);
  }
  put_shown(node.end, "", number, Moment::afterwards);
}

void Placement::while_statement(const Node& node, std::size_t before) {
  const Node* condition = node.child("condition");
  const Node* repeated = node.child("body");
  const Node* value = condition != nullptr ? condition->child("value") : nullptr;
  if (condition != nullptr && value == nullptr) value = condition->first->next_code();
  if (value == nullptr || repeated == nullptr) return;
  const int number = add_statement(StatementKind::loop, {before, condition->end}, node);
  program_.statements.back().header = {before, repeated->begin + 1};
  locals_.emplace_back();
  if (value->is("declaration") || is_constant(*value)) {
    // No probe fits into it: one before the loop for the calls, one at each entry.
    if (makes_calls(*value)) put(before, at(number));
    visit(*condition);
    show_variables(*condition, number);
    body(*repeated, number, Moment::own, at(number));
  } else {
    put(value->begin, at_expression(number));
    visit(*condition);
    show_variables(*condition, number);
    body(*repeated, number, Moment::own, "");
  }
  locals_.pop_back();
  put_shown(node.end, "", number, Moment::afterwards);
}

void Placement::do_statement(const Node& node) {
  const Node* repeated = node.child("body");
  const Node* condition = node.child("condition");
  if (repeated == nullptr || condition == nullptr) return;
  const Node* keyword = condition->previous_code();
  const bool constant = is_constant(*condition);
  const ByteSpan shown = constant ? ByteSpan{node.begin, node.begin + 2} : ByteSpan{keyword->begin, node.end};
  const int number = add_statement(StatementKind::loop, shown, node);
  program_.statements.back().header = {node.begin, repeated->begin + 1};
  body(*repeated, number, Moment::own, constant ? at(number) : "");
  if (!constant) {
    put(condition->begin + 1, at_expression(number));
    visit(*condition);
  }
  put_shown(node.end, "", number, Moment::afterwards);
}

void Placement::for_statement(const Node& node, std::size_t before) {
  const Node* repeated = node.child("body");
  const Node* close = nullptr;
  for (const Node* child = node.first; child != repeated && child != nullptr; child = child->next) {
    if (child->is(")")) close = child;
  }
  if (repeated == nullptr || close == nullptr) return;
  const int number = add_statement(StatementKind::loop, {before, close->end}, node);
  program_.statements.back().header = {before, repeated->begin + 1};
  // One step for the initialiser and the first condition, then one for each advance and the condition after
  // it: that survives `continue`, and conditions that are declarations.
  put(before, at(number));
  locals_.emplace_back();
  for (const Node* part = node.first; part != close; part = part->next) {
    if (part->field == "update") break;
    visit(*part);
    if (part->field == "initializer") show_variables(*part, number);
  }
  if (const Node* update = node.child("update")) {
    put(update->begin, at_expression(number));
    visit(*update);
    show_variables(*update, number);
  } else {
    put(close->begin, fmt::format("lectern_frame_{}.at({})", function_, number));
  }
  body(*repeated, number, Moment::own, "");
  locals_.pop_back();
  put_shown(node.end, "", number, Moment::afterwards);
}

void Placement::range_for_statement(const Node& node, std::size_t before) {
  const Node* repeated = node.child("body");
  const Node* range = node.child("right");
  const Node* initializer = node.child_of_kind("init_statement");
  if (repeated == nullptr || range == nullptr) return;
  const Node* close = range->next_code();
  const int number = add_statement(StatementKind::loop, {before, close->end}, node);
  program_.statements.back().header = {before, repeated->begin + 1};
  if (initializer != nullptr || makes_calls(*range)) put(before, at(number));
  locals_.emplace_back();
  if (initializer != nullptr) {
    visit(*initializer);
    show_variables(*initializer, number);
  }
  visit(*range);
  show_variables(node, number);
  body(*repeated, number, Moment::own, at(number));
  locals_.pop_back();
  put_shown(node.end, "", number, Moment::afterwards);
}

/// For --inspect-all: what a statement declares and assigns.
void Placement::show_variables(const Node& node, int statement) {
  if (!program_.options.inspect_all) return;
  std::vector<Shown>& shown = program_.statements[static_cast<std::size_t>(statement)].shown[Moment::own];
  const auto show = [&](const std::string& name) {
    const bool known =
        std::any_of(shown.begin(), shown.end(), [&](const Shown& s) { return s.text == name; });
    if (!known) shown.push_back({Shown::Kind::show, name, node.begin, false});
  };
  const auto declare = [&](const Node& declaration) {
    for (const Node* child = declaration.first; child != nullptr; child = child->next) {
      if (child->field != "declarator" || declares_function(program_, *child)) continue;
      const Node* type = declaration.child("type");
      const Node* value =
          child->child("value") != nullptr ? child->child("value") : declaration.child("value");
      if (value != nullptr && value->is("lambda_expression")) continue;
      const bool has_value =
          value != nullptr || declaration.is("for_range_loop") || child->is("function_declarator");
      const bool has_constructor =
          type != nullptr && (type->is("qualified_identifier") || type->is("template_type"));
      Node single = declaration;  // one declarator at a time
      Node only = *child;
      only.next = nullptr;
      single.first = &only;
      for (const std::string& name : declared_variables(program_, single)) {
        locals_.back().push_back(name);
        if (has_value || (has_constructor && !child->is("pointer_declarator"))) show(name);
      }
    }
  };
  if (node.is("for_range_loop")) return declare(node);
  walk(node, [&](const Node& inner) {
    if (inner.is("lambda_expression") || inner.is("field_declaration_list")) return false;
    if (inner.is("declaration")) declare(inner);
    const Node* target = nullptr;
    if (inner.is("assignment_expression")) target = inner.child("left");
    if (inner.is("update_expression")) target = inner.child("argument");
    while (target != nullptr && !target->is("identifier")) {
      const bool part_of = target->is("field_expression") || target->is("subscript_expression") ||
                           target->is("parenthesized_expression");
      if (!part_of)
        target = nullptr;
      else
        target =
            target->child("argument") != nullptr ? target->child("argument") : target->first->next_code();
    }
    if (target != nullptr && is_local(std::string(program_.text(*target))))
      show(std::string(program_.text(*target)));
    return true;
  });
}

}  // namespace lectern
