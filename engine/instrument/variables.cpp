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

}  // namespace

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
