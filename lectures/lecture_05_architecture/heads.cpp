// Lecture 5, heads of keys and values, and the memory of their cache.

#include "cache_memory_calculator.h"
#include "model.h"

namespace {

void the_cache(), generated_from_it(), of_known_models();

}  // namespace

void heads() {
  text("## Heads, and what they remember");
  the_cache();
  generated_from_it();
  of_known_models();
}

namespace {

void the_cache() {
  text(R"(
    To generate a token, a model attends from the last one to all before it. Their keys and values no longer change,
    so they are kept: the **key-value cache**. In each of $L$ layers and $g$ heads a token has a key and a value of
    $k$ numbers:

    $$\text{cache} = 2\, L\, g\, k \text{ numbers for each token}$$)");
  image("figures/lecture_05_architecture/heads.svg",
        {.alt = "Four ways for four heads of queries to get keys and values. Multi-head: each has a head of keys and "
                "values of its own. Grouped-query: two heads of queries share one, so there are two. Multi-query: all "
                "four share one. Latent: each has its own again, but all are computed from one short vector, and that "
                "alone is kept. Kept of a token are 8 k, 4 k, 2 k, and r + rotary numbers.",
         .caption = "Above the queries, below them the heads of keys and values: filled if they are kept, dashed if "
                    "they are computed from what is kept.",
         .width = 640});
  text(R"(
    - **Multi-head** attention has as many heads of keys and values as of queries, $g = h$, and $g k = d$.
    - **Multi-query** attention has one, $g = 1$, which all queries share.
    - **Grouped-query** attention is in between: $h / g$ heads of queries share one.)");
  link(works::multi_query), link(works::grouped_query);
  text(R"(
    Why it matters: every new token reads the whole cache, and does only $2 h / g$ operations with each number of it.
    With a long context, generating is mostly reading. And the cache, not the model, decides how many users fit on a
    machine.)");
  const std::vector<std::pair<std::string, int64_t>> kinds = {
      {"multi-head", 4}, {"grouped-query", 2}, {"multi-query", 1}};
  std::vector<TableRow> rows;
  const int64_t tokens = 100;
  bool all_hold = true;
  for (const auto& [name, g] : kinds) {  // @stepover
    const Choices choices = {.kv_heads = g, .positions = Positions::rotary};
    const int64_t before = memory_allocated();
    std::vector<nn::KeyValueCache> caches;
    for (int64_t layer = 0; layer < choices.layers; ++layer) caches.emplace_back(1, g, tokens, choices.head_width());
    const int64_t bytes = memory_allocated() - before;
    all_hold = all_hold && bytes == 4 * tokens * cached_numbers_of(choices);
    rows.push_back({name, g, parameters_of(choices), bytes, bytes / tokens});
  }
  table({"Attention", "g", "Parameters", "Bytes of the cache", "for each token"}, rows,
        {.caption =
             fmt::format("Our model, in float32, with caches for {} tokens: measured, and equal to 4 · 2 L g k for "
                         "each token.",
                         tokens)});
  assert(all_hold);
}

void generated_from_it() {
  text("### Token by token");
  text(R"(
    The cache changes nothing but the order of the work. One token after the other, with the cache, gives the same as
    all at once, with shared heads as with others:)");
  manual_seed(2);
  const Choices choices = {.kv_heads = 2, .positions = Positions::rotary};
  const GroupedAttention attention(choices);  // @stepover
  const Tensor x = randn({1, 6, choices.width});
  const NoGradGuard no_grad;
  const Tensor at_once = attention(x);  // @stepover @inspect at_once.shape()
  nn::KeyValueCache cache(1, choices.kv_heads, 6, choices.head_width());
  std::vector<Tensor> one_by_one;
  for (int64_t t = 0; t < 6; ++t) {  // @stepover
    one_by_one.push_back(attention(x.narrow(1, t, 1), cache));
  }
  assert(cache.length() == 6);
  assert(cat(one_by_one, 1).allclose(at_once, 1e-4, 1e-5));
  text(R"(
    Note `turned(k, angles, before)` in the code: a key is turned by its own position once, when it comes, and kept like
    that. Since scores depend on distances only, it never has to be turned again.)");
}

// Published sizes.
struct Published {
  std::string name;
  int64_t layers, heads, kv_heads, head_width;

