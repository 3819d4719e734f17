#pragma once

#include <string>
#include <vector>

#include "instrument/program.h"

namespace lectern {

/// The name that a declarator declares, without template arguments: "Tokenizer::encode", "operator+", "~Box".
/// Empty when it declares none.
std::string declared_name(const Program& program, const Node& declarator);

/// All names that a declaration declares, those of structured bindings included.
std::vector<std::string> declared_variables(const Program& program, const Node& declaration);

/// Whether a declarator declares a function (and not a variable with constructor arguments or a pointer to a
/// function).
bool declares_function(const Program& program, const Node& declarator);

/// The name of the called function of a call_expression; empty when an expression is called.
/// A qualification by lectern:: is left out and noted.
struct CalledName {
  std::string name;
  bool qualified = false;  ///< by lectern::
};
CalledName called_name(const Program& program, const Node& call);

/// The name of the variable that a lambda initialises or is assigned to; empty when there is none.
std::string holder_of(const Program& program, const Node& lambda);

/// Names of the data members in order; an anonymous one makes the list empty.
std::vector<std::string> data_members(const Program& program, const Node& class_body);

}  // namespace lectern
