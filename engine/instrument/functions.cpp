#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "instrument/c_literal.h"
#include "instrument/names.h"
#include "instrument/placement.h"
#include "trace/tokens.h"

namespace lectern {

namespace {

using Severity = Diagnostic::Severity;

/// What is not run, or run by the compiler: nothing to step in it.
bool is_unevaluated(const Node& node) {
  return node.is("decltype") || node.is("sizeof_expression") || node.is("alignof_expression") ||
         node.is("requires_expression") || node.is("requires_clause") || node.is("noexcept") ||
         node.is("static_assert_declaration") || node.is("concept_definition") ||
         node.is("template_argument_list") || node.is("template_parameter_list") ||
         node.kind.starts_with("preproc_def") || node.is("preproc_function_def");
}

bool looks_like_macro(std::string_view name) {
  return name.size() > 1 &&
         std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

bool has_word(const std::string& words, std::string_view word) {
  return words.find(" " + std::string(word) + " ") != std::string::npos;
}

/// The tokens of a piece of source, each between blanks.
std::string words_of(std::string_view text) {
  std::string words = " ";
  for (const std::string_view token : tokens(text, "cuda")) words.append(token).append(" ");
  return words;
}

bool is_coroutine(const Node& body) {
  bool found = false;
  walk(body, [&](const Node& node) {
    found = found || node.kind.starts_with("co_");
    return !found && !node.is("lambda_expression") && !node.is("function_definition");
  });
  return found;
}

bool has_auto_parameter(const Program& program, const Node& function) {
  const Node* parameters = nullptr;
  walk(function, [&](const Node& node) {
    if (parameters == nullptr && node.is("parameter_list")) parameters = &node;
    return parameters == nullptr && !node.is("compound_statement");
  });
  return parameters != nullptr && has_word(words_of(program.text(*parameters)), "auto");
}

}  // namespace

void place_probes(Program& program) {
  Placement(program).visit(*program.reading.tree.root());
}

void Placement::visit_children(const Node& node) {
  for (const Node* child = node.first; child != nullptr; child = child->next) visit(*child);
}

void Placement::visit(const Node& node) {
  if (node.first == nullptr || node.is("ERROR") || is_unevaluated(node)) return;
  if (node.is("function_definition")) return function(node);
  if (node.is("lambda_expression")) return lambda(node);
  if (node.is("call_expression")) return visit_call(node);
  if (node.is("namespace_definition")) {
    const Node* name = node.child("name");
    return visit_scope(node, name != nullptr ? std::string(program_.text(*name)) : std::string());
  }
  if (node.is("class_specifier") || node.is("struct_specifier") || node.is("union_specifier")) {
    if (const Node* body = node.child("body")) return visit_class(node, *body);
    return;
  }
  const bool is_template = node.is("template_declaration");
  const bool is_constant = (node.is("declaration") || node.is("field_declaration")) &&
                           has_word(words_of(program_.text({node.begin, node.child("declarator") != nullptr
                                                                            ? node.child("declarator")->begin
                                                                            : node.begin})),
                                    "constexpr");
  templates_ += is_template ? 1 : 0;
  constant_ += is_constant ? 1 : 0;
  visit_children(node);
  templates_ -= is_template ? 1 : 0;
  constant_ -= is_constant ? 1 : 0;
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
  std::vector<std::vector<std::string>> locals;  // a class sees none of the function around it
  std::swap(locals, locals_);
  visit_scope(body, type);
  std::swap(locals, locals_);
}

/// Whether the only argument of link names a function as far as this file tells: others may declare it.
bool Placement::may_name_function(const Node& argument) const {
  if (!argument.is("identifier") && !argument.is("qualified_identifier")) return false;
  const std::string name(program_.text(argument));
  if (program_.names.functions.contains(name.substr(name.rfind(':') + 1))) return true;
  const Node* const next = argument.next_code();
  return next != nullptr && next->is(")") && !is_local(name) && !is_local("link");
}

bool Placement::is_local(std::string_view name) const {
  return std::any_of(locals_.begin(), locals_.end(), [&](const std::vector<std::string>& block) {
    return std::find(block.begin(), block.end(), name) != block.end();
  });
}

void Placement::visit_call(const Node& call) {
  const CalledName called = called_name(program_, call);
  const Node* arguments = call.child("arguments");
  const bool own = program_.names.free_functions.contains(called.name);
  if (arguments != nullptr && (called.qualified || (!own && !called.name.empty()))) {
    for (const Node* argument = arguments->first; argument != nullptr; argument = argument->next) {
      if (!argument->named || argument->is("comment")) continue;
      const std::string text(program_.text(*argument));
      const bool shows = called.name == "inspect";
      const bool links = called.name == "link" && may_name_function(*argument);
      if (shows || links) put(argument->begin, fmt::format("::lectern::named({}), ", c_literal(text)));
      if (shows) {
        program_.uses_values = true;
        program_.inspected.push_back({function_, text});
      }
      if (!shows) break;
    }
  }
  if (called.name == "link" && !called.qualified && !own && arguments != nullptr &&
      program_.source.find("using namespace lectern;") != std::string_view::npos) {
    put(call.begin, "::lectern::");  // POSIX has a link of two strings, which would be preferred
  }
  const KnownNames& names = program_.names;
  const bool known = names.macros.contains(called.name) || (called.name == "assert" && !called.qualified);
  const bool macro = known || (!called.qualified && looks_like_macro(called.name) && !own);
  const bool opaque = macro && (!known || names.printing_macros.contains(called.name) ||
                                (called.name == "assert" && names.assert_is_own));
  const bool outer_macro = std::exchange(in_macro_, in_macro_ || macro);
  const bool outer_opaque = std::exchange(opaque_macro_, opaque_macro_ || opaque);
  visit_children(call);
  in_macro_ = outer_macro;
  opaque_macro_ = outer_opaque;
}

std::string Placement::qualified(const std::string& name) const {
  std::string result;
  for (const std::string& scope : scopes_) result += scope + "::";
  return result + name;
}

std::string Placement::why_untraced(const Node& node, const Node& body, const std::string& specifiers) {
  const auto warn = [&](Severity severity, const std::string& message) {
    program_.report(severity, node.begin, message);
  };
  if (has_word(specifiers, "__global__") || has_word(specifiers, "__device__")) return "device code";
  if (const Unreadable* cut = program_.unreadable(body))
    return fmt::format("line {} cannot be parsed", program_.positions.line(cut->at));
  if (has_word(specifiers, "consteval")) {
    warn(Severity::note, "a consteval function is not stepped: the compiler runs it");
    return "consteval";
  }
  if (is_coroutine(body)) {
    warn(Severity::warning, "a coroutine is not stepped; call what is to be seen from a plain function");
    return "coroutine";
  }
  if (opaque_macro_) {
    warn(Severity::warning,
         "a lambda among the arguments of a macro is not stepped; give it a name before the macro");
    return "in a macro's arguments";
  }
  return {};
}

void Placement::untraced(const Node& node, const std::string& name, const std::string& why) {
  program_.functions.push_back({name, {node.begin, node.end}, why, nullptr});
}

void Placement::function(const Node& definition) {
  const Node* declarator = definition.child("declarator");
  const Node* body = definition.child_of_kind("compound_statement");
  const Node* guarded = definition.child_of_kind("try_statement");
  if (body == nullptr && guarded != nullptr) body = guarded->child_of_kind("compound_statement");
  if (declarator == nullptr || body == nullptr) return;  // defaulted or deleted
  const std::string name = declared_name(program_, *declarator);
  const std::string specifiers = words_of(program_.text({definition.begin, declarator->begin}));
  std::string why = why_untraced(definition, *body, specifiers);
  if (name.ends_with("operator new") || name.ends_with("operator delete") ||
      name.ends_with("operator new[]") || name.ends_with("operator delete[]")) {
    why = "the recorder itself calls it";
    program_.report(Severity::note, definition.begin, "this function is not stepped: " + why);
  }
  if (!why.empty()) return untraced(definition, qualified(name), why);

  const bool generic = has_auto_parameter(program_, definition);
  const bool constant = has_word(specifiers, "constexpr");
  templates_ += generic ? 1 : 0;
  constant_ += constant ? 1 : 0;
  traced_body(definition, definition, name, *body);
  templates_ -= generic ? 1 : 0;
  constant_ -= constant ? 1 : 0;
}

void Placement::lambda(const Node& expression) {
  const Node* body = expression.child_of_kind("compound_statement");
  if (body == nullptr) return;
  const std::string holder = holder_of(program_, expression);
  const std::string name = holder.empty() ? "(lambda)" : holder;
  const std::string specifiers = words_of(program_.text({expression.begin, body->begin}));
  const std::string why = why_untraced(expression, *body, specifiers);
  if (!why.empty()) return untraced(expression, qualified(name), why);

  const bool generic = expression.child_of_kind("template_parameter_list") != nullptr ||
                       has_auto_parameter(program_, expression);
  const bool constant = has_word(specifiers, "constexpr");
  templates_ += generic ? 1 : 0;
  constant_ += constant ? 1 : 0;
  if (const Node* captures = expression.child("captures")) visit(*captures);
  traced_body(expression, expression, name, *body);
  templates_ -= generic ? 1 : 0;
  constant_ -= constant ? 1 : 0;
}

void Placement::traced_body(const Node& node, const Node& parameters_of, const std::string& name,
                            const Node& body) {
  const int outer = std::exchange(function_, static_cast<int>(program_.functions.size()));
  program_.functions.push_back({qualified(name), {node.begin, node.end}, {}, &body});
  scopes_.push_back(name);
  std::vector<std::string> parameters;
  walk(parameters_of, [&](const Node& inner) {
    if (inner.is("parameter_declaration") || inner.is("optional_parameter_declaration")) {
      for (std::string& variable : declared_variables(program_, inner))
        parameters.push_back(std::move(variable));
    }
    return !inner.is("compound_statement");
  });
  locals_.push_back(std::move(parameters));

  if (node.is("function_definition")) {  // initialisers of a constructor, default arguments
    for (const Node* child = node.first; child != &body && child != nullptr; child = child->next) {
      if (!child->is("try_statement")) visit(*child);
    }
  }
  if (body.parent->is("try_statement")) {
    for (const Node* part = body.parent->first; part != nullptr; part = part->next) {
      // The frame of the try block is gone in a handler, so that each has its own.
      const Node* inner = part == &body ? &body : part->child_of_kind("compound_statement");
      if (part->is("field_initializer_list")) visit(*part);
      if (inner == nullptr || (part != &body && !part->is("catch_clause"))) continue;
      open_frame(*inner);
      block(*inner);
    }
  } else {
    open_frame(body);
    block(body);
  }
  locals_.pop_back();
  scopes_.pop_back();
  function_ = outer;
}

void Placement::open_frame(const Node& body) {
  put(body.begin + 1, fmt::format("::lectern::probe::Frame lectern_frame_{0}(::{1}::source, {0}{2});",
                                  function_, program_.table, templates_ > 0 ? ", __PRETTY_FUNCTION__" : ""));
}

}  // namespace lectern
