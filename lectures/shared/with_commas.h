// Large numbers as text.

#pragma once

#include <concepts>
#include <string>

// "867,072", of what is not below 0.  @stepover
template <std::integral Integer>
std::string with_commas(Integer number) {
  std::string digits = std::to_string(number);
  for (std::size_t left = digits.size(); left > 3; left -= 3) digits.insert(left - 3, ",");
  return digits;
}
