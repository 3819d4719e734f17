#pragma once

#include <string>
#include <string_view>

namespace lectern {

/// A source of the same length in which some of what the grammar does not read stands in words that it does
/// read, with the same structure: digraphs and alternative tokens by their symbols; `if consteval` as
/// `if (0)`; `0` for what no probe is ever put into: conditions of `#if`, values of `case`, operands of
/// `typeid` and `va_arg`; attributes of types and enumerators left out. Comments and line ends stay. For the
/// parser only: what it finds is read from the source itself.
std::string plain_spelling(std::string_view source);

}  // namespace lectern
