// A number in each floating-point format, for readers to try.  @hide file

#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <lectern/calculator.h>

#include "base/small_float.h"

namespace number_formats {

/// A number in a format, and its bits, the sign first.
struct Rounded {
  double value;
  std::string bits;
};

struct Format {
  std::string_view name;
  std::string_view meaning;  ///< for training
  int exponent_bits;
  double smallest, smallest_normal, largest;
  double spacing_at_one;
  Rounded (*rounded)(double number);

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};

template <typename T>
using Word = std::conditional_t<
    sizeof(T) == 8, std::uint64_t,
    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;

template <typename T>
Rounded rounded(double number) {
  const T stored(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(number));
  const auto word = std::bit_cast<Word<T>>(stored);
  Rounded out{static_cast<double>(stored), {}};
  for (int bit = static_cast<int>(sizeof(T)) * 8; bit-- > 0;) out.bits += (word >> bit & 1) != 0 ? '1' : '0';
  return out;
}

template <typename T>
Format format(std::string_view name, std::string_view meaning) {
  using Limits = std::numeric_limits<T>;
  return {.name = name,
          .meaning = meaning,
          .exponent_bits = static_cast<int>(sizeof(T)) * 8 - Limits::digits,
          .smallest = static_cast<double>(Limits::denorm_min()),
          .smallest_normal = static_cast<double>(Limits::min()),
          .largest = static_cast<double>(Limits::max()),
          .spacing_at_one = static_cast<double>(Limits::epsilon()),
          .rounded = rounded<T>};
}

inline std::array<Format, 6> formats() {
  using namespace lectern;
  return {format<double>("float64", "for checking gradients; too large and too slow for training"),
          format<float>("float32", "parameters, optimizer states, sums: what others are rounded from"),
          format<BFloat16>("bfloat16", "range of float32: no loss scaling; updates below 1/256 of a weight are lost"),
          format<Half>("float16", "small gradients become 0 and large ones infinite: needs loss scaling"),
          format<Float8_e5m2>("float8_e5m2", "gradients, with a scale for each tensor: range before precision"),
          format<Float8_e4m3fn>("float8_e4m3fn", "weights and activations, with a scale for each tensor")};
}

inline std::string shown(double value) {
  return lectern::rounded_number(value, 8);
}

/// The ranges of the formats on one logarithmic scale, with the number.
inline lectern::CalculatorDrawing ranges(double number) {
  using namespace lectern;
  constexpr double kWidth = 460, kLeft = 96, kRow = 26, kTop = 8;
  CalculatorDrawing out{
      .alt = "From the smallest positive to the largest number of each format, on a logarithmic scale; lighter "
             "where numbers are subnormal",
      .width = kWidth,
      .height = kTop + kRow * (static_cast<double>(formats().size()) - 1) + 24};
  const ChartScale scale{1e-46, 1e40, kLeft, kWidth - 8, true};
  const double bottom = out.height - 24;
  for (const double tick : scale.ticks()) {
    out.shapes.push_back({"line", {scale(tick), kTop, scale(tick), bottom}, -1});
    out.shapes.push_back({"label", {scale(tick), out.height - 6}, 0, rounded_number(tick)});
  }
  double y = kTop;
  for (const Format& format : formats()) {
    if (format.name == "float64") continue;  // would reach from 10⁻³²⁴ to 10³⁰⁸
    const double from = scale(format.smallest), normal = scale(format.smallest_normal), to = scale(format.largest);
    out.shapes.push_back({"label", {kLeft - 8, y + 16}, 0, std::string(format.name), "end"});
    out.shapes.push_back({"rect", {from, y + 9, normal - from, 6}, 5, "subnormal: fewer and fewer digits"});
    out.shapes.push_back({"rect",
                          {normal, y + 5, to - normal, 14},
                          1,
                          rounded_number(format.smallest_normal) + " to " + rounded_number(format.largest)});
    y += kRow;
  }
  if (number != 0 && std::isfinite(number)) {
    const double x = scale(std::abs(number));
    out.shapes.push_back({"dashes", {x, kTop, x, bottom}, 2, "your number"});
  }
  return out;
}

}  // namespace number_formats

/// A number in each floating-point format: what is stored, its bits, and what that means for training.
inline lectern::CalculatorResult formats_of_number(double number) {
  using namespace lectern;
  using namespace number_formats;
  CalculatorResult out;
  out.drawings.push_back(ranges(number));
  CalculatorTable table{{"format", "is stored as", "relative error", "next to 1", "largest"}, {}};
  for (const Format& format : formats()) {
    const Rounded stored = format.rounded(number);
    const double error = std::abs((stored.value - number) / number);
    const bool lost = stored.value == 0 && number != 0;
    table.rows.push_back({std::string(format.name), shown(stored.value),
                          number == 0 || error == 0     ? "exact"
                          : lost                        ? "all of it"
                          : std::isfinite(stored.value) ? rounded_number(error, 2)
                                                        : "overflow",
                          "1 + " + rounded_number(format.spacing_at_one, 3), rounded_number(format.largest)});
    CalculatorCells row{std::string(format.name) + ": " + std::string(format.meaning), {}};
    for (std::size_t i = 0; i < stored.bits.size(); ++i) {
      const bool sign = i == 0, exponent = static_cast<int>(i) <= format.exponent_bits;
      row.cells.push_back({stored.bits.substr(i, 1),
                           sign       ? 6
                           : exponent ? 1
                                      : 3,
                           sign       ? "sign"
                           : exponent ? "exponent, biased by " + std::to_string(format.bias())
                                      : "mantissa",
                           false});
    }
    out.cells.push_back(std::move(row));
  }
  out.tables.push_back(std::move(table));
  out.notes.emplace_back("Bits: the sign, then the exponent, then the mantissa.");
  return out;
}
LECTERN_CALCULATOR(formats_of_number, number);

inline std::vector<lectern::CalculatorInput> formats_of_number_inputs() {
  return {{.name = "number", .label = "Number", .value = "0.1"}};
}
inline std::vector<lectern::CalculatorPreset> formats_of_number_presets() {
  return {{"0.1", {{"number", "0.1"}}},
          {"1e-8", {{"number", "1e-8"}}},
          {"1 + 1/512", {{"number", "1.001953125"}}},
          {"70000", {{"number", "70000"}}}};
}
