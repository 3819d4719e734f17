// Lecture 5, latent attention.

#include "../shared/with_commas.h"
#include "model.h"

namespace {

void from_one_vector(), without_keys(), of_deepseek();

}  // namespace

void latent_attention() {
  text("## Latent attention");
  text(R"(
    Shared heads save memory by having fewer keys. **Multi-head latent attention** has all heads, but keeps none of
    their keys: only a short vector of each token, from which the keys and values of all heads can be computed.)"),
      link(works::deepseek_v2);
  from_one_vector();
  without_keys();
  of_deepseek();
}

namespace {

void from_one_vector() {
  text(R"(
    A matrix $D$ takes a token's $d$ numbers down to $r$, the latent vector $c = D x$. Matrices $U^K_i$ and $U^V_i$ for
    each head $i$ take it up again: $k_i = U^K_i c$ and $v_i = U^V_i c$. All heads have keys of their own, of rank $r$
    together. Rotary positions would get in the way, as we are about to see; so a few separate features carry them, in a
    key of $k_R$ numbers that all heads share:

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
    likewise: the weighted sum of the $U^V_i c_j$ is $U^V_i$ times the weighted sum of the $c_j$. So heads attend to the
    latent vectors themselves, as in multi-query attention with a head of $r$ features.)");
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
    The same result, from a cache of $r$ numbers, without a key. With rotary positions the score would be
    $q_i^\top R_{n-m} U^K_i c$, with another $R_{n-m}$ for each distance, and the query could not be taken down once for
    all keys. That is why the positions have features of their own.)");
  text(R"(
    It costs operations: a score is a product of $r$ numbers instead of $k$, and values are summed over as many. In
    generation, which waits for memory, that is a good trade. In training the keys are computed, as `LatentAttention`
    does.)");
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
    {} bytes for each token in 16 bits, a fifth of Llama 3 70B's, in a model of 236 billion parameters: as much as
    grouped-query attention with 2.25 groups would need. Its authors report better results than with multi-head
    attention.)",
       with_commas(bytes));
  exercise(R"(
    The paper says that the cache is 93.3 % smaller than that of DeepSeek 67B, the model before, which has 95 layers and
    8 heads of keys and values of 128 features. Is it, by the formulas?)",
           R"(
    DeepSeek 67B keeps $2 \cdot 2 \cdot 95 \cdot 8 \cdot 128$ = 389,120 bytes. 69,120 are 82.2 % less. The rest is
    not the architecture: as deployed, the numbers of the cache have 6 bits on average instead of 16. That makes
    25,920 bytes, and these are 93.3 % less.)");
  const double before = 2 * 2 * 95 * 8 * 128;                                         // @inspect before
  const double saved_by_latents = 1 - static_cast<double>(bytes) / before;            // @inspect saved_by_latents
  const double saved_with_6_bits = 1 - static_cast<double>(bytes) * 6 / 16 / before;  // @inspect saved_with_6_bits
  assert(std::lround(1000 * saved_by_latents) == 822 && std::lround(1000 * saved_with_6_bits) == 933);
}

}  // namespace
