// A Transformer's parameters by part, for readers to try.  @hide file

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lectern/calculator.h>

#include "accounting/transformer.h"
#include "calculator_inputs.h"

/// The parameters of a decoder-only Transformer, by part.
inline lectern::CalculatorResult transformer_parameters(std::int64_t vocabulary, std::int64_t context,
                                                        std::int64_t width, std::int64_t layers, std::int64_t heads,
                                                        std::int64_t kv_heads, std::int64_t hidden, bool gated,
                                                        std::string_view positions, bool tied, bool biases) {
  using namespace lectern;
  CalculatorResult out;
  const auto size = [](std::int64_t count) { return static_cast<double>(count); };
  const accounting::Transformer model{
      .vocabulary = size(vocabulary),
      .context = size(context),
      .width = size(width),
      .layers = size(layers),
      .heads = size(heads),
      .kv_heads = size(kv_heads),
      .hidden = size(hidden),
      .gated = gated,
      .tied = tied,
      .biases = biases,
      .positions = positions == "learned" ? accounting::Positions::learned : accounting::Positions::rotary,
      .norm = biases ? accounting::Norm::layer : accounting::Norm::rms};
  expect_none(out, accounting::problem(model));
  if (out.refused()) return out;

  const accounting::TransformerParameters parts = accounting::count_parameters(model);
  const double total = parts.total();
  out.show("Parameters", rounded_number(total, 9), total, rounded_count(total));
  out.show("FLOPs per token, forward",
           rounded_number(accounting::forward_flops_per_token(model, size(context)).total()),
           accounting::forward_flops_per_token(model, size(context)).total(), "at the full context");
  out.show("Parameters in bf16", rounded_bytes(2 * total), 2 * total);
  out.show("Keys and values of one sequence", rounded_bytes(accounting::kv_cache_bytes(model, size(context), 1)),
           accounting::kv_cache_bytes(model, size(context), 1), "bf16, at the full context");

  CalculatorBar bar{"Parameters by part", {}};
  CalculatorTable table{{"part", "parameters", "share"}, {}};
  const std::pair<const char*, double> listed[] = {{"token embedding", parts.token_embedding},
                                                   {"positions", parts.position_embedding},
                                                   {"attention", parts.attention},
                                                   {"MLP", parts.mlp},
                                                   {"norms", parts.norms},
                                                   {tied ? "head (tied)" : "head", parts.head}};
  for (const auto& [name, count] : listed) {
    bar.segments.push_back({name, rounded_count(count), count});
    table.rows.push_back({name, rounded_number(count, 9), rounded_number(100 * count / total, 3) + "%"});
  }
  out.bars.push_back(std::move(bar));
  out.tables.push_back(std::move(table));
  if (tied) {
    const double saved = model.vocabulary * model.width;
    out.notes.push_back("Tying the head to the token embedding saves " + rounded_count(saved) + " parameters, " +
                        rounded_bytes(4 * saved, 3) + " in float32, and no operation.");
  }
  return out;
}
LECTERN_CALCULATOR(transformer_parameters, vocabulary, context, width, layers, heads, kv_heads, hidden, gated,
                   positions, tied, biases);

inline std::vector<lectern::CalculatorInput> transformer_parameters_inputs() {
  return {{.name = "vocabulary", .label = "Vocabulary", .value = "50257"},
          {.name = "context", .label = "Context", .unit = "tokens", .value = "1024"},
          {.name = "width", .label = "Width", .value = "768", .min = 64, .max = 16384, .logarithmic = true},
          {.name = "layers", .label = "Layers", .value = "12", .min = 1, .max = 128},
          {.name = "heads", .label = "Heads", .value = "12"},
          {.name = "kv_heads", .label = "Heads of keys and values", .value = "12"},
          {.name = "hidden", .label = "Hidden width of the MLP", .value = "3072"},
          {.name = "gated", .label = "Gated MLP", .value = "false"},
          {.name = "positions", .label = "Positions", .choices = {"learned", "rotary"}},
          {.name = "tied", .label = "Head tied to the embedding", .value = "true"},
          {.name = "biases", .label = "Biases", .value = "true"}};
}
inline std::vector<lectern::CalculatorPreset> transformer_parameters_presets() {
  return {{"GPT-2", {{"width", "768"}}},
          {"GPT-2 XL", {{"width", "1600"}, {"layers", "48"}, {"heads", "25"}, {"kv_heads", "25"}, {"hidden", "6400"}}},
          {"Llama 3 8B",
           {{"vocabulary", "128256"},
            {"context", "8192"},
            {"width", "4096"},
            {"layers", "32"},
            {"heads", "32"},
            {"kv_heads", "8"},
            {"hidden", "14336"},
            {"gated", "true"},
            {"positions", "rotary"},
            {"tied", "false"},
            {"biases", "false"}}},
          {"GPT-3",
           {{"context", "2048"},
            {"width", "12288"},
            {"layers", "96"},
            {"heads", "96"},
            {"kv_heads", "96"},
            {"hidden", "49152"}}}};
}
