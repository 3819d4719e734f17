#pragma once

#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "calculator/calculator_function.h"

/// The calculators of a program.
namespace lectern::calculation {

struct Registered {
  void (*function)();
  std::string_view name;
  std::string_view parameters;          ///< "parameters, tokens"
  std::vector<std::string_view> kinds;  ///< of these parameters (trace/calculator.h, Input::kind)
  std::string_view file;                ///< the header that defines it
  CalculatorResult (*call)(std::span<const std::string_view> inputs);
};

inline std::vector<Registered>& registry() {
  static std::vector<Registered> all;
  return all;
}

template <typename... Args>
std::vector<std::string_view> parameter_kinds(CalculatorResult (* /*function*/)(Args...)) {
  return {input_kind<std::remove_cvref_t<Args>>()...};
}

inline bool add(Registered each) {
  registry().push_back(std::move(each));
  return true;
}

}  // namespace lectern::calculation

/// After the definition of a calculator's function: its name, and those of its parameters.
#define LECTERN_CALCULATOR(name, ...)                                                                  \
  [[maybe_unused]] inline const bool lectern_calculator_##name =                                       \
      ::lectern::calculation::add({reinterpret_cast<void (*)()>(&name), #name, #__VA_ARGS__,           \
                                   ::lectern::calculation::parameter_kinds(&name), __FILE__,           \
                                   [](std::span<const std::string_view> inputs) {                      \
                                     return ::lectern::calculation::call(&name, #__VA_ARGS__, inputs); \
                                   }})
