#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "calculator/input_text.h"
#include "calculator/rounded_text.h"
#include "trace/calculator.h"

namespace lectern {

using CalculatorInput = trace_model::calculators::Input;  ///< name, label, unit, value, min, max, choices, …
using CalculatorPreset = trace_model::calculators::Preset;  ///< name, {{input, value}, …}
using CalculatorBar = trace_model::calculators::Bar;        ///< label, segments {label, text, value}, limits
using CalculatorCells = trace_model::calculators::CellRow;  ///< label, cells {text, color, title, marked}
using CalculatorDrawing = trace_model::calculators::Drawing;  ///< alt, width, height, shapes
using CalculatorShape = trace_model::calculators::Shape;      ///< kind, points, color, text, anchor
using CalculatorTable = trace_model::calculators::Table;      ///< header, rows

/// What the function of a calculator returns: quantities, bars, drawings, rows of cells, tables and notes,
/// shown in this order; or problems with its inputs, and then nothing else.
struct CalculatorResult : trace_model::calculators::Result {
  /// Says beside an input what is wrong with it.
  void refuse(std::string_view input, std::string text) {
    problems.push_back({std::string(input), std::move(text)});
  }
  /// Refuses an input that is not in this range.
  void expect(std::string_view input, double value, double low, double high) {
    if (!(value >= low && value <= high))
      refuse(input, "must lie between " + rounded_number(low) + " and " + rounded_number(high));
  }
  bool refused() const { return !problems.empty(); }

  void show(std::string label, std::string text, double value, std::string note = {}) {
    quantities.push_back({std::move(label), std::move(text), value, std::move(note)});
  }
};

namespace calculation {

template <typename T>
constexpr const char* input_kind() {
  if constexpr (std::is_same_v<T, bool>)
    return "switch";
  else if constexpr (std::is_same_v<T, std::int64_t>)
    return "integer";
  else if constexpr (std::is_same_v<T, double>)
    return "number";
  else {
    static_assert(std::is_same_v<T, std::string_view>,
                  "a calculator's function takes double, std::int64_t, bool and std::string_view");
    return "text";
  }
}

/// The names in "parameters, tokens".
inline std::vector<std::string> split_names(std::string_view names) {
  std::vector<std::string> out;
  for (const char c : names) {
    if (out.empty() || c == ',') out.emplace_back();
    if (c != ',' && c != ' ') out.back() += c;
  }
  return out;
}

/// Reads an input as it was typed; what is wrong with it becomes a problem.
template <typename T>
T read_input(CalculatorResult& result, const std::string& name, std::string_view text) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return text;
  } else if constexpr (std::is_same_v<T, bool>) {
    return text == "true";
  } else {
    const TypedNumber typed = parse_number(text);
    if (const auto* const problem = std::get_if<std::string>(&typed))
      return result.refuse(name, *problem), T();
    const double number = std::get<double>(typed);
    if constexpr (std::is_same_v<T, std::int64_t>) {
      constexpr double kExact = 9007199254740992;  // 2^53
      if (number != std::trunc(number) || std::abs(number) > kExact)
        return result.refuse(name, "must be a whole number, at most " + rounded_number(kExact)), T();
      return static_cast<std::int64_t>(number);
    } else {
      return number;
    }
  }
}

/// Calls a calculator's function with inputs as they were typed, one for each of its parameters.
template <typename... Args>
CalculatorResult call(CalculatorResult (*function)(Args...), std::string_view names,
                      std::span<const std::string_view> inputs) {
  const std::vector<std::string> each = split_names(names);
  CalculatorResult result;
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    // Braces: from the first to the last.
    const std::tuple<std::remove_cvref_t<Args>...> arguments{
        read_input<std::remove_cvref_t<Args>>(result, each[I], inputs[I])...};
    if (result.refused()) return result;
    result = std::apply(function, arguments);
    if (result.refused()) result = CalculatorResult{{.problems = std::move(result.problems)}};
    return result;
  }
  (std::index_sequence_for<Args...>());
}

}  // namespace calculation
}  // namespace lectern