  // 16 bits a number.
  int64_t bytes_per_token() const { return 2 * 2 * layers * kv_heads * head_width; }
  int64_t with_all_heads() const { return 2 * 2 * layers * heads * head_width; }
};

void of_known_models() {
  text("### Of known models");
  text("By the same formula, in 16 bits, from their published sizes:");
  const std::vector<Published> models = {{"GPT-3 175B", 96, 96, 96, 128},   {"PaLM 540B", 118, 48, 1, 256},
                                         {"Llama 2 7B", 32, 32, 32, 128},   {"Llama 2 70B", 80, 64, 8, 128},
                                         {"Llama 3 8B", 32, 32, 8, 128},    {"Llama 3 70B", 80, 64, 8, 128},
                                         {"Llama 3 405B", 126, 128, 8, 128}};
  std::vector<TableRow> rows;
  for (const Published& model : models) {  // @stepover
    rows.push_back({model.name, model.layers, model.heads, model.kv_heads, model.bytes_per_token(),
                    fmt::format("{:.1f}", 8192e-9 * static_cast<double>(model.bytes_per_token()))});
  }
  table({"Model", "L", "h", "g", "Bytes for each token", "GB for 8,192 tokens"}, rows,
        {.caption =
             "The last column is for comparison: GPT-3 and PaLM have a context of 2,048 tokens, Llama 2 of 4,096."});
  link(works::gpt3), link(works::palm), link(works::llama2), link(works::llama3);
  const int64_t of_llama2_7b = models[2].bytes_per_token();
  const int64_t of_llama2_70b = models[3].bytes_per_token();
  assert(of_llama2_7b == 524'288 && of_llama2_70b == 327'680);
  text(R"(
    Llama 2 with 70 billion parameters keeps **less** of a token than the one with 7 billion: it has 80 layers
    instead of 32, but 8 heads of keys and values instead of 32.)");
  assert(of_llama2_70b < of_llama2_7b);
  assert(models[3].with_all_heads() == 8 * of_llama2_70b);
  text(R"(
    Now the question from the beginning: a context of 131,072 tokens, with the 8 heads of keys and values of Llama 3
    70B, and with as many as it has heads of queries, 64:)");
  const double with_8 = 131'072e-9 * static_cast<double>(models[5].bytes_per_token());  // @stepover @inspect with_8
  const double with_64 = 131'072e-9 * static_cast<double>(models[5].with_all_heads());  // @stepover @inspect with_64
  assert(std::lround(with_8) == 43 && std::lround(with_64) == 344);
  text(R"(
    43 GB fit beside the model's 141 GB of parameters on three GPUs of 80 GB. 344 GB would be more than twice the model
    itself, for a single text.)");
  calculator("The memory of a cache", cache_memory_inputs(), cache_memory, {cache_memory_presets()});  // @stepover
  text(R"(
    What do shared heads cost? A little quality: the authors of grouped-query attention found it, with 8 groups,
    close to that of multi-head attention, at nearly the speed of multi-query attention. On our model the difference
    is no larger than those between seeds, as the end of this lecture shows.)");
  exercise(R"(
    A server has 80 GB, of which Llama 3 8B's parameters take 16. How many conversations of 8,192 tokens fit, with the
    8 heads of keys and values that it has, and how many if it had 32?)",
           R"(
    A token takes 131,072 bytes, a conversation 1.07 GB. 59 of them fit into the 64 GB that are left. With 32 heads it
    would be 14.)");
  const double conversation =
      8192e-9 * static_cast<double>(models[4].bytes_per_token());  // @stepover @inspect conversation
  assert(models[4].bytes_per_token() == 131'072);
  assert(std::floor(64 / conversation) == 59 && std::floor(64 / (4 * conversation)) == 14);
}

}  // namespace
