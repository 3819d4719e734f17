#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "instrument/program.h"

namespace lectern {

/// The name that a declarator declares, without template arguments: "Tokenizer::encode", "operator+", "~Box".
/// Empty when it declares none.
std::string declared_name(const Program& program, const Node& declarator);

/// The variables that a declarator declares: several in a structured binding.
std::vector<std::string> declarator_variables(const Program& program, const Node& declarator);

/// The variables that a declarator in a function declares, by the names that its code uses: a pointer to a
/// member of S is not `S::p` but `p`. Without what a macro names, whose name the parser takes for the
/// variable's.
std::vector<std::string> declared_locals(const Program& program, const Node& declarator);

/// The variables that all declarators of a declaration declare.
std::vector<std::string> declared_variables(const Program& program, const Node& declaration);

/// The source before the first declarator of a declaration; empty when it has none.
std::string_view specifiers(const Program& program, const Node& declaration);

/// Whether a declarator declares a function, and not a pointer to one or a variable with constructor
/// arguments.
bool declares_function(const Program& program, const Node& declarator);

/// The name of the function that a call_expression calls, without the qualification lectern::; empty when an
/// expression is called.
struct CalledName {
  std::string name;
  bool qualified = false;  ///< by lectern::
};
CalledName called_name(const Program& program, const Node& call);

/// The last name before the parentheses of a call. A macro's is expanded even where it follows `.` or `::`.
std::string_view last_name(const Program& program, const Node& call);

/// The name of the variable that a lambda initialises or is assigned to; empty when there is none.
std::string lambda_name(const Program& program, const Node& lambda);

/// A static member function that shows the fields and bases of a class, private ones too (NamesFields,
/// record/class_value.h); empty when it has none or no name.
std::string fields_function(const Program& program, const Node& class_specifier);

}  // namespace lectern
