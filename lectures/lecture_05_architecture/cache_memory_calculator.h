// The memory of a key-value cache, for readers to try.  @hide file

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lectern/calculator.h>

/// What a model keeps of the tokens that it has read: as it is, and with other attention of the same heads.
inline lectern::CalculatorResult cache_memory(std::int64_t layers, std::int64_t heads, std::int64_t kv_heads,
                                              std::int64_t head_width, std::string_view attention, std::int64_t latent,
                                              std::int64_t rotary, std::int64_t tokens, std::int64_t sequences,
                                              std::string_view dtype) {
  using namespace lectern;
  CalculatorResult out;
  const auto real = [](std::int64_t count) { return static_cast<double>(count); };
  const std::pair<const char*, std::int64_t> counts[] = {
      {"layers", layers}, {"heads", heads},   {"kv_heads", kv_heads},  {"head_width", head_width},
      {"latent", latent}, {"tokens", tokens}, {"sequences", sequences}};
  for (const auto& [name, count] : counts) out.expect(name, real(count), 1, 1e9);
  out.expect("rotary", real(rotary), 0, 1e9);
  if (out.refused()) return out;
  if (heads % kv_heads != 0) out.refuse("kv_heads", "must divide the number of heads");
  if (out.refused()) return out;

  const double bytes_each = dtype == "float32" ? 4 : dtype == "bf16" ? 2 : dtype == "8 bits" ? 1 : 0.5;
  const double of_a_head = 2 * real(layers) * real(head_width) * bytes_each;
  const double of_latents = real(layers) * (real(latent) + real(rotary)) * bytes_each;
  const bool is_latent = attention == "latent";
  const double token = is_latent ? of_latents : real(kv_heads) * of_a_head;
  const double all_heads = real(heads) * of_a_head;
  out.show("Of one token", rounded_bytes(token), token, is_latent ? "L (r + rotary) numbers" : "2 L g k numbers");
  out.show("Of one sequence", rounded_bytes(token * real(tokens)), token * real(tokens));
  out.show("Of all sequences", rounded_bytes(token * real(tokens) * real(sequences)),
           token * real(tokens) * real(sequences));
  out.show("Against multi-head attention", rounded_number(100 * token / all_heads, 3) + "%", token / all_heads);

  CalculatorTable table{{"attention of the same heads", "one token", "one sequence"}, {}};
  const std::pair<std::string, double> kinds[] = {
      {"multi-head, " + rounded_number(real(heads)), all_heads}, {"as above", token}, {"multi-query, 1", of_a_head}};
  for (const auto& [name, bytes] : kinds)
    table.rows.push_back({name, rounded_bytes(bytes), rounded_bytes(bytes * real(tokens))});
  out.tables.push_back(std::move(table));
  return out;
}
LECTERN_CALCULATOR(cache_memory, layers, heads, kv_heads, head_width, attention, latent, rotary, tokens, sequences,
                   dtype);

inline std::vector<lectern::CalculatorInput> cache_memory_inputs() {
  return {
      {.name = "layers", .label = "Layers", .value = "80", .min = 1, .max = 256},
      {.name = "heads", .label = "Heads of queries", .value = "64"},
      {.name = "kv_heads", .label = "Heads of keys and values", .value = "8"},
      {.name = "head_width", .label = "Width of a head", .value = "128"},
      {.name = "attention", .label = "Attention", .value = "grouped", .choices = {"grouped", "latent"}},
      {.name = "latent", .label = "Latent vector (if latent)", .value = "512"},
      {.name = "rotary", .label = "Rotary key (if latent)", .value = "64"},
      {.name = "tokens",
       .label = "Length",
       .unit = "tokens",
       .value = "131072",
       .min = 1024,
       .max = 1048576,
       .logarithmic = true},
      {.name = "sequences", .label = "Sequences at a time", .value = "1", .min = 1, .max = 1024, .logarithmic = true},
      {.name = "dtype", .label = "Format", .value = "bf16", .choices = {"float32", "bf16", "8 bits", "4 bits"}}};
}
inline std::vector<lectern::CalculatorPreset> cache_memory_presets() {
  return {{"Llama 2 7B, multi-head", {{"layers", "32"}, {"heads", "32"}, {"kv_heads", "32"}, {"tokens", "4096"}}},
          {"Llama 3 70B, grouped-query", {{"layers", "80"}, {"heads", "64"}, {"kv_heads", "8"}}},
          {"PaLM 540B, multi-query",
           {{"layers", "118"}, {"heads", "48"}, {"kv_heads", "1"}, {"head_width", "256"}, {"tokens", "2048"}}},
          {"DeepSeek-V2, latent", {{"layers", "60"}, {"heads", "128"}, {"kv_heads", "128"}, {"attention", "latent"}}}};
}
