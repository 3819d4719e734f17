// What each of several GPUs holds, by the stage of ZeRO, for readers to try.  @hide file

#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lectern/calculator.h>

#include "../shared/calculator_inputs.h"
#include "accounting/data_sheets.h"
#include "accounting/parallelism.h"
#include "accounting/training_memory.h"

/// What a model's training state takes on each of several data-parallel GPUs, beside what one has.
inline lectern::CalculatorResult sharded_memory(double parameters, std::int64_t gpus, std::string_view gpu,
                                                std::string_view precision, std::string_view optimizer) {
  using namespace lectern;
  using accounting::OptimizerState;
  using accounting::TrainingPrecision;
  using accounting::ZeroStage;
  CalculatorResult out;
  out.expect("parameters", parameters, 1e3, 1e15);
  out.expect("gpus", static_cast<double>(gpus), 1, 1e7);
  const Hardware* const hardware = expect_gpu(out, gpu);
  if (out.refused()) return out;

  const TrainingPrecision& bytes = precision == "float32"    ? accounting::kFloat32Training
                                   : precision == "all bf16" ? accounting::kBfloat16Training
                                                             : accounting::kMasterCopyTraining;
  const OptimizerState state = optimizer == "SGD"                          ? OptimizerState::sgd
                               : optimizer == "momentum, AdaGrad, or Lion" ? OptimizerState::momentum
                                                                           : OptimizerState::adam;
  const double devices = static_cast<double>(gpus);
  const std::pair<const char*, ZeroStage> stages[] = {{"not sharded", ZeroStage::none},
                                                      {"1: optimizer's state", ZeroStage::optimizer},
                                                      {"2: and gradients", ZeroStage::gradients},
                                                      {"3: and parameters", ZeroStage::parameters}};
  CalculatorTable table{{"stage", "on each GPU", "left for activations", "largest model", "sent in a step"}, {}};
  const char* first_that_fits = nullptr;
  for (const auto& [name, stage] : stages) {
    const accounting::TrainingMemory held = accounting::training_memory(parameters, state, bytes, stage, devices);
    const double left = hardware->memory - held.total();
    if (left >= 0 && first_that_fits == nullptr) first_that_fits = name;
    table.rows.push_back({name, rounded_bytes(held.total(), 3), left >= 0 ? rounded_bytes(left, 3) : "does not fit",
                          rounded_count(accounting::most_parameters(hardware->memory, state, bytes, stage, devices)),
                          rounded_bytes(accounting::data_parallel_bytes(parameters, devices, stage, bytes), 3)});
    CalculatorBar bar{name, {}};
    const auto add = [&](const char* part, double amount) {
      if (amount > 0) bar.segments.push_back({part, rounded_bytes(amount, 3), amount});
    };
    add("parameters", held.parameters);
    add("gradients", held.gradients);
    add("master copy", held.master);
    add("optimizer's state", held.state);
    bar.limits.push_back({std::string(gpu), rounded_bytes(hardware->memory, 3), hardware->memory});
    out.bars.push_back(std::move(bar));
  }
  const double whole = accounting::training_memory(parameters, state, bytes).total();
  out.show("Training state", rounded_bytes(whole, 3), whole,
           with_noun(rounded_number(whole / parameters), "byte") + " per parameter");
  out.show("Least sharding that fits", first_that_fits != nullptr ? first_that_fits : "none",
           first_that_fits != nullptr ? 1 : 0);
  out.tables.push_back(std::move(table));
  return out;
}
LECTERN_CALCULATOR(sharded_memory, parameters, gpus, gpu, precision, optimizer);

inline std::vector<lectern::CalculatorInput> sharded_memory_inputs() {
  return {{.name = "parameters", .label = "Parameters", .value = "12.6B", .min = 1e8, .max = 1e12, .logarithmic = true},
          {.name = "gpus", .label = "GPUs", .value = "32", .min = 1, .max = 16384, .logarithmic = true},
          gpu_input(),
          {.name = "precision",
           .label = "Precision",
           .value = "bf16 + float32 master copy",
           .choices = {"float32", "bf16 + float32 master copy", "all bf16"}},
          {.name = "optimizer", .label = "Optimizer", .choices = {"Adam", "momentum, AdaGrad, or Lion", "SGD"}}};
}
inline std::vector<lectern::CalculatorPreset> sharded_memory_presets() {
  return {{"12.6B on 32 GPUs", {{"parameters", "12.6B"}, {"gpus", "32"}}},
          {"70B on 1,024", {{"parameters", "70B"}, {"gpus", "1024"}}},
          {"1.28B on 8", {{"parameters", "1.28B"}, {"gpus", "8"}}}};
}
