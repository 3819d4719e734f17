// Tiles of a matrix product on a GPU, for readers to try.  @hide file

#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <lectern/calculator.h>

#include "../shared/calculator_inputs.h"
#include "accounting/data_sheets.h"
#include "accounting/roofline.h"

/// A product by tiles of rows × columns, `depth` of the inner dimension at a time, `stages` of them in shared memory.
inline lectern::CalculatorResult product_tiles(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                                               std::int64_t stages, std::string_view dtype, std::string_view gpu) {
  using namespace lectern;
  CalculatorResult out;
  out.expect("rows", static_cast<double>(rows), 1, 1024);
  out.expect("columns", static_cast<double>(columns), 1, 1024);
  out.expect("depth", static_cast<double>(depth), 1, 1024);
  out.expect("stages", static_cast<double>(stages), 1, 16);
  const Hardware* const hardware = expect_gpu(out, gpu);
  if (out.refused()) return out;

  const bool is_float32 = dtype == "float32";
  const double bytes = is_float32 ? 4 : 2;
  const accounting::Roofline roofline{is_float32 ? hardware->float32 : hardware->bits16, hardware->memory_bandwidth};
  const double m = static_cast<double>(rows), n = static_cast<double>(columns);
  const double intensity = 2 * m * n / ((m + n) * bytes);
  const double shared = static_cast<double>(stages) * (m + n) * static_cast<double>(depth) * bytes;
  const double sums = m * n;
  out.show("FLOPs for each byte fetched", rounded_number(intensity), intensity,
           "the ridge of " + std::string(gpu) + " is " + rounded_number(roofline.ridge()));
  out.show("Rate, were every tile fetched from memory",
           rounded_number(roofline.attainable(intensity) / 1e12) + " TFLOP/s", roofline.attainable(intensity),
           "of " + rounded_number(roofline.flops_per_second / 1e12));
  const double reuse = std::max(1.0, roofline.ridge() / intensity);
  out.show("Blocks that must share a tile by the cache", rounded_number(reuse, 3), reuse);
  out.show("Shared memory of a block", rounded_bytes(shared, 4), shared,
           hardware->bits8 == 0 ? "at most 163 KiB" : "at most 227 KiB");
  out.show("Registers for sums, of each of 256 threads", rounded_number(sums / 256, 4), sums / 256,
           sums / 256 > 255 ? "more than the 255 that a thread can have" : "of 255, with all else");
  const double most = (hardware->bits8 == 0 ? 163.0 : 227.0) * 1024;
  if (shared > most) out.notes.emplace_back("The stages do not fit into shared memory.");

  Chart chart("The roofline: attainable TFLOP/s over FLOPs per byte, both logarithmic, with square tiles and this one",
              {.label = "FLOPs per byte", .from = 0.1, .to = 1000, .logarithmic = true},
              {.label = "TFLOP/s", .from = 0.1, .to = 2000, .logarithmic = true});
  const auto rate = [&](double at) { return roofline.attainable(at) / 1e12; };
  chart.line({{0.1, rate(0.1)}, {roofline.ridge(), rate(roofline.ridge())}, {1000, rate(1000)}}, 1, std::string(gpu));
  for (const double side : {1.0, 8.0, 32.0}) {
    chart.dot(side / bytes, rate(side / bytes), 2, rounded_number(side) + " × " + rounded_number(side), true);
  }
  chart.dot(intensity, rate(intensity), 3, std::to_string(rows) + " × " + std::to_string(columns));
  out.drawings.push_back(chart.drawing());
  return out;
}
LECTERN_CALCULATOR(product_tiles, rows, columns, depth, stages, dtype, gpu);

inline std::vector<lectern::CalculatorInput> tile_inputs() {
  lectern::CalculatorInput gpu = gpu_input();
  gpu.value = "H200 SXM";
  return {
      {.name = "rows", .label = "Rows of a tile", .value = "128", .min = 1, .max = 512, .logarithmic = true},
      {.name = "columns", .label = "Columns", .value = "256", .min = 1, .max = 512, .logarithmic = true},
      {.name = "depth", .label = "Inner dimension at a time", .value = "64", .min = 8, .max = 256, .logarithmic = true},
      {.name = "stages", .label = "Stages in shared memory", .value = "3", .min = 1, .max = 8},
      {.name = "dtype", .label = "Format", .value = "bf16", .choices = {"bf16", "float32"}},
      gpu};
}
inline std::vector<lectern::CalculatorPreset> tile_presets() {
  return {{"no tile", {{"rows", "1"}, {"columns", "1"}}},
          {"32 × 32", {{"rows", "32"}, {"columns", "32"}}},
          {"256 × 256", {{"rows", "256"}, {"columns", "256"}}}};
}
