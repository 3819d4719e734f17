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
#include <utility>
#include <vector>

#include <lectern/calculator.h>

#include "base/small_float.h"

namespace number_formats {

struct Format {
  std::string_view name;
  int exponent_bits, mantissa_bits;
  bool infinities;
  std::string_view meaning;  ///< for training

  int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  double smallest_normal() const { return std::ldexp(1., 1 - bias()); }
  double smallest() const { return std::ldexp(1., 1 - bias() - mantissa_bits); }
  double largest() const {
    if (infinities) return std::ldexp(2 - std::ldexp(1., -mantissa_bits), bias());
    return std::ldexp(2 - std::ldexp(1., 1 - mantissa_bits), bias() + 1);  // all ones is NaN
  }
  double spacing_at_one() const { return std::ldexp(1., -mantissa_bits); }
};

inline constexpr std::array<Format, 6> kFormats{
    {{"float64", 11, 52, true, "for checking gradients; too large and too slow for training"},
     {"float32", 8, 23, true, "parameters, optimizer states, sums: what others are rounded from"},
     {"bfloat16", 8, 7, true, "range of float32: no loss scaling; updates below 1/256 of a weight are lost"},
     {"float16", 5, 10, true, "small gradients become 0 and large ones infinite: needs loss scaling"},
     {"float8_e5m2", 5, 2, true, "gradients, with a scale for each tensor: range before precision"},
     {"float8_e4m3fn", 4, 3, false, "weights and activations, with a scale for each tensor"}}};

/// The number in a format, and its bits, the sign first.
struct Rounded {
  double value;
  std::string bits;
};
template <typename T>
Rounded rounded(double number) {
  T stored;
  if constexpr (std::is_floating_point_v<T>)
    stored = static_cast<T>(number);
  else
    stored = T(static_cast<float>(number));
  constexpr int kWidth = static_cast<int>(sizeof(T)) * 8;
  std::uint64_t word = 0;
  if constexpr (kWidth == 64)
    word = std::bit_cast<std::uint64_t>(stored);
  else if constexpr (kWidth == 32)
    word = std::bit_cast<std::uint32_t>(stored);
  else
    word = stored.bits;
  Rounded out{static_cast<double>(static_cast<std::conditional_t<kWidth == 64, double, float>>(stored)), {}};
  for (int bit = kWidth; bit-- > 0;) out.bits += (word >> bit & 1) != 0 ? '1' : '0';
  return out;
}
inline Rounded rounded_to(std::string_view format, double number) {
  using namespace lectern;
  if (format == "float64") return rounded<double>(number);
  if (format == "float32") return rounded<float>(number);
  if (format == "bfloat16") return rounded<BFloat16>(number);
  if (format == "float16") return rounded<Half>(number);
  return format == "float8_e5m2" ? rounded<Float8_e5m2>(number) : rounded<Float8_e4m3fn>(number);
}

inline std::string shown(double value) {
  return lectern::number_text(value, 8);
}

/// The ranges of the formats on one logarithmic scale, with the number.
inline lectern::CalculatorDrawing ranges(double number) {
  using namespace lectern;
  constexpr double kWidth = 460, kLeft = 96, kRow = 26, kTop = 8;
  CalculatorDrawing out{
      .alt = "From the smallest positive to the largest number of each format, on a logarithmic scale; lighter "
             "where numbers are subnormal",
      .width = kWidth,
      .height = kTop + kRow * (static_cast<double>(kFormats.size()) - 1) + 24};
  const ChartScale scale{1e-46, 1e40, kLeft, kWidth - 8, true};
  const double bottom = out.height - 24;
  for (const double tick : scale.ticks()) {
    out.shapes.push_back({"line", {scale(tick), kTop, scale(tick), bottom}, -1});
    out.shapes.push_back({"label", {scale(tick), out.height - 6}, 0, number_text(tick)});
  }
  double y = kTop;
  for (const Format& format : kFormats) {
    if (format.name == "float64") continue;  // would reach from 10⁻³²⁴ to 10³⁰⁸
    const double from = scale(format.smallest()), normal = scale(format.smallest_normal()),
                 to = scale(format.largest());
    out.shapes.push_back({"label", {kLeft - 8, y + 16}, 0, std::string(format.name), "end"});
    out.shapes.push_back({"rect", {from, y + 9, normal - from, 6}, 5, "subnormal: fewer and fewer digits"});
    out.shapes.push_back({"rect",
                          {normal, y + 5, to - normal, 14},
                          1,
                          number_text(format.smallest_normal()) + " to " + number_text(format.largest())});
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
  for (const Format& format : kFormats) {
    const Rounded stored = rounded_to(format.name, number);
    const double error = std::abs((stored.value - number) / number);
    const bool lost = stored.value == 0 && number != 0;
    table.rows.push_back({std::string(format.name), shown(stored.value),
                          number == 0 || error == 0     ? "exact"
                          : lost                        ? "all of it"
                          : std::isfinite(stored.value) ? number_text(error, 2)
                                                        : "overflow",
                          "1 + " + number_text(format.spacing_at_one(), 3), number_text(format.largest())});
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
