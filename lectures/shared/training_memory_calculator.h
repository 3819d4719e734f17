// The memory of a training step, for readers to try.  @hide file

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <lectern/calculator.h>

#include "accounting/activations.h"
#include "accounting/data_sheets.h"
#include "accounting/training_memory.h"
#include "accounting/transformer.h"
#include "calculator_inputs.h"

/// What a GPT of GPT-2's form keeps in memory while it trains, beside what a GPU has.
inline lectern::CalculatorResult training_memory(std::int64_t width, std::int64_t layers, std::int64_t heads,
                                                 std::int64_t vocabulary, std::int64_t context, std::int64_t batch,
                                                 std::string_view precision, std::string_view optimizer,
                                                 std::string_view recomputation, bool fused, std::string_view gpu) {
  using namespace lectern;
  using accounting::OptimizerState;
  using accounting::Recomputation;
  using accounting::TrainingPrecision;
  CalculatorResult out;
  const auto size = [](std::int64_t count) { return static_cast<double>(count); };
  const accounting::Transformer model{.vocabulary = size(vocabulary),
                                      .context = size(context),
                                      .width = size(width),
                                      .layers = size(layers),
                                      .heads = size(heads)};
  expect_none(out, accounting::problem(model));
  out.expect("batch", size(batch), 1, 1e6);
  const Hardware* const hardware = expect_gpu(out, gpu);
  if (out.refused()) return out;

  const bool master = precision == "bf16 + float32 master copy";
  const TrainingPrecision& bytes = master                    ? accounting::kMasterCopyTraining
                                   : precision == "all bf16" ? accounting::kBfloat16Training
                                                             : accounting::kFloat32Training;
  const OptimizerState state = optimizer == "SGD"        ? OptimizerState::sgd
                               : optimizer == "momentum" ? OptimizerState::momentum
                                                         : OptimizerState::adam;
  const Recomputation kept = recomputation == "all layers"           ? Recomputation::full
                             : fused || recomputation == "attention" ? Recomputation::attention
                                                                     : Recomputation::none;
  const double parameters = accounting::count_parameters(model).total();
  const accounting::TrainingMemory training = accounting::training_memory(parameters, state, bytes);
  // The paper's counts are for 16-bit activations; in float32 they are twice as large.
  const double precision_factor = &bytes == &accounting::kFloat32Training ? 2 : 1;
  const double activations = precision_factor * accounting::activation_bytes(model, size(batch), size(context), kept);
  const double logits = 4 * size(batch) * size(context) * size(vocabulary);

  CalculatorBar bar{"Memory", {}};
  const auto add = [&](const char* name, double amount) {
    if (amount > 0) bar.segments.push_back({name, rounded_bytes(amount, 3), amount});
  };
  add("parameters", training.parameters);
  add("gradients", training.gradients);
  add("master copy", training.master);
  add("optimizer's state", training.state);
  add("activations", activations);
  add("logits, float32", logits);
  bar.limits.push_back({std::string(gpu), rounded_bytes(hardware->memory, 3), hardware->memory});
  const double total = training.total() + activations + logits;

  out.show("Parameters", rounded_count(parameters), parameters,
           with_noun(rounded_number(training.total() / parameters), "byte") + " each with gradients and states");
  out.show("Training state", rounded_bytes(training.total(), 3), training.total());
  out.show("Activations", rounded_bytes(activations, 3), activations,
           std::to_string(batch) + " × " + std::to_string(context) + " tokens");
  out.show("In all", rounded_bytes(total, 3), total,
           total <= hardware->memory ? "fits, with " + rounded_bytes(hardware->memory - total, 3) + " to spare"
                                     : "does not fit: " + rounded_bytes(total - hardware->memory, 3) + " too much");
  out.bars.push_back(std::move(bar));
  if (kept == Recomputation::full)
    out.notes.emplace_back("Recomputing every layer takes a second forward pass: 4/3 of the operations.");
  if (master)
    out.notes.emplace_back("16-bit parameters and gradients, a float32 master copy and Adam's two states are 16 bytes "
                           "per parameter, no fewer than in float32; what halves is the activations.");
  return out;
}
LECTERN_CALCULATOR(training_memory, width, layers, heads, vocabulary, context, batch, precision, optimizer,
                   recomputation, fused, gpu);

inline std::vector<lectern::CalculatorInput> training_memory_inputs() {
  return {{.name = "width", .label = "Width", .value = "2048", .min = 128, .max = 16384, .logarithmic = true},
          {.name = "layers", .label = "Layers", .value = "24", .min = 1, .max = 128},
          {.name = "heads", .label = "Heads", .value = "32"},
          {.name = "vocabulary", .label = "Vocabulary", .value = "32000"},
          {.name = "context",
           .label = "Context",
           .unit = "tokens",
           .value = "2048",
           .min = 128,
           .max = 131072,
           .logarithmic = true},
          {.name = "batch", .label = "Sequences in a batch", .value = "8", .min = 1, .max = 512, .logarithmic = true},
          {.name = "precision",
           .label = "Precision",
           .value = "bf16 + float32 master copy",
           .choices = {"float32", "bf16 + float32 master copy", "all bf16"}},
          {.name = "optimizer", .label = "Optimizer", .choices = {"Adam", "momentum", "SGD"}},
          {.name = "recomputation", .label = "Recomputed", .choices = {"none", "attention", "all layers"}},
          {.name = "fused", .label = "Fused attention", .value = "false"},
          gpu_input()};
}
