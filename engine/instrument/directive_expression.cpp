#include "instrument/directive_expression.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include <fmt/format.h>

#include "instrument/normalize.h"
#include "instrument/syntax.h"

namespace lectern {

namespace {

// In a return statement, no expression parses as a declaration.
constexpr std::string_view kBefore = "auto f() { return ", kAfter = "; }";

bool is_allowed(const Node& node) {
  return !node.named ||
         node.is("identifier", "field_identifier", "type_identifier", "namespace_identifier",
                 "qualified_identifier", "dependent_name", "template_function", "template_method",
                 "template_type", "template_argument_list", "primitive_type", "sized_type_specifier",
                 "type_descriptor", "decltype", "this", "field_expression", "call_expression",
                 "argument_list", "subscript_expression", "subscript_argument_list",
                 "parenthesized_expression", "unary_expression", "pointer_expression", "binary_expression",
                 "conditional_expression", "cast_expression", "sizeof_expression", "alignof_expression",
                 "compound_literal_expression", "initializer_list", "initializer_pair", "field_designator",
                 "parameter_pack_expansion", "fold_expression", "number_literal", "char_literal",
                 "string_literal", "raw_string_literal", "concatenated_string", "user_defined_literal",
                 "true", "false", "null", "comment");
}

// Parsed as names where no statement can begin.
constexpr auto keywords = std::to_array<std::string_view>(
    {"break",  "case",   "catch",    "class", "const", "continue", "default", "delete",
     "do",     "else",   "enum",     "for",   "goto",  "if",       "new",     "return",
     "struct", "switch", "template", "throw", "try",   "using",    "while",   "operator"});

/// Whether nothing inside is evaluated.
bool is_unevaluated_operand(const Node& node) {
  return node.is("template_argument_list", "type_descriptor", "decltype", "sizeof_expression",
                 "alignof_expression", "concatenated_string") ||
         node.kind.ends_with("_literal");
}

/// `(a = ... = args)`, `(f(args), ...)`.
bool assigns(const Node& node) {
  const Node* operation = node.is("fold_expression") ? node.child("operator") : nullptr;
  if (operation == nullptr) return false;
  return operation->is(",") || (operation->kind.ends_with("=") && !operation->is("==", "!=", "<=", ">="));
}

/// The operand of the return statement; null when anything else was parsed.
const Node* returned(const Node* root) {
  if (root == nullptr || root->has_error || root->first == nullptr || root->first->next != nullptr)
    return nullptr;
  const Node* body = root->first->child_of_kind("compound_statement");
  const Node* statement = body != nullptr ? body->child_of_kind("return_statement") : nullptr;
  if (statement == nullptr || !statement->next_code()->is("}")) return nullptr;
  const Node* expression = statement->first->next_code();
  return expression->named ? expression : nullptr;
}

/// `a / b` and `a % b`.
bool divides(const Node& node) {
  const Node* operation = node.is("binary_expression") ? node.child("operator") : nullptr;
  return operation != nullptr && operation->is("/", "%");
}

/// Whether evaluating the node itself may fail: it is a subscript, a dereference, a call or a division.
bool may_fail(const Node& node) {
  const Node* operation =
      node.is("field_expression", "pointer_expression") ? node.child("operator") : nullptr;
  return node.is("subscript_expression", "call_expression") || divides(node) ||
         (operation != nullptr && operation->is("->", "*"));
}

/// Whether evaluating the node itself may throw: it may also call an operator or constructor.
bool may_throw(const Node& node) {
  return may_fail(node) || node.is("binary_expression", "unary_expression", "cast_expression",
                                   "compound_literal_expression", "fold_expression", "user_defined_literal");
}

/// `.front()` and its like: the container; null for other calls.
const Node* filled_container(const Node& call, std::string_view code) {
  const Node* function = call.child("function");
  const Node* arguments = call.child("arguments");
  if (function == nullptr || !function->is("field_expression") || arguments == nullptr) return nullptr;
  const Node* name = function->child("field");
  const Node* operation = function->child("operator");
  if (name == nullptr || operation == nullptr || !operation->is(".")) return nullptr;
  const std::string_view word = code.substr(name->begin, name->end - name->begin);
  const bool takes_filled = word == "front" || word == "back" || word == "top";
  return takes_filled && arguments->children.size() == 2 ? function->child("argument") : nullptr;
}

/// Collects the replacements that make an expression check its subscripts, pointers and divisors.
class CheckedAccesses {
 public:
  explicit CheckedAccesses(std::string_view code) : code_(code) {}

