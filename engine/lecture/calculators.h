#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "calculator/calculator_function.h"
#include "trace/rendering_kinds.h"

namespace lectern {

struct CalculatorOptions {
  std::vector<CalculatorPreset> presets = {};
  std::string caption = {};
};

/// calculator() of a registered function.
void show_calculator(std::string_view title, std::vector<CalculatorInput> inputs, void (*function)(),
                     CalculatorOptions options);

/// A function that the reader calls with inputs of their own; `function` stands in a header NAME_calculator.h
/// (lectern/calculator.h). Inputs are named as its parameters:
///
///     calculator("How long does training take?",
///                {{.name = "parameters", .value = "70B", .min = 1e6, .max = 1e13, .logarithmic = true},
///                 {.name = "gpu", .value = "H100", .choices = {"A100", "H100"}}},
///                training_time, {.presets = {{"GPT-3", {{"parameters", "175B"}}}}});
///
/// A number with min and max has a slider; a text with choices is one of them; what is `hidden` the reader
/// does not change. What it gives for these values stands on the page without a script, too.
///
/// An error at the lecture's line if the function has no LECTERN_CALCULATOR, the inputs are not those of its
/// parameters, in their order, or it refuses their values.
template <typename... Args>
void calculator(std::string_view title, std::vector<CalculatorInput> inputs,
                CalculatorResult (*function)(Args...), CalculatorOptions options = {}) {
  show_calculator(title, std::move(inputs), reinterpret_cast<void (*)()>(function), std::move(options));
}

}  // namespace lectern
