#include "bench/both_ways.h"
#include "device/cuda.h"
#include "device/deterministic.h"
#include "ops/attention.h"
#include "ops/convolution.h"
#include "ops/cross_entropy.h"
#include "ops/embedding.h"
#include "ops/layer_norm.h"
#include "ops/linear.h"
#include "ops/softmax.h"

namespace lectern::bench {
namespace {

Tensor bfloat16s(const Sizes& sizes) {
  return rand(sizes, {.dtype = bfloat16});
}

/// With cuDNN where it is faster; by kernels of our own; by those that give the same gradients each time.
enum class Attention { fastest, flash, flash_deterministic };

/// Causal, of [batch, heads, length, width]. (A case has a process of its own.)
Case attention(const std::string& name, const Sizes& sizes, bool backward, Attention kind) {
  const std::string suffix[] = {"", "_flash", "_flash_deterministic"};
  return {.name = name_of("attention_bfloat16_" + name + suffix[static_cast<int>(kind)], backward),
          .tensors = tensors_of(to_string(sizes) + ", causal", backward),
          .run = valued(backward,
                        [=] {
                          if (kind != Attention::fastest) cuda::set_cudnn_enabled(false);
                          use_deterministic_algorithms(kind == Attention::flash_deterministic);
                          const Tensor q = bfloat16s(sizes), k = bfloat16s(sizes), v = bfloat16s(sizes);
                          return Function{{q, k, v}, [=] {
                                            return scaled_dot_product_attention(q, k, v, {.is_causal = true});
                                          }};
                        }),
          .unit = Unit::bits16};
}

void add_attention(std::vector<Case>& cases, const Scale& scale, bool backward) {
  const Sizes shorter{scale(8, 2), scale(12, 2), scale(1024, 70), scale(64, 16)};
  const Sizes longer{1, scale(16, 2), scale(16384, 130), scale(128, 32)};
  for (const Attention kind : {Attention::fastest, Attention::flash}) {
    cases.push_back(attention("1024", shorter, backward, kind));
    cases.push_back(attention("16384", longer, backward, kind));
    // FlashAttention-3's paper (arXiv 2407.08608), figure 5: on an H100 SXM5, of these tensors.
    if (!backward) cases.back().known = "FlashAttention-2 335, cuDNN 539, FlashAttention-3 616 TFLOP/s";
  }
  if (!backward) return;
  // Gradients that blocks add up in any order (ops/attention.h), from the shortest keys on that have them,
  // and those of a fixed order.
  const Sizes shortest{scale(4, 2), scale(16, 2), scale(4096, 90), scale(128, 32)};
  cases.push_back(attention("4096", shortest, backward, Attention::flash));
  cases.push_back(attention("4096", shortest, backward, Attention::flash_deterministic));
  cases.push_back(attention("16384", longer, backward, Attention::flash_deterministic));
}

/// Of the token that a model generates, to those before it.
Case generated_attention(const Scale& scale) {
  const Sizes query{scale(8, 2), scale(12, 2), 1, scale(64, 16)};
  const Sizes keys{query[0], query[1], scale(16384, 600), query[3]};
  return {.name = "attention_bfloat16_generated",
          .tensors = to_string(query) + " to " + to_string(keys),
          .run = timed([=] {
            return [q = bfloat16s(query), k = bfloat16s(keys), v = bfloat16s(keys)] {
              scaled_dot_product_attention(q, k, v);
            };
          }),
          .unit = Unit::bits16};
}

/// With a bias: of some rows of `in` numbers, `out` for each.
void add_linear(std::vector<Case>& cases, const Scale& scale, std::int64_t in, std::int64_t out,
                bool backward) {
  const Sizes x{scale(8192, 50), scale(in, in / 64)}, weight{scale(out, out / 128), x[1]};
  cases.push_back({.name = name_of("linear_bfloat16_" + std::to_string(out), backward),
                   .tensors = tensors_of(to_string(x) + " to " + to_string(Sizes{x[0], weight[0]}), backward),
                   .run = valued(backward,
                                 [=] {
                                   const Tensor input = bfloat16s(x), w = bfloat16s(weight),
                                                bias = bfloat16s({weight[0]});
                                   return Function{{input, w, bias}, [=] { return linear(input, w, bias); }};
                                 }),
                   .unit = Unit::bits16,
                   .bound = Bound::arithmetic});
}

void add_rows(std::vector<Case>& cases, const Scale& scale, bool backward) {
  const Sizes sizes{scale(8192, 9), scale(16384, 300)};
  const std::string tensors = tensors_of(to_string(sizes), backward);
  cases.push_back({name_of("layer_norm_bfloat16", backward), tensors, valued(backward, [=] {
                     const Tensor x = bfloat16s(sizes), w = bfloat16s({sizes[1]}), b = bfloat16s({sizes[1]});
                     return Function{{x, w, b}, [=] { return layer_norm(x, {sizes[1]}, w, b); }};
                   })});
  cases.push_back({name_of("softmax_bfloat16", backward), tensors, valued(backward, [=] {
                     const Tensor x = bfloat16s(sizes);
                     return Function{{x}, [=] { return softmax(x, 1); }};
                   })});
  const Sizes logits{scale(8192, 9), scale(50257, 501)};
  cases.push_back({name_of("cross_entropy_bfloat16", backward), tensors_of(to_string(logits), backward),
                   valued(backward, [=] {
                     const Tensor x = bfloat16s(logits), target = randint(logits[1], {logits[0]});
                     return Function{{x}, [=] { return cross_entropy(x, target); }};
                   })});
}

/// Of pictures, as in a residual network's first stage.
Case convolution(const Scale& scale, bool backward) {
  const Sizes x{scale(32, 2), scale(64, 4), scale(56, 9), scale(56, 9)}, weight{x[1], x[1], 3, 3};
  return {.name = name_of("conv2d_float32", backward),
          .tensors = tensors_of(to_string(x) + " by " + to_string(weight), backward),
          .run = valued(backward,
                        [=] {
                          const Tensor input = rand(x), w = rand(weight);
                          return Function{{input, w}, [=] { return conv2d(input, w, {}, {.padding = {1}}); }};
                        }),
          .bound = Bound::arithmetic};
}

/// The gradient of a table, of the rows that tokens looked up.
Case embedding_gradient(const Scale& scale) {
  const std::int64_t rows = scale(50257, 501), tokens = scale(8192, 90), width = scale(768, 24);
  return {.name = "embedding_backward",
          .tensors = to_string(Sizes{tokens}) + " of " + to_string(Sizes{rows, width}),
          .run = timed([=] {
            return [=, grad = rand({tokens, width}), indices = randint(rows, {tokens})] {
              embedding_backward(grad, indices, rows);
            };
          })};
}

}  // namespace

std::vector<Case> cuda_layer_cases(const Scale& scale) {
  std::vector<Case> cases;
  for (const bool backward : {false, true}) {
    add_attention(cases, scale, backward);
    add_linear(cases, scale, 768, 3072, backward);
    add_linear(cases, scale, 4096, 16384, backward);
    add_rows(cases, scale, backward);
    cases.push_back(convolution(scale, backward));
  }
  cases.push_back(embedding_gradient(scale));
  cases.push_back(generated_attention(scale));
  return cases;
}

}  // namespace lectern::bench
