#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lectern {

/// A definition of a macro. Under other conditions there may be others of the same name.
struct Macro {
  std::string name;
  bool has_parameters;
  std::vector<std::string> body;  ///< its tokens
};

/// All that a source defines, by its tokens: what cannot be parsed defines macros, too.
std::vector<Macro> find_macros(std::string_view source);

/// Whether a name has capital letters only: it may be a macro's that no file that was read defines.
bool looks_like_macro(std::string_view name);

/// Whether a macro stands for a bracket without its counterpart: `#define BEGIN {`.
bool is_unpaired(const Macro& macro);

/// Whether braces after such a macro hold the members of a class or namespace, and not statements.
bool opens_scope(const Macro& macro);

/// Those among all macros of a lecture through which a program sees the text of their arguments: by # or ##,
/// by `assert`, by another one of them or by a macro that no file that was read defines.
std::set<std::string, std::less<>> find_stringizing(const std::vector<Macro>& macros);

}  // namespace lectern
