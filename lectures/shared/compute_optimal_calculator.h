// The best model for a budget, for readers to try.  @hide file

#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lectern/calculator.h>

#include "accounting/data_sheets.h"
#include "accounting/roofline.h"
#include "accounting/scaling_laws.h"
#include "calculator_inputs.h"

/// The size of the model that a budget of GPU-days trains to the lowest loss.
inline lectern::CalculatorResult compute_optimal(std::int64_t gpus, double days, std::string_view gpu, double mfu) {
  using namespace lectern;
  using accounting::OptimalSize;
  CalculatorResult out;
  out.expect("gpus", static_cast<double>(gpus), 1, 1e7);
  out.expect("days", days, 1e-3, 1e5);
  expect_mfu(out, mfu);
  const Hardware* const hardware = expect_gpu(out, gpu);
  if (out.refused()) return out;

  const double flops = accounting::training_flops(days * 86400, static_cast<double>(gpus), hardware->bits16, mfu);
  const std::pair<const char*, OptimalSize> laws[] = {
      {"20 tokens per parameter", accounting::optimal_size(flops)},
      {"approach 1, training curves", accounting::optimal_size(flops, accounting::kTrainingCurves)},
      {"approach 2, equal operations", accounting::optimal_size(flops, accounting::kIsoFlopProfiles)},
      {"approach 3, as published", accounting::optimal_size(flops, accounting::kChinchillaLaw)},
      {"approach 3, replicated", accounting::optimal_size(flops, accounting::kReplicatedLaw)}};
  const OptimalSize& rule = laws[0].second;
  out.show("Operations", rounded_number(flops) + " FLOPs", flops,
           rounded_number(static_cast<double>(gpus) * days) + " GPU-days");
  out.show("Parameters", rounded_count(rule.parameters), rule.parameters);
  out.show("Tokens", rounded_count(rule.tokens), rule.tokens);
  out.show("Adam's 16 bytes per parameter", rounded_bytes(16 * rule.parameters, 3), 16 * rule.parameters,
           rounded_bytes(16 * rule.parameters / static_cast<double>(gpus), 3) + " per GPU if sharded");

  // Of constant operations: what the budget buys, from few parameters on many tokens to many on few.
  const double low = rule.parameters / 30, high = rule.parameters * 30;
  const auto tokens = [&](double parameters) { return flops / 6 / parameters; };
  Chart chart("Tokens over parameters, both logarithmic: the curve of this budget, and the optimum by each law",
              {.label = "parameters", .from = low, .to = high, .logarithmic = true},
              {.label = "tokens", .from = tokens(high), .to = tokens(low), .logarithmic = true});
  chart.line({{low, tokens(low)}, {high, tokens(high)}}, 0, "this budget");
  CalculatorTable table{{"law", "parameters", "tokens", "tokens per parameter"}, {}};
  int color = 0;
  for (const auto& [name, best] : laws) {
    table.rows.push_back({name, rounded_count(best.parameters), rounded_count(best.tokens),
                          rounded_number(best.tokens_per_parameter(), 3)});
    ++color;
    chart.dot(best.parameters, best.tokens, color, color == 1 ? "20 per parameter" : color == 4 ? "as published" : "");
  }
  out.drawings.push_back(chart.drawing());
  out.tables.push_back(std::move(table));
  out.notes.emplace_back("The published fit of approach 3 was stopped too early and disagrees with approaches 1 and 2; "
                         "repeated on the same data it agrees (Besiroglu et al. 2024).");
  return out;
}
LECTERN_CALCULATOR(compute_optimal, gpus, days, gpu, mfu);

inline std::vector<lectern::CalculatorInput> compute_optimal_inputs() {
  return {{.name = "gpus", .label = "GPUs", .value = "32", .min = 1, .max = 131072, .logarithmic = true},
          {.name = "days", .label = "Days", .value = "14", .min = 1, .max = 365, .logarithmic = true},
          gpu_input(),
          mfu_input()};
}
