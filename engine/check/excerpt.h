#pragma once

#include <string>
#include <string_view>

#include "check/tolerance.h"

namespace lectern {

/// What differs between two texts, on one line: "…mean 0.5 of… → …mean 0.7 of…".
std::string text_change(std::string_view old_text, std::string_view new_text);

/// Whether two texts are the same, with decimal numbers compared within the tolerance.
bool same_but_for_numbers(std::string_view old_text, std::string_view new_text, const Tolerance& tolerance);

}  // namespace lectern
