#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// A source of the same length without the comments inside of macros' definitions: the first one would end
/// the definition, and what follows it would be code to the grammar.
std::string without_comments_in_macros(std::string_view source);

/// A source of the same length and structure, without some of the syntax that the grammar does not support.
/// Digraphs and alternative tokens become their symbols, `if consteval` becomes `if (0)`. Attributes of types
/// and enumerators are left out, as are widths of bit-fields that have an initialiser or no name. Where no
/// probe is ever inserted, `0` replaces an expression: conditions of `#if`, values of `case`, operands of
/// `typeid` and `va_arg`. Comments and line ends stay. For parsing only: text is always taken from the source
/// itself.
std::string normalize_for_grammar(std::string_view source);

}  // namespace lectern
