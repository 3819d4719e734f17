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

/// Of `a::b::inline c`, a::b::c.
std::string namespace_name(const Program& program, const Node& name) {
  std::string result;
  for (const std::string_view token : tokens(program.text(name), "cpp")) {
    if (token != "inline") result += token;
  }
  return result;
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

bool calls_own_function(const Program& program, const Node& expressions) {
  return find_node(expressions, [&](const Node& part) {
           return part.is("call_expression") && program.names.functions.contains(last_name(program, part));
         }) != nullptr;
}

/// Of `int (*f(int n))(double)` the list with n; null when there is none.
const Node* own_parameters(const Node& function) {
  const Node* parameters = nullptr;
  for (const Node* declarator = function.child("declarator"); declarator != nullptr;) {
    if (const Node* list = declarator->child("parameters")) parameters = list;
    const Node* inner = declarator->child("declarator");
    if (inner == nullptr && declarator->is("parenthesized_declarator", "reference_declarator"))
      inner = declarator->first->next_code();
    declarator = inner;
  }
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
  program_.insertions.back().locals = program_.locals.innermost();
}

void Placement::visit_children(const Node& node) {
  for (const Node& child : node.children) visit(child);
}

void Placement::visit(const Node& node) {
  if (node.first == nullptr || node.is("ERROR") || is_unevaluated(node)) return;
  if (node.is("function_definition", "lambda_expression")) return visit_function(node);
  if (node.is("call_expression")) return visit_call(node);
  const Mark* const mark = program_.mark(node);
  const Scoped hidden(hidden_, mark != nullptr && mark->hide ? mark : hidden_);
  if (node.is("namespace_definition")) {
    const Node* name = node.child("name");
    return visit_scope(node, name != nullptr ? namespace_name(program_, *name) : std::string());
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
  if (!type.empty()) program_.classes.push_back(qualified(type));
  const std::string shows_fields = in_macro_ ? std::string() : fields_function(program_, node);
  if (!shows_fields.empty()) insert(body.begin + 1, shows_fields);
  const BlockOfLocals locals(program_, BlockOfLocals::Kind::class_in_function);
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
  const std::string global = qualified(name);  // those of a class have another name
  const bool allocates = global == "operator new" || global == "operator new[]" ||
                         global == "operator delete" || global == "operator delete[]";
  if (!allocates) return {};
  report(Severity::note, "this function is not stepped: the recorder itself calls it");
  return "the recorder itself calls it";
}

/// Whether braces may hold members, for all that the text shows: those of `CLASS Name { … }` and
/// `STRUCT(Name) { … };`, of which macros make a class, are a function's to the parser.
bool Placement::may_hold_members(const Node& definition) const {
  const Node* declarator = definition.child("declarator");
  if (declarator == nullptr) return false;
  if (find_node(*declarator,
                [](const Node& part) { return part.is("function_declarator", "operator_cast"); }) == nullptr)
    return true;
  if (!declarator->is("function_declarator") || definition.child("type") != nullptr) return false;
  const std::string name = declared_name(program_, *declarator);
  if (program_.names.macros.contains(name)) return program_.names.scope_macros.contains(name);
  const bool is_constructor = !scopes_.empty() && scopes_.back() == name;
  const Node* next = definition.next_code();
  return looks_like_macro(name) && !is_constructor && next != nullptr && program_.text(*next) == ";";
}

void Placement::visit_function(const Node& node) {
  const bool is_lambda = node.is("lambda_expression");
  const Node* declarator = is_lambda ? nullptr : node.child("declarator");
  const Node* body = node.child_of_kind("compound_statement");
  const Node* guarded = node.child_of_kind("try_statement");
  if (body == nullptr && guarded != nullptr) body = guarded->child_of_kind("compound_statement");
  if (body == nullptr || (declarator == nullptr && !is_lambda)) return;  // defaulted or deleted
  if (!is_lambda && may_hold_members(node)) {
    return program_.report(
        Severity::warning, node.begin,
        "a macro may make a class or namespace of this, so nothing in it is stepped; write "
        "`class`, `struct` or `namespace` and its name without the macro");
  }
  std::string name = is_lambda ? lambda_name(program_, node) : declared_name(program_, *declarator);
  if (is_lambda && name.empty()) name = "(lambda)";
  const std::size_t end = is_lambda ? body->begin : declarator->begin;
  const Words specifiers = tokens(program_.text({node.begin, end}), "cuda");
  if (in_whole_) return visit_children(node);
  std::string reason = untraced_reason(node, *body, name, specifiers);
  if (!reason.empty())
    return program_.functions.push_back(
        {qualified(name), {node.begin, node.end}, std::move(reason), nullptr});

  const bool generic =
      node.child_of_kind("template_parameter_list") != nullptr || has_auto_parameter(program_, node);
  const Scoped in_template(in_template_, in_template_ || generic);
  const Scoped in_constexpr(in_constexpr_, in_constexpr_ || has_word(specifiers, "constexpr"));
  if (const Node* captures = node.child("captures")) visit(*captures);
  const Mark* const mark = program_.mark(node);
  if (hidden_ != nullptr || program_.is_stepped_over(node))
    return function_over(node, name, *body, hidden_ != nullptr ? *hidden_ : *mark);
  traced_function(node, name, *body);
}

/// A function that no call steps into, nor into what it calls.
void Placement::function_over(const Node& node, const std::string& name, const Node& body, const Mark& mark) {
  const char* const directive = mark.hide ? "@hide" : "@stepover";
  if (name == "main" && scopes_.empty()) {
    program_.report(Severity::error, mark.begin,
                    fmt::format("{} on main leaves nothing to step; write it on other functions, or on "
                                "statements",
                                directive));
  }
  const Node* initializers = node.child_of_kind("field_initializer_list");
  if (program_.mark(node) == &mark && initializers != nullptr &&
      calls_own_function(program_, *initializers)) {
    program_.report(
        Severity::warning, mark.begin,
        fmt::format("{} on a constructor begins with its body, so what its member initialisers call is "
                    "stepped; call it in the body, or write the directive on the functions called",
                    directive));
  }
  const Scoped function(function_, program_.functions.size());
  program_.functions.push_back({qualified(name), {node.begin, node.end}, directive, &body, true});
  insert_frame(body);
  const Node* const guarded = body.parent->is("try_statement") ? body.parent : nullptr;
  for (const Node* part = guarded != nullptr ? guarded->first : nullptr; part != nullptr; part = part->next) {
    const Node* handler = part->is("catch_clause") ? part->child_of_kind("compound_statement") : nullptr;
    if (handler != nullptr) insert_frame(*handler);
  }
  const Scoped whole(in_whole_, true);
  visit_children(node);
}

void Placement::traced_function(const Node& node, const std::string& name, const Node& body) {
  const Scoped function(function_, program_.functions.size());
  program_.functions.push_back({qualified(name), {node.begin, node.end}, {}, &body});
  FunctionRecord& record = program_.functions.back();
  record.inspects_all = program_.options.inspect_all;
  if (const auto mark = program_.marks.find(&node); mark != program_.marks.end()) {
    mark->second.placed = true;
    record.inspects_all = record.inspects_all || mark->second.inspects_all.has_value();
  }
  record.shows_arguments = record.inspects_all;
  scopes_.push_back(name);
  const BlockOfLocals whole(program_, BlockOfLocals::Kind::whole_function);
  declare_parameters(node);
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
      if (handler == nullptr) continue;
      const BlockOfLocals caught(program_);
      note_caught(part);
      traced_body(*handler);
    }
  } else {
    traced_body(body);
  }
  scopes_.pop_back();
}

/// Arguments of main may contain paths of this machine.
void Placement::declare_parameters(const Node& function) {
  const Node* parameters = own_parameters(function);
  if (parameters == nullptr) return;
  const bool is_main = program_.functions[function_].name == "main";
  for (const Node& parameter : parameters->children) {
    const Node* declarator = parameter.child("declarator");
    if (!parameter.is("parameter_declaration", "optional_parameter_declaration") || declarator == nullptr)
      continue;
    for (std::string& name : declared_locals(program_, *declarator)) {
      program_.locals.declare(std::move(name), is_main ? Local::State::unset : Local::State::initialized,
                              function_, program_.statements.size());
    }
  }
}

void Placement::insert_frame(const Node& body) {
  insert(body.begin + 1, fmt::format("::lectern::probe::Frame lectern_frame_{0}(::{1}::source, {0}{2});",
                                     function_, program_.table, in_template_ ? ", __PRETTY_FUNCTION__" : ""));
}

void Placement::traced_body(const Node& body) {
  insert_frame(body);
  program_.insertions.back().entered = function_;
  program_.insertions.back().locals = program_.locals.innermost();
  block(body);
}

}  // namespace lectern
