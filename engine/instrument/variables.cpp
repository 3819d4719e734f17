#include <algorithm>

#include "instrument/names.h"
#include "instrument/placement.h"

namespace lectern {

namespace {

/// The variable that an expression assigns to, in whole or in part; null when it assigns to none.
const Node* assigned_variable(const Node& expression) {
  const Node* target = nullptr;
  if (expression.is("assignment_expression")) target = expression.child("left");
  if (expression.is("update_expression")) target = expression.child("argument");
  while (target != nullptr && !target->is("identifier")) {
    if (!target->is("field_expression", "subscript_expression", "parenthesized_expression")) return nullptr;
    const Node* argument = target->child("argument");
    target = argument != nullptr ? argument : target->first->next_code();
  }
  return target;
}

/// Whether what is declared without a value may have a constructor, and is not a variable-length array.
bool may_be_constructed(const Node& type, const Node& declarator) {
  if (type.is("primitive_type", "sized_type_specifier", "enum_specifier")) return false;
  return find_node(declarator, [](const Node& part) {
           const Node* size = part.is("array_declarator") ? part.child("size") : nullptr;
           return part.is("pointer_declarator", "pointer_type_declarator") ||
                  (size != nullptr && !size->is("number_literal"));
         }) == nullptr;
}

/// Of `T(*f)()` or `T(&a)[2]`, an expression to the parser, the part T(…).
const Node* innermost_call(const Node& expression) {
  const Node* inner = &expression;
  while (inner != nullptr) {
    const Node* next = inner->child(inner->is("call_expression") ? "function" : "argument");
    if (next == nullptr || !next->is("call_expression", "subscript_expression")) break;
    inner = next;
  }
  return inner != nullptr && inner->is("call_expression") ? inner : nullptr;
}

/// The variable of `(*f)` or `(&a)`; null for other arguments.
const Node* pointed_variable(const Node& arguments) {
  const Node* only = arguments.first->next_code();
  if (only == nullptr || !only->is("pointer_expression") || !only->next_code()->is(")")) return nullptr;
  const Node* variable = only->child("argument");
  while (variable != nullptr && variable->is("subscript_expression", "pointer_expression"))
    variable = variable->child("argument");
  return variable != nullptr && variable->is("identifier") ? variable : nullptr;
}

}  // namespace

/// The variable of `void (*f)() = g;` or `int (&a)[2] = b;`, which the parser takes for an assignment; null
/// for other statements.
const Node* Placement::misread_variable(const Node& statement) const {
  const Node* assignment = statement.is("expression_statement") ? statement.first : nullptr;
  if (assignment == nullptr || !assignment->is("assignment_expression")) return nullptr;
  const Node* left = assignment->child("left");
  const Node* call = left != nullptr ? innermost_call(*left) : nullptr;
  const Node* arguments = call != nullptr ? call->child("arguments") : nullptr;
  const Node* variable = arguments != nullptr ? pointed_variable(*arguments) : nullptr;
  if (variable == nullptr) return nullptr;
  const Node* type = call->child("function");
  if (type->is("primitive_type", "sized_type_specifier")) return variable;
  const std::string name = declared_name(program_, *type);
  const bool may_be_type = call != left && !name.empty() && !program_.names.macros.contains(name) &&
                           !program_.names.functions.contains(name.substr(name.rfind(':') + 1)) &&
                           !program_.locals.contains(name);
  return may_be_type && !program_.locals.contains(program_.text(*variable)) ? variable : nullptr;
}

void Placement::note_change(std::string_view name, std::size_t statement) {
  auto& changed = program_.statements[statement].changed;
  if (std::ranges::count(changed, name) == 0) changed.emplace_back(name);
}

void Placement::note_declared(const Node& declaration, std::size_t statement) {
  using enum Local::State;
  const Node* type = declaration.child("type");
  for (const Node& declarator : declaration.children) {
    if (declarator.field != "declarator" || declares_function(program_, declarator)) continue;
    const Node* value = declarator.child("value");
    if (value == nullptr) value = declaration.child("value");
    const Node* inner = declarator.child("declarator");
    const bool has_arguments =  // `T v(n)`, not `T (*v)(int)`
        declarator.is("function_declarator") && inner != nullptr && inner->is("identifier");
    const bool has_value = value != nullptr || declaration.is("for_range_loop") || has_arguments;
    const bool has_constructor = type != nullptr && may_be_constructed(*type, declarator);
    const bool is_lambda = value != nullptr && value->is("lambda_expression");
    const Local::State state = is_lambda         ? unset
                               : has_value       ? initialized
                               : has_constructor ? constructed
                                                 : unset;
    for (std::string& name : declared_locals(program_, declarator)) {
      if (state != unset) note_change(name, statement);
      program_.locals.declare(std::move(name), state, function_, statement);
    }
  }
}

/// The variable of a catch clause.
void Placement::note_caught(const Node& handler) {
  const Node* parameters = handler.child("parameters");
  if (parameters == nullptr) return;
  for (const Node& parameter : parameters->children) {
    const Node* declarator = parameter.child("declarator");
    if (!parameter.is("parameter_declaration") || declarator == nullptr) continue;
    for (std::string& name : declared_locals(program_, *declarator)) {
      program_.locals.declare(std::move(name), Local::State::initialized, function_,
                              program_.statements.size());
    }
  }
}

/// The variables that a statement, or the header of one, declares and assigns.
void Placement::note_variables(const Node& node, std::size_t statement) {
  if (node.is("for_range_loop")) return note_declared(node, statement);
  if (const Node* variable = misread_variable(node)) {
    note_change(program_.text(*variable), statement);
    program_.locals.declare(std::string(program_.text(*variable)), Local::State::initialized, function_,
                            statement);
    return;
  }
  walk(node, [&](const Node& inner) {
    // Blocks in expressions (a GNU extension) have variables of their own.
    if (inner.is("lambda_expression", "field_declaration_list", "compound_statement")) return false;
    if (inner.is("declaration")) note_declared(inner, statement);
    if (const Node* variable = assigned_variable(inner)) note_change(program_.text(*variable), statement);
    return true;
  });
  const Node* value = node.is("expression_statement") ? node.first : nullptr;
  while (value != nullptr && value->is("assignment_expression")) {
    const Node* left = value->child("left");
    const Node* operation = value->child("operator");
    if (operation != nullptr && operation->is("=") && left != nullptr && left->is("identifier"))
      program_.locals.assign(program_.text(*left));
    value = value->child("right");
  }
}

}  // namespace lectern