  void add(const Node& node) {
    const Node* argument = node.child("argument");
    if (node.is("call_expression")) {
      if (const Node* container = filled_container(node, code_)) wrap("filled(", *container);
    } else if (divides(node)) {
      const Node *left = node.child("left"), *right = node.child("right");
      const std::string dividend = code_.substr(left->begin, left->end - left->begin);
      wrap(fmt::format("divisor<decltype({})>(", dividend), *right);
    } else if (!may_fail(node) || argument == nullptr || argument->is("this")) {
      return;
    } else if (!node.is("subscript_expression")) {
      wrap("target(", *argument);
    } else if (const Node* list = node.child_of_kind("subscript_argument_list")) {
      const auto indices = std::ranges::count_if(list->children, &Node::is_code);
      if (indices != 1) return;
      insert(argument->begin, "at(");
      code_[list->begin] = ',';  // of the same width, so that columns stay
      code_[list->end - 1] = ')';
    }
  }

  CheckedExpression text(std::size_t begin, std::size_t end) const {
    CheckedExpression checked{"", "", true};
    std::size_t copied = begin;
    for (const auto& [offset, inserted] : insertions_) {
      checked.text.append(code_, copied, offset - copied);
      (offset == begin ? checked.before : checked.text) += inserted;
      copied = offset;
    }
    checked.text.append(code_, copied, end - copied);
    return checked;
  }

 private:
  /// After a blank: `%:` and `:::` are other tokens.
  void insert(std::size_t offset, std::string_view function) {
    insertions_[offset].append(" ::lectern::probe::").append(function);
  }
  void wrap(std::string_view function, const Node& argument) {
    insert(argument.begin, function);
    insertions_[argument.end] += ')';
  }

  std::string code_;
  std::map<std::size_t, std::string> insertions_;
};

}  // namespace

CheckedExpression checked_expression(std::string_view expression, std::string_view language) {
  const std::string code = normalize_for_grammar(fmt::format("{}{}{}", kBefore, expression, kAfter));
  const SyntaxTree tree(code, language);
  const auto evaluated = [](const Node& node) { return !is_unevaluated_operand(node); };
  const Node* const root = returned(tree.root());
  if (root == nullptr || find_node(*root, may_throw, evaluated) == nullptr)
    return {"", std::string(expression), false};
  CheckedAccesses accesses(fmt::format("{}{}", kBefore, expression));
  walk(*root, [&](const Node& node) {
    if (evaluated(node)) accesses.add(node);
    return evaluated(node);
  });
  return accesses.text(kBefore.size(), kBefore.size() + expression.size());
}

std::optional<DirectiveError> expression_error(std::string_view name, std::string_view expression,
                                               std::size_t offset, std::string_view language) {
  const std::string code = normalize_for_grammar(fmt::format("{}{}{}", kBefore, expression, kAfter));
  const SyntaxTree tree(code, language);
  const Node* const root = returned(tree.root());
  const auto text = [&](const Node& node) {
    return expression.substr(node.begin - kBefore.size(), node.end - node.begin);
  };
  const auto evaluated = [](const Node& node) { return !is_unevaluated_operand(node); };
  if (root == nullptr || std::ranges::count(keywords, text(*root)) > 0) {
    return DirectiveError{
        offset,
        fmt::format("'{}' after @{} is not an expression; write names, members, calls and subscripts, "
                    "separated by spaces, and other expressions in parentheses, as in (a + b)",
                    expression, name)};
  }
  const auto refuses = [](const Node& node) { return !is_allowed(node) || assigns(node); };
  if (const Node* refused = find_node(*root, refuses, evaluated)) {
    return DirectiveError{
        offset + refused->begin - kBefore.size(),
        fmt::format("'{}' is not allowed after @{}; write names, members, calls and subscripts without side "
                    "effects: no assignment, ++, --, comma, new, delete, throw, co_await or lambda",
                    text(*refused), name)};
  }
  const auto names = [](const Node& node) { return node.is("identifier", "this", "sizeof_expression"); };
  if (find_node(*root, names, evaluated) == nullptr) {
    return DirectiveError{offset, fmt::format("'{}' after @{} names no variable; write names, members, calls "
                                              "and subscripts",
                                              expression, name)};
  }
  return std::nullopt;
}

}  // namespace lectern
