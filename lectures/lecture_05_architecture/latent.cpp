// Lecture 5, latent attention.

#include "../shared/with_commas.h"
#include "model.h"

namespace {

void from_one_vector(), without_keys(), of_deepseek();

}  // namespace

void latent_attention() {
  text("## Latent attention");
  text(R"(
    Shared heads save memory by having fewer keys. **Multi-head latent attention** keeps all heads, and keeps none of
    their keys: only a short vector of each token, from which keys and values of all heads can be computed.)"),
      link(sources::deepseek_v2);
  from_one_vector();
  without_keys();
  of_deepseek();
}

namespace {

void from_one_vector() {
  text(R"(
    A matrix $D$ takes a token's $d$ numbers down to $r$, the latent vector $c = D x$. Matrices $U^K_i$ and $U^V_i$ for
    each head $i$ take it up again: $k_i = U^K_i c$ and $v_i = U^V_i c$. All heads have keys of their own, of rank $r$
    together. Rotary positions get in the way, as we are about to see; so a few features apart from these carry them,
    in a key of $k_R$ numbers that all heads share:

    $$\text{cache} = L\,(r + k_R) \text{ numbers for each token}$$)"),
      link<LatentAttention>();
  const Choices choices = {.latent = 24, .positions = Positions::rotary};
  const Choices all_heads = {.positions = Positions::rotary};
  const int64_t of_latent = cached_numbers_of(choices);       // @stepover @inspect of_latent
  const int64_t of_all_heads = cached_numbers_of(all_heads);  // @stepover @inspect of_all_heads
  assert(of_latent == choices.layers * (24 + 6));
  assert(of_all_heads == all_heads.layers * 2 * 48);
  const int64_t before = memory_allocated();
  // @stepover
  const Tensor kept = zeros({choices.layers, 100, choices.latent + choices.rotary_width()});
  const int64_t bytes = memory_allocated() - before;  // @inspect bytes
  assert(bytes == 4 * 100 * of_latent);
}

void without_keys() {
  text("### Attending without keys");
  text(R"(
    Keys and values need not even be computed again for each new token. A score is $q_i^\top U^K_i c = (U^{K\top}_i
    q_i)^\top c$: take the query *down* into the space of the latent vectors, and compare it with those. The values
    likewise: the sum of $U^V_i c_j$ with weights is $U^V_i$ times the sum of the $c_j$. So heads attend to the latent
    vectors themselves, as multi-query attention with one head of $r$ features.)");
  const Choices choices = {.latent = 24, .positions = Positions::none};
  manual_seed(3);
  const LatentAttention attention(choices);  // @stepover
  const Tensor x = randn({1, 6, choices.width});
  const NoGradGuard no_grad;
  const Tensor expanded = attention(x);  // @stepover @inspect expanded.shape()
  const int64_t h = choices.heads, k = choices.head_width(), r = choices.latent;
  const Tensor c = attention.down(x).unsqueeze(1);                           // [1, 1, time, r]
  const Tensor q = attention.query(x).view({1, 6, h, k}).transpose(1, 2);    // [1, h, time, k]
  const Tensor down_again = q.matmul(attention.key.weight.view({h, k, r}));  // [1, h, time, r]
  const double scale = 1 / std::sqrt(static_cast<double>(k));
  const Tensor sums = scaled_dot_product_attention(down_again, c, c, {.is_causal = true, .scale = scale});
  const Tensor values = sums.matmul(attention.value.weight.view({h, k, r}).transpose(1, 2));  // [1, h, time, k]
  const Tensor absorbed = attention.out(values.transpose(1, 2).flatten(2));
  assert(absorbed.allclose(expanded, 1e-3, 1e-5));
  text(R"(
    The same result, from a cache of $r$ numbers, without a key. With rotary positions a turn $R_{n - m}$ would stand
    between $U^{K\top}$ and $q$, another one for each pair, and there would be nothing to multiply once. That is why the
    positions have features of their own.)");
  text(R"(
    It costs operations: a score is a product of $r$ numbers instead of $k$. In generation, where memory is what one
    waits for, that is a good trade. In training, keys are computed, as `LatentAttention` does.)");
}

void of_deepseek() {
  text("### In DeepSeek-V2");
  text("60 layers, 128 heads of 128 features, latent vectors of 512 numbers and 64 for the positions:");
  const int64_t layers = 60, heads = 128, features = 128, r = 512, turning = 64;
  const int64_t bytes = 2 * layers * (r + turning);              // @inspect bytes
  const int64_t multi_head = 2 * 2 * layers * heads * features;  // @inspect multi_head
  assert(bytes == 69'120 && multi_head == 3'932'160);
  const double groups = static_cast<double>(r + turning) / (2 * features);  // @inspect groups
  assert(groups == 2.25);
  text(R"(
    {} bytes for each token in 16 bits, a fifth of Llama 3 70B's, for a model of 236 billion parameters: as much as
    grouped-query attention with 2.25 groups would need. Its authors report better results than with multi-head
    attention.)",
       with_commas(bytes));
  exercise(R"(
    The paper says that the cache is 93.3 % smaller than that of DeepSeek 67B, the model before, which has 95 layers and
    8 heads of keys and values of 128 features. Is it, by the formulas?)",
           R"(
    DeepSeek 67B keeps $2 \cdot 2 \cdot 95 \cdot 8 \cdot 128$ = 389,120 bytes. 69,120 are 82.2 % less. The rest is not
    the architecture: the numbers of the cache are stored with 6 bits on average instead of 16, which makes 25,920 bytes
    of it, and that is 93.3 % less.)");
  const double before = 2 * 2 * 95 * 8 * 128;                                         // @inspect before
  const double saved_by_latents = 1 - static_cast<double>(bytes) / before;            // @inspect saved_by_latents
  const double saved_with_6_bits = 1 - static_cast<double>(bytes) * 6 / 16 / before;  // @inspect saved_with_6_bits
  assert(std::lround(1000 * saved_by_latents) == 822 && std::lround(1000 * saved_with_6_bits) == 933);
}

}  // namespace
