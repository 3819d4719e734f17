// A matrix product on rooflines, for readers to try.  @hide file

#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <lectern/calculator.h>

#include "accounting/data_sheets.h"
#include "accounting/roofline.h"

/// The product of a rows × inner and an inner × columns matrix on the rooflines of two GPUs, in float32 and in
/// bfloat16.
inline lectern::CalculatorResult matrix_product(std::int64_t rows, std::int64_t inner, std::int64_t columns) {
  using namespace lectern;
  CalculatorResult out;
  out.expect("rows", static_cast<double>(rows), 1, 1e9);
  out.expect("inner", static_cast<double>(inner), 1, 1e9);
  out.expect("columns", static_cast<double>(columns), 1, 1e9);
  if (out.refused()) return out;

  struct Case {
    const char* gpu;
    const char* dtype;
    double bytes_per_element;
    accounting::Roofline roofline;
  };
  const Hardware &a100 = *find_product("A100 SXM 80GB"), &h100 = *find_product("H100 SXM");
  const std::array<Case, 4> cases{{{"A100", "float32", 4, {a100.float32, a100.memory_bandwidth}},
                                   {"A100", "bf16", 2, {a100.bits16, a100.memory_bandwidth}},
                                   {"H100", "float32", 4, {h100.float32, h100.memory_bandwidth}},
                                   {"H100", "bf16", 2, {h100.bits16, h100.memory_bandwidth}}}};

  const auto work = [&](double bytes_per_element) {
    return accounting::matrix_product(static_cast<double>(rows), static_cast<double>(inner),
                                      static_cast<double>(columns), bytes_per_element);
  };
  out.show("Operations, 2 · rows · inner · columns", rounded_number(work(2).flops) + " FLOPs", work(2).flops);
  out.show("Bytes, float32", rounded_bytes(work(4).bytes), work(4).bytes,
           rounded_number(work(4).intensity()) + " FLOPs per byte");
  out.show("Bytes, bf16", rounded_bytes(work(2).bytes), work(2).bytes,
           rounded_number(work(2).intensity()) + " FLOPs per byte");

  constexpr double kLow = 0.1, kHigh = 1e4;
  Chart chart("Rooflines: attainable TFLOP/s over FLOPs per byte, with the product as a point on each",
              {.label = "FLOPs per byte", .from = kLow, .to = kHigh, .logarithmic = true},
              {.label = "TFLOP/s", .from = 0.1, .to = 2000, .logarithmic = true});
  CalculatorTable table{{"GPU", "time at least", "TFLOP/s at most", "bound by"}, {}};
  int color = 0;
  for (const Case& each : cases) {
    const std::string name = std::string(each.gpu) + ", " + each.dtype;
    const accounting::Work cost = work(each.bytes_per_element);
    const double seconds = each.roofline.seconds(cost), rate = each.roofline.attainable(cost.intensity());
    table.rows.push_back({name, rounded_duration(seconds), rounded_number(rate / 1e12),
                          each.roofline.memory_bound(cost) ? "memory" : "compute"});
    const auto roof = [&](double intensity) { return each.roofline.attainable(intensity) / 1e12; };
    chart.line({{kLow, roof(kLow)}, {each.roofline.ridge(), roof(each.roofline.ridge())}, {kHigh, roof(kHigh)}},
               ++color, name);
    chart.dot(cost.intensity(), rate / 1e12, color, name, color % 2 == 1);
  }
  out.drawings.push_back(chart.drawing());
  out.tables.push_back(std::move(table));
  return out;
}
LECTERN_CALCULATOR(matrix_product, rows, inner, columns);

inline std::vector<lectern::CalculatorInput> matrix_product_inputs() {
  return {{.name = "rows", .label = "Rows", .value = "4096", .min = 1, .max = 65536, .logarithmic = true},
          {.name = "inner", .label = "Inner dimension", .value = "4096", .min = 1, .max = 65536, .logarithmic = true},
          {.name = "columns", .label = "Columns", .value = "4096", .min = 1, .max = 65536, .logarithmic = true}};
}
inline std::vector<lectern::CalculatorPreset> matrix_product_presets() {
  return {{"a layer on 4,096 tokens", {{"rows", "4096"}}},
          {"one token", {{"rows", "1"}}},
          {"a batch of 32", {{"rows", "32"}}}};
}
