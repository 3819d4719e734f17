#include "instrument/placement.h"

#include <algorithm>

#include <fmt/format.h>

#include "instrument/names.h"
#include "trace/tokens.h"

namespace lectern {

namespace {

using Severity = Diagnostic::Severity;
using Words = std::vector<std::string_view>;

/// What is never executed, or only by the compiler.
bool is_unevaluated(const Node& node) {
  return node.is("decltype", "sizeof_expression", "alignof_expression", "requires_expression",
                 "requires_clause", "noexcept", "static_assert_declaration", "concept_definition",
                 "template_argument_list", "template_parameter_list", "preproc_function_def") ||
         node.kind.starts_with("preproc_def");
}

bool has_word(const Words& words, std::string_view word) {
  return std::ranges::count(words, word) > 0;
}

bool is_coroutine(const Node& body) {
  return find_node(
             body, [](const Node& node) { return node.kind.starts_with("co_"); },
             [](const Node& node) { return !node.is("lambda_expression", "function_definition"); }) !=
         nullptr;
}

bool has_auto_parameter(const Program& program, const Node& function) {
  const Node* parameters = find_node(
      function, [](const Node& node) { return node.is("parameter_list"); },
      [](const Node& node) { return !node.is("compound_statement"); });
  return parameters != nullptr && has_word(tokens(program.text(*parameters), "cuda"), "auto");
}

/// The variables that the parameters of a function, or of lambdas among its default arguments, declare.
std::vector<std::string> parameters_of(const Program& program, const Node& function) {
  std::vector<std::string> parameters;
  walk(function, [&](const Node& node) {
    if (node.is("parameter_declaration", "optional_parameter_declaration"))
      std::ranges::move(declared_variables(program, node), std::back_inserter(parameters));
    return !node.is("compound_statement");
  });
  return parameters;
}

}  // namespace

void place_probes(Program& program) {
  Placement(program).visit(program.root());
}

void Placement::insert(std::size_t offset, std::string code) {
  program_.insertions.push_back({offset, std::move(code), !in_macro_});
}

void Placement::insert_inspection(std::size_t offset, std::string before, std::size_t statement,
                                  InspectionPoint point) {
  program_.insertions.push_back({offset, std::move(before), !in_macro_, statement, point});
}

void Placement::visit_children(const Node& node) {
  for (const Node& child : node.children) visit(child);
}

void Placement::visit(const Node& node) {
  if (node.first == nullptr || node.is("ERROR") || is_unevaluated(node)) return;
  if (node.is("function_definition", "lambda_expression")) return visit_function(node);
  if (node.is("call_expression")) return visit_call(node);
  if (node.is("namespace_definition")) {
    const Node* name = node.child("name");
    return visit_scope(node, name != nullptr ? std::string(program_.text(*name)) : std::string());
  }
  if (node.is("class_specifier", "struct_specifier", "union_specifier")) {
    if (const Node* body = node.child("body")) visit_class(node, *body);
    return;
  }
  const bool is_constexpr = node.is("declaration", "field_declaration") &&
                            has_word(tokens(specifiers(program_, node), "cuda"), "constexpr");
  const Scoped in_template(in_template_, in_template_ || node.is("template_declaration"));
  const Scoped in_constexpr(in_constexpr_, in_constexpr_ || is_constexpr);
  visit_children(node);
}

void Placement::visit_scope(const Node& node, const std::string& name) {
  if (!name.empty()) scopes_.push_back(name);
  visit_children(node);
  if (!name.empty()) scopes_.pop_back();
}

void Placement::visit_class(const Node& node, const Node& body) {
  const Node* name = node.child("name");
  const std::string type = name != nullptr ? declared_name(program_, *name) : std::string();
  if (!type.empty() && !node.is("union_specifier")) {
    std::vector<std::string> members = data_members(program_, body);
    if (!members.empty()) program_.aggregates.push_back({qualified(type), std::move(members)});
  }
  const Scoped locals(locals_, {});  // those of the function around it are out of scope
  visit_scope(body, type);
}

std::string Placement::qualified(const std::string& name) const {
  std::string result;
  for (const std::string& scope : scopes_) result += scope + "::";
  return result + name;
}

std::string Placement::untraced_reason(const Node& node, const Node& body, const std::string& name,
                                       const Words& specifiers) {
  const auto report = [&](Severity severity, const std::string& message) {
    program_.report(severity, node.begin, message);
  };
  if (has_word(specifiers, "__global__") || has_word(specifiers, "__device__")) return "device code";
  if (const UnparsedPart* part = program_.unparsed(body))
    return fmt::format("line {} cannot be parsed", program_.positions.line(part->error));
  if (has_word(specifiers, "consteval")) {
    report(Severity::note, "a consteval function is not stepped: the compiler runs it");
    return "consteval";
  }
  if (is_coroutine(body)) {
    report(Severity::warning, "a coroutine is not stepped; call what is to be seen from a plain function");
    return "coroutine";
  }
  if (in_opaque_macro_) {
    report(Severity::warning,
           "a lambda in the arguments of a macro is not stepped; give it a name before the macro");
    return "in a macro's arguments";
  }
  const bool allocates = name.ends_with("operator new") || name.ends_with("operator new[]") ||
                         name.ends_with("operator delete") || name.ends_with("operator delete[]");
  if (!allocates) return {};
  report(Severity::note, "this function is not stepped: the recorder itself calls it");
  return "the recorder itself calls it";
}

void Placement::visit_function(const Node& node) {
  const bool is_lambda = node.is("lambda_expression");
  const Node* declarator = is_lambda ? nullptr : node.child("declarator");
  const Node* body = node.child_of_kind("compound_statement");
  const Node* guarded = node.child_of_kind("try_statement");
  if (body == nullptr && guarded != nullptr) body = guarded->child_of_kind("compound_statement");
  if (body == nullptr || (declarator == nullptr && !is_lambda)) return;  // defaulted or deleted
  std::string name = is_lambda ? lambda_name(program_, node) : declared_name(program_, *declarator);
  if (is_lambda && name.empty()) name = "(lambda)";
  const std::size_t end = is_lambda ? body->begin : declarator->begin;
  const Words specifiers = tokens(program_.text({node.begin, end}), "cuda");
  std::string reason = untraced_reason(node, *body, name, specifiers);
  if (!reason.empty())
    return program_.functions.push_back(
        {qualified(name), {node.begin, node.end}, std::move(reason), nullptr});

  const bool generic =
      node.child_of_kind("template_parameter_list") != nullptr || has_auto_parameter(program_, node);
  const Scoped in_template(in_template_, in_template_ || generic);
  const Scoped in_constexpr(in_constexpr_, in_constexpr_ || has_word(specifiers, "constexpr"));
  if (const Node* captures = node.child("captures")) visit(*captures);
  traced_function(node, name, *body);
}

void Placement::traced_function(const Node& node, const std::string& name, const Node& body) {
  const Scoped function(function_, program_.functions.size());
  program_.functions.push_back({qualified(name), {node.begin, node.end}, {}, &body});
  scopes_.push_back(name);
  locals_.push_back(parameters_of(program_, node));
  if (node.is("function_definition")) {  // initialisers of a constructor, default arguments
    for (const Node* child = node.first; child != &body && child != nullptr; child = child->next) {
      if (!child->is("try_statement")) visit(*child);
    }
  }
  if (body.parent->is("try_statement")) {
    for (const Node& part : body.parent->children) {
      if (part.is("field_initializer_list")) visit(part);
      if (&part == &body) traced_body(body);
      // The frame of the try block is destroyed before a handler runs: each has its own.
      const Node* handler = part.is("catch_clause") ? part.child_of_kind("compound_statement") : nullptr;
      if (handler != nullptr) traced_body(*handler);
    }
  } else {
    traced_body(body);
  }
  locals_.pop_back();
  scopes_.pop_back();
}

void Placement::traced_body(const Node& body) {
  insert(body.begin + 1, fmt::format("::lectern::probe::Frame lectern_frame_{0}(::{1}::source, {0}{2});",
                                     function_, program_.table, in_template_ ? ", __PRETTY_FUNCTION__" : ""));
  block(body);
}

}  // namespace lectern
