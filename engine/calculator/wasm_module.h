#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "calculator/calculator_function.h"
#include "calculator/result_json.h"

/// What a page calls in a module of calculators (site_templates/src/calculators.ts): it writes the inputs,
/// each with a zero byte after it, to the memory that lectern_inputs returns, calls the function, and reads
/// the result as JSON with a zero byte after it.
namespace lectern::calculation {

inline std::vector<char>& input_texts() {
  static std::vector<char> texts;
  return texts;
}

template <typename... Args>
const char* answer(CalculatorResult (*function)(Args...), const char* names) {
  std::vector<std::string_view> inputs(sizeof...(Args));
  const char* at = input_texts().data();
  for (std::string_view& input : inputs) {
    input = at;
    at += input.size() + 1;
  }
  static std::string json;
  json = result_json(call(function, names, inputs));
  return json.c_str();
}

}  // namespace lectern::calculation

/// Room for so many bytes.
extern "C" [[gnu::used, clang::export_name("lectern_inputs")]] inline char* lectern_inputs(std::size_t size) {
  auto& texts = lectern::calculation::input_texts();
  texts.assign(size, '\0');
  return texts.data();
}

#define LECTERN_CALCULATOR(function, ...)                                                                  \
  extern "C" [[gnu::used, clang::export_name(#function)]] inline const char* lectern_answer_##function() { \
    return ::lectern::calculation::answer(&function, #__VA_ARGS__);                                        \
  }                                                                                                        \
  static_assert(true)
