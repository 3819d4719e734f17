// How long training takes, for readers to try.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <lectern/calculator.h>

#include "accounting/data_sheets.h"
#include "accounting/roofline.h"
#include "accounting/transformer.h"
#include "calculator_inputs.h"

/// How long devices train a model of that many parameters on that many tokens.
inline lectern::CalculatorResult training_time(double parameters, double tokens, std::int64_t gpus,
                                               std::string_view gpu, double mfu) {
  using namespace lectern;
  CalculatorResult out;
  out.expect("parameters", parameters, 1e3, 1e15);
  out.expect("tokens", tokens, 1e3, 1e18);
  out.expect("gpus", static_cast<double>(gpus), 1, 1e7);
  expect_mfu(out, mfu);
  const Hardware* const hardware = expect_gpu(out, gpu);
  if (out.refused()) return out;

  const double peak = hardware->bits16, count = static_cast<double>(gpus);
  const double flops = accounting::six_n_d(parameters, tokens);
  const double seconds = accounting::training_seconds(flops, count, peak, mfu);
  out.show("Operations, 6 · N · D", rounded_number(flops) + " FLOPs", flops);
  out.show("Rate of all GPUs", rounded_number(count * peak * mfu) + " FLOP/s", count * peak * mfu,
           "each " + rounded_number(peak * mfu / 1e12) + " of " + rounded_number(peak / 1e12) + " TFLOP/s, bf16");
  out.show("Training time", rounded_duration(seconds), seconds);
  out.show("GPU hours", rounded_number(seconds * count / 3600), seconds * count / 3600);

  const auto days = [&](double devices) { return accounting::training_seconds(flops, devices, peak, mfu) / 86400; };
  const double few = std::max(1.0, count / 32), many = count * 32;
  Chart chart("Days of training over the number of GPUs, both logarithmic",
              {.label = "GPUs", .from = few, .to = many, .logarithmic = true},
              {.label = "days", .from = days(many), .to = days(few), .logarithmic = true});
  chart.line({{few, days(few)}, {many, days(many)}}, 1);
  chart.dot(count, days(count), 1, rounded_duration(seconds));
  out.drawings.push_back(chart.drawing());
  return out;
}
LECTERN_CALCULATOR(training_time, parameters, tokens, gpus, gpu, mfu);

inline std::vector<lectern::CalculatorInput> training_time_inputs() {
  return {{.name = "parameters", .label = "Parameters", .value = "70B", .min = 1e7, .max = 1e13, .logarithmic = true},
          {.name = "tokens", .label = "Tokens", .value = "15T", .min = 1e9, .max = 1e15, .logarithmic = true},
          {.name = "gpus", .label = "GPUs", .value = "1024", .min = 1, .max = 131072, .logarithmic = true},
          gpu_input(),
          mfu_input()};
}
inline std::vector<lectern::CalculatorPreset> training_time_presets() {
  return {{"70B on 15T tokens", {{"parameters", "70B"}}},
          {"GPT-3 on A100s", {{"parameters", "175B"}, {"tokens", "300B"}, {"gpu", "A100 SXM 80GB"}}},
          {"1.28B, one node", {{"parameters", "1.28B"}, {"tokens", "300B"}, {"gpus", "8"}}}};
}
