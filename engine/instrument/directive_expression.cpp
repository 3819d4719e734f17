#include "instrument/directive_expression.h"

#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>

#include "instrument/plain_spelling.h"
#include "instrument/syntax.h"

namespace lectern {

namespace {

// A return statement: there, nothing that is an expression reads as a declaration.
constexpr std::string_view kBefore = "auto f() { return ", kAfter = "; }";

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

constexpr std::array<std::string_view, 42> allowed{"identifier",
                                                   "field_identifier",
                                                   "type_identifier",
                                                   "namespace_identifier",
                                                   "qualified_identifier",
                                                   "dependent_name",
                                                   "template_function",
                                                   "template_method",
                                                   "template_type",
                                                   "primitive_type",
                                                   "sized_type_specifier",
                                                   "type_descriptor",
                                                   "decltype",
                                                   "this",
                                                   "field_expression",
                                                   "call_expression",
                                                   "argument_list",
                                                   "subscript_expression",
                                                   "subscript_argument_list",
                                                   "parenthesized_expression",
                                                   "unary_expression",
                                                   "pointer_expression",
                                                   "binary_expression",
                                                   "conditional_expression",
                                                   "cast_expression",
                                                   "sizeof_expression",
                                                   "alignof_expression",
                                                   "compound_literal_expression",
                                                   "initializer_list",
                                                   "initializer_pair",
                                                   "field_designator",
                                                   "parameter_pack_expansion",
                                                   "fold_expression",
                                                   "number_literal",
                                                   "char_literal",
                                                   "string_literal",
                                                   "raw_string_literal",
                                                   "concatenated_string",
                                                   "user_defined_literal",
                                                   "true",
                                                   "false",
                                                   "null"};

/// Words that the parser takes for names where no statement can begin.
constexpr std::array<std::string_view, 24> keywords{
    "break",  "case",   "catch",    "class", "const", "continue", "default", "delete",
    "do",     "else",   "enum",     "for",   "goto",  "if",       "new",     "return",
    "struct", "switch", "template", "throw", "try",   "using",    "while",   "operator"};

/// What has no expressions inside that the program would evaluate.
bool is_closed(const Node& node) {
  return node.is("template_argument_list") || node.is("type_descriptor") || node.is("decltype") ||
         node.is("sizeof_expression") || node.is("alignof_expression") || node.kind.ends_with("_literal") ||
         node.is("concatenated_string");
}

/// `(a = ... = args)`, `(f(args), ...)`.
bool assigns(const Node& node) {
  const Node* operation = node.is("fold_expression") ? node.child("operator") : nullptr;
  if (operation == nullptr) return false;
  constexpr std::array<std::string_view, 4> comparisons{"==", "!=", "<=", ">="};
  const bool compares = is_one_of(comparisons, operation->kind);
  return operation->is(",") || (operation->kind.ends_with("=") && !compares);
}

/// The expression of the one return statement; null when that is not what was parsed.
const Node* returned(const Node* root) {
  if (root == nullptr || root->has_error || root->first == nullptr || root->first->next != nullptr)
    return nullptr;
  const Node* body = root->first->child_of_kind("compound_statement");
  const Node* statement = body != nullptr ? body->child_of_kind("return_statement") : nullptr;
  if (statement == nullptr || !statement->next_code()->is("}")) return nullptr;
  const Node* expression = statement->first->next_code();
  return expression->named ? expression : nullptr;
}

}  // namespace

std::optional<DirectiveError> expression_error(std::string_view word, std::string_view expression,
                                               std::size_t offset, std::string_view language) {
  const std::string code = plain_spelling(fmt::format("{}{}{}", kBefore, expression, kAfter));
  const SyntaxTree tree(code, language);
  const Node* const root = returned(tree.root());
  const auto text = [&](const Node& node) {
    return expression.substr(node.begin - kBefore.size(), node.end - node.begin);
  };
  if (root == nullptr || is_one_of(keywords, text(*root))) {
    return DirectiveError{
        offset, fmt::format("'{}' after @{} is no expression; write names, members, calls and indexing, "
                            "separated by blanks, and others in parentheses, as in (a + b)",
                            expression, word)};
  }
  const Node* refused = nullptr;
  bool names = false;
  walk(*root, [&](const Node& node) {
    const bool known = !node.named || node.is("template_argument_list") || node.is("comment") ||
                       is_one_of(allowed, node.kind);
    if ((!known || assigns(node)) && refused == nullptr) refused = &node;
    names = names || node.is("identifier") || node.is("this") || node.is("sizeof_expression");
    return refused == nullptr && !is_closed(node);
  });
  if (refused != nullptr) {
    return DirectiveError{
        offset + refused->begin - kBefore.size(),
        fmt::format(
            "'{}' may not stand after @{}; write names, members, calls and indexing, and nothing that "
            "changes the program or makes a function: no assignment, ++, --, comma, new, delete, "
            "throw, co_await or lambda",
            text(*refused), word)};
  }
  if (!names) {
    return DirectiveError{offset, fmt::format("'{}' after @{} names nothing; write names, members, calls and "
                                              "indexing",
                                              expression, word)};
  }
  return std::nullopt;
}

}  // namespace lectern
