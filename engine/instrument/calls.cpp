#include <fmt/format.h>

#include "instrument/c_literal.h"
#include "instrument/hooks.h"
#include "instrument/names.h"
#include "instrument/placement.h"

namespace lectern {

/// Whether the argument of `link` names a function, as far as this file tells: headers may declare it.
bool Placement::may_name_function(const Node& argument) const {
  if (!argument.is("identifier", "qualified_identifier")) return false;
  const std::string name(program_.text(argument));
  if (program_.names.functions.contains(name.substr(name.rfind(':') + 1))) return true;
  const Node* const next = argument.next_code();
  return next != nullptr && next->is(")") && !program_.locals.contains(name) &&
         !program_.locals.contains("link");
}

bool Placement::is_hook(const Node& expression) const {
  if (expression.is("comma_expression")) {
    return is_hook(*expression.child("left")) && is_hook(*expression.child("right"));
  }
  const CalledName called = called_name(program_, expression);
  return is_hook_name(called.name) &&
         (called.qualified || !program_.names.free_functions.contains(called.name));
}

/// Wraps the arguments of `inspect`, and the function that `link` names, with their source text.
void Placement::name_arguments(const Node& arguments, const std::string& hook) {
  for (const Node& argument : arguments.children) {
    if (!argument.is_code()) continue;
    const bool inspects = hook == "inspect";
    const std::string text(program_.text(argument));
    if (inspects || (hook == "link" && may_name_function(argument)))
      insert(argument.begin, fmt::format("::lectern::named({}), ", c_literal(text)));
    if (!inspects) return;
    program_.uses_values = true;
    program_.inspected.push_back({function_, text, program_.locals.innermost()});
  }
}

void Placement::visit_call(const Node& call) {
  const CalledName called = called_name(program_, call);
  const KnownNames& names = program_.names;
  const Node* arguments = call.child("arguments");
  const bool shadowed = !called.qualified && names.free_functions.contains(called.name);
  if (arguments != nullptr && !shadowed) name_arguments(*arguments, called.name);
  if (called.name == "link" && !called.qualified && !shadowed && arguments != nullptr &&
      program_.source.find("using namespace lectern;") != std::string_view::npos) {
    insert(call.begin, "::lectern::");  // POSIX has a link of two strings, which would be preferred
  }
  const bool is_assert = called.name == "assert" && !called.qualified;
  const std::string_view name = last_name(program_, call);
  const bool known = is_assert || names.macros.contains(name) || names.object_macros.contains(name);
  const bool macro = known || (!called.qualified && !shadowed && looks_like_macro(called.name));
  const bool opaque =
      macro && (!known || names.stringizing_macros.contains(name) || (is_assert && names.redefines_assert));
  const Scoped in_macro(in_macro_, in_macro_ || macro);
  const Scoped in_opaque_macro(in_opaque_macro_, in_opaque_macro_ || opaque);
  visit_children(call);
}

}  // namespace lectern
