#include "instrument/names.h"

#include <algorithm>

namespace lectern {

namespace {

std::string without_blanks(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\n' && c != '\r') result += c;
  }
  return result;
}

/// The declarator inside of `*`, `&`, `[]`, `()`; null when there is none.
const Node* inner_declarator(const Node& declarator) {
  if (const Node* inner = declarator.child("declarator")) return inner;
  const Node* last = nullptr;
  for (const Node* child = declarator.first; child != nullptr; child = child->next) {
    const bool name = child->named && !child->is("comment") && !child->is("attribute_declaration");
    if (name && child->kind.find("modifier") == std::string_view::npos) last = child;
  }
  return last;
}

bool is_name(const Node& node) {
  return node.is("identifier") || node.is("field_identifier") || node.is("type_identifier") ||
         node.is("namespace_identifier");
}

bool is_declarator(const Node& node) {
  return node.kind.ends_with("_declarator") && !node.is("structured_binding_declarator");
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
  if (is_name(declarator) || declarator.is("destructor_name"))
    return without_blanks(program.text(declarator));
  return {};
}

std::vector<std::string> declared_variables(const Program& program, const Node& declaration) {
  std::vector<std::string> names;
  for (const Node* child = declaration.first; child != nullptr; child = child->next) {
    if (child->field != "declarator") continue;
    const Node* declarator = child;
    while (is_declarator(*declarator)) {
      const Node* inner = inner_declarator(*declarator);
      if (inner == nullptr) break;
      declarator = inner;
    }
    if (declarator->is("structured_binding_declarator")) {
      for (const Node* name = declarator->first; name != nullptr; name = name->next) {
        if (name->is("identifier")) names.emplace_back(program.text(*name));
      }
    } else if (std::string name = declared_name(program, *declarator); !name.empty()) {
      names.push_back(std::move(name));
    }
  }
  return names;
}

bool declares_function(const Program& program, const Node& declarator) {
  const Node* node = &declarator;
  while (node != nullptr && (node->is("pointer_declarator") || node->is("reference_declarator"))) {
    node = inner_declarator(*node);
  }
  if (node == nullptr || !node->is("function_declarator"))
    return node != nullptr && node->is("operator_cast");
  const Node* inner = node->child("declarator");
  if (inner != nullptr && inner->is("parenthesized_declarator")) return false;
  const Node* parameters = node->child("parameters");
  if (parameters == nullptr || node->first->next != parameters || parameters->next != nullptr) return true;
  // `T v(n)` looks like a function with a parameter of type n: take it for a variable when all are bare
  // names.
  bool any = false;
  for (const Node* child = parameters->first; child != nullptr; child = child->next) {
    if (!child->named || child->is("comment")) continue;
    any = true;
    const bool bare = child->is("parameter_declaration") && child->child("declarator") == nullptr &&
                      child->first->next == nullptr && child->first->is("type_identifier");
    const std::string_view name = program.text(*child);
    if (!bare || program.names.functions.contains(name)) return !bare;
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

std::string holder_of(const Program& program, const Node& lambda) {
  const Node* value = &lambda;
  const Node* parent = value->parent;
  if (parent != nullptr && parent->is("initializer_list") && parent->first->next_code() == value) {
    value = parent;
    parent = value->parent;
  }
  if (parent == nullptr) return {};
  if (value->field == "value" || value->field == "default_value") {
    const Node* declarator = parent->child("declarator");
    return declarator != nullptr ? declared_name(program, *declarator) : std::string();
  }
  const bool assigned = parent->is("assignment_expression") || parent->is("lambda_capture_initializer");
  if (assigned && value->field == "right") {
    const Node* left = parent->child("left");
    return left != nullptr && left->is("identifier") ? std::string(program.text(*left)) : std::string();
  }
  return {};
}

std::vector<std::string> data_members(const Program& program, const Node& class_body) {
  const bool all_known = std::none_of(
      program.reading.unreadable.begin(), program.reading.unreadable.end(), [&](const Unreadable& cut) {
        return class_body.begin < cut.span.begin && cut.span.end < class_body.end &&
               cut.kind == Unreadable::Kind::member;
      });
  if (!all_known) return {};
  std::vector<std::string> members;
  for (const Node* child = class_body.first; child != nullptr; child = child->next) {
    if (child->kind.starts_with("preproc_")) return {};
    if (!child->is("field_declaration")) continue;
    bool is_static = false, is_friend = false, any = false;
    for (const Node* part = child->first; part != nullptr; part = part->next) {
      is_static = is_static || (part->is("storage_class_specifier") && program.text(*part) == "static");
      is_friend = is_friend || part->is("friend");
      any = any || part->field == "declarator";
    }
    const Node* type = child->child("type");
    const bool anonymous =
        !any && type != nullptr && type->child("body") != nullptr && type->child("name") == nullptr;
    if (anonymous) return {};
    if (is_static || is_friend) continue;
    for (const Node* part = child->first; part != nullptr; part = part->next) {
      if (part->field != "declarator" || declares_function(program, *part)) continue;
      members.push_back(declared_name(program, *part));
    }
  }
  return members;
}

void find_names(Program& program) {
  KnownNames& names = program.names;
  const auto add = [&](const Node& declarator, bool member) {
    const std::string name = declared_name(program, declarator);
    const std::size_t colon = name.rfind(':');
    names.functions.insert(colon == std::string::npos ? name : name.substr(colon + 1));
    if (!member && colon == std::string::npos) names.free_functions.insert(name);
  };
  walk(*program.reading.tree.root(), [&](const Node& node) {
    if (node.is("comment")) program.comments.push_back(&node);
    if (node.is("declaration") || node.is("field_declaration")) {
      const Node* declarator = node.child("declarator");
      const std::size_t end = declarator != nullptr ? declarator->begin : node.begin;
      if (program.text({node.begin, end}).find("const") != std::string_view::npos) {
        for (std::string& name : declared_variables(program, node)) names.constants.insert(std::move(name));
      }
    }
    if (node.is("function_definition") || node.is("declaration") || node.is("field_declaration")) {
      for (const Node* child = node.first; child != nullptr; child = child->next) {
        if (child->field == "declarator" && declares_function(program, *child)) {
          add(*child, node.parent->is("field_declaration_list"));
        }
      }
    } else if (node.is("lambda_expression")) {
      if (std::string holder = holder_of(program, node); !holder.empty()) {
        names.free_functions.insert(holder);
        names.functions.insert(std::move(holder));
      }
    } else if (node.is("preproc_function_def") || node.is("preproc_def")) {
      const Node* name = node.child("name");
      const Node* value = node.child("value");
      if (name == nullptr) return true;
      if (node.is("preproc_def")) names.constants.emplace(program.text(*name));
      if (program.text(*name) == "assert") names.assert_is_own = true;
      if (node.is("preproc_def")) return true;
      names.macros.emplace(program.text(*name));
      if (value != nullptr && program.text(*value).find('#') != std::string_view::npos) {
        names.printing_macros.emplace(program.text(*name));
      }
    }
    return true;
  });
}

}  // namespace lectern
