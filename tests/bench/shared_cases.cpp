#include <memory>

#include "autograd/backward.h"
#include "bench/cases.h"
#include "ops/attention.h"
#include "ops/cross_entropy.h"
#include "ops/elementwise.h"
#include "ops/layer_norm.h"
#include "ops/softmax.h"
#include "optim/adafactor.h"
#include "optim/adam.h"
#include "optim/clip_grad.h"

namespace lectern::bench {
namespace {

constexpr std::int64_t kRows = 4096;

Tensor matrix() {
  return rand({kRows, kRows});
}

/// `forward(x)` alone, or with its gradients for x and the parameters by one of `grad`.
template <typename Forward>
std::function<Measured()> by_rows(bool backward, std::vector<Tensor> parameters, Forward forward) {
  return timed([=] {
    Tensor x = matrix();
    std::vector<Tensor> inputs = parameters;
    inputs.insert(inputs.begin(), x);
    for (const Tensor& input : inputs) input.requires_grad_(backward);
    const Tensor y = forward(x, parameters);
    const Tensor grad = y.dim() == 0 ? ones({}) : matrix();
    return [=] {
      const Tensor result = forward(x, parameters);
      if (backward) autograd::grad({result}, inputs, {grad});
    };
  });
}

std::function<Measured()> softmaxes(bool backward) {
  return by_rows(backward, {}, [](const Tensor& x, const std::vector<Tensor>&) { return softmax(x, 1); });
}

std::function<Measured()> layer_norms(bool backward) {
  return by_rows(backward, {rand({kRows}), rand({kRows})}, [](const Tensor& x, const std::vector<Tensor>& p) {
    return layer_norm(x, {kRows}, p[0], p[1]);
  });
}

std::function<Measured()> cross_entropies(bool backward) {
  return by_rows(backward, {},
                 [target = randint(kRows, {kRows})](const Tensor& x, const std::vector<Tensor>&) {
                   return cross_entropy(x, target);
                 });
}

std::function<Measured()> gelus(bool backward) {
  return by_rows(backward, {}, [](const Tensor& x, const std::vector<Tensor>&) { return gelu(x); });
}

/// Causal, 8 heads of 64.
std::function<Measured()> attention(std::int64_t length, bool backward) {
  return timed([=] {
    const auto heads = [=] { return rand({8, length, 64}, {.requires_grad = backward}); };
    return [=, q = heads(), k = heads(), v = heads(), grad = rand({8, length, 64})] {
      const Tensor result = scaled_dot_product_attention(q, k, v, {.is_causal = true});
      if (backward) autograd::grad({result}, {q, k, v}, {grad});
    };
  });
}

std::vector<Tensor> parameters_with_gradients() {
  const Tensor parameter = matrix().requires_grad_();
  parameter.mutable_grad() = matrix();
  return {parameter};
}

template <typename Optimizer>
std::function<Measured()> stepping() {
  return timed([] {
    const auto optimizer = std::make_shared<Optimizer>(parameters_with_gradients());
    optimizer->step();  // the first one makes what is kept
    return [=] { optimizer->step(); };
  });
}

}  // namespace

std::vector<Case> shared_cases() {
  return {
      {"matmul_batched", "[64, 256, 256] @ [64, 256, 256]", product({64, 256, 256}, {64, 256, 256})},
      {"add_strided", "[4096, 8192][:, ::2], both", timed([] {
         const auto columns = [] { return rand({4096, 8192}).slice(1, {}, {}, 2); };
         return [x = columns(), y = columns()] { x + y; };
       })},
      {"add_transposed", "[4096, 4096] + [4096, 4096].t()", timed([] {
         return [x = rand({4096, 4096}), y = rand({4096, 4096}).t()] { x + y; };
       })},
      {"add_row", "[4096, 4096] + [4096]", timed([] {
         return [x = rand({4096, 4096}), y = rand({4096})] { x + y; };
       })},
      {"add_column", "[4096, 4096] + [4096, 1]", timed([] {
         return [x = rand({4096, 4096}), y = rand({4096, 1})] { x + y; };
       })},
      {"copy_transposed", "[4096, 4096].t()", timed([] {
         return [x = rand({4096, 4096}).t()] { x.contiguous(); };
       })},
      {"sum_dim0", "[4096, 4096]", sum_over({0})},
      {"sum_dim1", "[4096, 4096]", sum_over({1})},
      {"var_dim1", "[4096, 4096]", timed([] { return [x = matrix()] { x.var({1}); }; })},
      {"softmax", "[4096, 4096]", softmaxes(false), 0, "", kNearMemory},
      {"softmax_backward", "[4096, 4096], both ways", softmaxes(true), 0, "", kNearMemory},
      {"gelu_backward", "[4096, 4096], both ways", gelus(true), 0, "", kNearMemory, 1,
       (kGeluOperations + kGeluGradientOperations) * kMany,
       "on an AMD EPYC (Zen 5), 1.49 to 1.54 in different runs: a division and comparisons come on top of "
       "the "
       "multiply-adds that are counted"},
      {"softmax_dim0", "[4096, 4096]", timed([] { return [x = matrix()] { softmax(x, 0); }; })},
      {"log_softmax", "[4096, 4096]", timed([] { return [x = matrix()] { log_softmax(x, 1); }; })},
      {"layer_norm", "[4096, 4096]", layer_norms(false), 0, "", kNearMemory},
      {"layer_norm_backward", "[4096, 4096], both ways", layer_norms(true), 0, "", kNearMemory, 1, 0,
       "one core of an AMD EPYC (Zen 5) waits for two rows from memory, and only then works on them from its "
       "cache (for 1.7 ms of the backward pass's 6, and 1 ms for weight and bias): to fetch the next rows "
       "meanwhile "
       "made both slower"},
      {"cross_entropy", "[4096, 4096]", cross_entropies(false), 0, "", kNearMemory, 1, 0,
       "on an AMD EPYC (Zen 5), 1.44 to 1.56 in different runs: one core's 10 multiply-adds for 16 elements "
       "take 1.3 ms, "
       "a copy 1.2"},
      {"cross_entropy_backward", "[4096, 4096], both ways", cross_entropies(true), 0, "", kNearMemory},
      {"attention_512", "[8, 512, 64], causal", attention(512, false)},
      {"attention_2048", "[8, 2048, 64], causal", attention(2048, false)},
      {"attention_512_backward", "[8, 512, 64], causal, both ways", attention(512, true)},
      {"attention_2048_backward", "[8, 2048, 64], causal, both ways", attention(2048, true)},
      {"adamw", "a step, [4096, 4096]", stepping<optim::AdamW>(), 0, "", 1.3},
      {"adafactor", "a step, [4096, 4096]", stepping<optim::Adafactor>()},
      {"clip_grad_norm_", "[4096, 4096]", timed([] {
         return [parameters = parameters_with_gradients()] { nn::utils::clip_grad_norm_(parameters, 0); };
       }),
       0, "", kNearMemory},
  };
}

}  // namespace lectern::bench
