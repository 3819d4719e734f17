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

}  // namespace

bool Placement::is_local(std::string_view name) const {
  return std::ranges::any_of(locals_,
                             [&](const Names& block) { return std::ranges::count(block, name) > 0; });
}

void Placement::inspect_variable(std::string_view name, const Node& node, std::size_t statement) {
  auto& inspections = program_.statements[statement].inspections[InspectionPoint::statement];
  if (std::ranges::count(inspections, name, &Inspection::expression) == 0)
    inspections.push_back({Inspection::Kind::show, std::string(name), node.begin, false});
}

void Placement::inspect_declared(const Node& declaration, std::size_t statement) {
  const Node* type = declaration.child("type");
  const bool has_constructor = type != nullptr && type->is("qualified_identifier", "template_type");
  for (const Node& declarator : declaration.children) {
    if (declarator.field != "declarator" || declares_function(program_, declarator)) continue;
    const Node* value = declarator.child("value");
    if (value == nullptr) value = declaration.child("value");
    if (value != nullptr && value->is("lambda_expression")) continue;
    const bool initialized = value != nullptr || declaration.is("for_range_loop") ||
                             declarator.is("function_declarator") ||
                             (has_constructor && !declarator.is("pointer_declarator"));
    for (const std::string& name : variables_in(program_, declarator)) {
      locals_.back().push_back(name);
      if (initialized) inspect_variable(name, declaration, statement);
    }
  }
}

/// The variables that a statement declares and assigns.
void Placement::inspect_variables(const Node& node, std::size_t statement) {
  if (!program_.options.inspect_all) return;
  if (node.is("for_range_loop")) return inspect_declared(node, statement);
  walk(node, [&](const Node& inner) {
    if (inner.is("lambda_expression", "field_declaration_list")) return false;
    if (inner.is("declaration")) inspect_declared(inner, statement);
    const Node* variable = assigned_variable(inner);
    if (variable != nullptr && is_local(program_.text(*variable)))
      inspect_variable(program_.text(*variable), node, statement);
    return true;
  });
}

}  // namespace lectern
