#include "instrument/names.h"

#include <algorithm>
#include <iterator>

namespace lectern {

namespace {

std::string without_blanks(std::string_view text) {
  std::string result(text);
  std::erase_if(result, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
  return result;
}

/// The declarator inside of `*`, `&`, `[]`, `()`; null when there is none.
const Node* inner_declarator(const Node& declarator) {
  if (const Node* inner = declarator.child("declarator")) return inner;
  const Node* last = nullptr;
  for (const Node& child : declarator.children) {
    const bool name = child.is_code() && !child.is("attribute_declaration");
    if (name && child.kind.find("modifier") == std::string_view::npos) last = &child;
  }
  return last;
}

bool is_declarator(const Node& node) {
  return node.kind.ends_with("_declarator") && !node.is("structured_binding_declarator");
}

/// `NAME(a, b) = 1`: no function has a value.
bool is_made_by_macro(const Node& declarator) {
  const Node* inner = declarator.is("init_declarator") ? declarator.child("declarator") : nullptr;
  const Node* name =
      inner != nullptr && inner->is("function_declarator") ? inner->child("declarator") : nullptr;
  return name != nullptr && name->is("identifier");
}

}  // namespace

std::string declared_name(const Program& program, const Node& declarator) {
  if (declarator.is("qualified_identifier")) {
    const Node* scope = declarator.child("scope");
    const Node* name = declarator.child("name");
    if (name == nullptr) return {};
    return (scope != nullptr ? declared_name(program, *scope) + "::" : "") + declared_name(program, *name);
  }
  if (declarator.kind.starts_with("template_")) {
    const Node* name = declarator.child("name");
    return name != nullptr ? declared_name(program, *name) : std::string();
  }
  if (declarator.is("operator_cast")) {
    const Node* type = declarator.child("type");
    return "operator " + (type != nullptr ? std::string(program.text(*type)) : std::string());
  }
  if (is_declarator(declarator)) {
    const Node* inner = inner_declarator(declarator);
    return inner != nullptr ? declared_name(program, *inner) : std::string();
  }
  if (declarator.is("operator_name")) {
    const std::string_view name = program.text(declarator);
    const bool word =
        name.ends_with("new") || name.ends_with("delete") || name.find("\"\"") != std::string_view::npos;
    return word ? std::string(name) : without_blanks(name);
  }
  if (declarator.is("identifier", "field_identifier", "type_identifier", "namespace_identifier",
                    "destructor_name")) {
    return without_blanks(program.text(declarator));
  }
  return {};
}

std::vector<std::string> declarator_variables(const Program& program, const Node& declarator) {
  const Node* inner = &declarator;
  while (is_declarator(*inner) && inner_declarator(*inner) != nullptr) inner = inner_declarator(*inner);
  std::vector<std::string> names;
  if (inner->is("structured_binding_declarator")) {
    for (const Node& name : inner->children) {
      if (name.is("identifier")) names.emplace_back(program.text(name));
    }
  } else if (std::string name = declared_name(program, *inner); !name.empty()) {
    names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> declared_locals(const Program& program, const Node& declarator) {
  if (is_made_by_macro(declarator)) return {};
  std::vector<std::string> names = declarator_variables(program, declarator);
  for (std::string& name : names) name.erase(0, name.rfind(':') + 1);
  std::erase_if(names, [&](const std::string& name) {
    return program.names.macros.contains(name) || program.names.object_macros.contains(name);
  });
  return names;
}

std::vector<std::string> declared_variables(const Program& program, const Node& declaration) {
  std::vector<std::string> names;
  for (const Node& child : declaration.children) {
    if (child.field == "declarator")
      std::ranges::move(declarator_variables(program, child), std::back_inserter(names));
  }
  return names;
}

bool declares_function(const Program& program, const Node& declarator) {
  const Node* node = &declarator;
  while (node != nullptr && node->is("pointer_declarator", "reference_declarator")) {
    node = inner_declarator(*node);
  }
  if (node == nullptr) return false;
  if (!node->is("function_declarator")) return node->is("operator_cast");
  const Node* inner = node->child("declarator");
  if (inner != nullptr && inner->is("parenthesized_declarator")) return false;
  const Node* parameters = node->child("parameters");
  if (parameters == nullptr || node->first->next != parameters || parameters->next != nullptr) return true;
  // `T v(n)` parses as a function with a parameter of type n; when all are unknown bare names, it is a
  // variable.
  bool any = false;
  for (const Node& child : parameters->children) {
    if (!child.is_code()) continue;
    any = true;
    const bool bare = child.is("parameter_declaration") && child.child("declarator") == nullptr &&
                      child.first->next == nullptr && child.first->is("type_identifier");
    if (!bare || program.names.functions.contains(program.text(child))) return !bare;
  }
  return !any;
}

CalledName called_name(const Program& program, const Node& call) {
  const Node* function = call.child("function");
  if (!call.is("call_expression") || function == nullptr) return {};
  if (function->is("template_function")) function = function->child("name");
  if (function != nullptr && function->is("identifier")) return {std::string(program.text(*function)), false};
  if (function == nullptr || !function->is("qualified_identifier")) return {};
  std::string name = declared_name(program, *function);
  if (!name.starts_with("lectern::") && !name.starts_with("::lectern::")) return {};
  return {name.substr(name.rfind(':') + 1), true};
}

std::string_view last_name(const Program& program, const Node& call) {
  const Node* name = call.child("function");
  while (name != nullptr && name->is("qualified_identifier", "field_expression"))
    name = name->child(name->is("field_expression") ? "field" : "name");
  return name != nullptr ? program.text(*name) : std::string_view();
}

std::string lambda_name(const Program& program, const Node& lambda) {
  const Node* value = &lambda;
  if (value->parent != nullptr && value->parent->is("initializer_list") &&
      value->parent->first->next_code() == value && value->next_code()->is("}")) {
    value = value->parent;
  }
  const Node* parent = value->parent;
  if (parent == nullptr) return {};
  if (value->field == "value" || value->field == "default_value") {
    const Node* declarator = parent->child("declarator");
    return declarator != nullptr ? declared_name(program, *declarator) : std::string();
  }
  if (!parent->is("assignment_expression", "lambda_capture_initializer") || value->field != "right")
    return {};
  const Node* left = parent->child("left");
  return left != nullptr && left->is("identifier") ? std::string(program.text(*left)) : std::string();
}

std::string_view specifiers(const Program& program, const Node& declaration) {
  const Node* declarator = declaration.child("declarator");
  return program.text({declaration.begin, declarator != nullptr ? declarator->begin : declaration.begin});
}

void LectureNames::add(const Program& program) {
  macros.insert(macros.end(), program.macros.begin(), program.macros.end());
}

void add_names(Program& program, const LectureNames& names) {
  for (const Macro& macro : names.macros) {
    (macro.has_parameters ? program.names.macros : program.names.object_macros).insert(macro.name);
    if (opens_scope(macro)) program.names.scope_macros.insert(macro.name);
  }
  program.names.stringizing_macros = find_stringizing(names.macros);
}

void find_names(Program& program) {
  KnownNames& names = program.names;
  for (const Macro& macro : program.macros) {
    if (macro.name == "assert") names.redefines_assert = true;
    if (!macro.has_parameters) names.constants.insert(macro.name);
  }
  const auto add = [&](const Node& declarator, bool member) {
    const std::string name = declared_name(program, declarator);
    const std::size_t colon = name.rfind(':');
    names.functions.insert(name.substr(colon + 1));
    if (!member && colon == std::string::npos) names.free_functions.insert(name);
  };
  walk(program.root(), [&](const Node& node) {
    if (node.is("comment")) program.comments.push_back(&node);
    if (node.is("declaration", "field_declaration") &&
        specifiers(program, node).find("const") != std::string_view::npos) {
      for (std::string& name : declared_variables(program, node)) names.constants.insert(std::move(name));
    }
    if (node.is("function_definition", "declaration", "field_declaration")) {
      for (const Node& child : node.children) {
        if (child.field == "declarator" && declares_function(program, child))
          add(child, node.parent->is("field_declaration_list"));
      }
    } else if (node.is("lambda_expression")) {
      if (std::string name = lambda_name(program, node); !name.empty()) {
        names.free_functions.insert(name);
        names.functions.insert(std::move(name));
      }
    }
    return true;
  });
}

}  // namespace lectern
