#pragma once

#include <string>
#include <string_view>

#include "trace/model.h"

namespace lectern {

/// Parts of values as C++ spells them.

/// What an empty pointer, optional or the like of that type is called: "nullptr", "nullopt", "expired",
/// "empty".
std::string_view empty_text(std::string_view type);

/// The prefix of the value that another one leads to: "→ " of a pointer, of a variant its active type, as it
/// is to be shown.
std::string lead_text(const Value& pointer, const std::string& active_type);

/// Whether a string of that type is a single character.
bool is_character(std::string_view type);

/// A character of a literal in these quotes as a C++ programmer would escape it; empty if it needs no escape.
std::string escape_sequence(std::string_view character, char quote = '"');
/// In quotes: single ones around a character.
std::string literal_text(std::string_view text, char quote = '"');

/// What a string literal in a source stands for; escapes of letters and numbers are left as they are.
std::string unquoted(std::string_view literal);

}  // namespace lectern
