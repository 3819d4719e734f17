#pragma once

#include <string_view>

#include "base/characters.h"

namespace lectern {

/// Whether a blank belongs between two pieces of a line that were written one by one: not after an opening
/// bracket, nor before a closing one or punctuation (a text after a link).
inline bool blank_between(std::string_view before, std::string_view after) {
  if (before.empty() || after.empty() || before.back() == '(' || before.back() == '[') return false;
  if (after.front() == ')' || after.front() == ']') return false;
  const bool ends_word = after.size() == 1 || !is_word(after[1]);  // ".5" and ":-" begin something
  return std::string_view(".,;:!?").find(after.front()) == std::string_view::npos || !ends_word;
}

}  // namespace lectern
