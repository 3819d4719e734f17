#include <memory>

#include "bench/both_ways.h"
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

/// Square matrices of float32, on a GPU of 256 MB: several times its cache.
class Matrices {
 public:
  explicit Matrices(const Scale& scale) : rows_(scale(scale.gpu ? 8192 : 4096, 40)) {}

  std::int64_t rows() const { return rows_; }
  std::string text() const { return to_string(Sizes{rows_, rows_}); }
  Tensor make() const { return rand({rows_, rows_}); }

 private:
  std::int64_t rows_;
};

std::function<Measured()> sum_over(const Matrices& matrices, std::int64_t dim) {
  return timed([=] { return [=, x = matrices.make()] { x.sum({dim}); }; });
}

std::function<Measured()> softmaxes(const Matrices& matrices, bool backward) {
  return valued(backward, [=] {
    const Tensor x = matrices.make();
    return Function{{x}, [=] { return softmax(x, 1); }};
  });
}

std::function<Measured()> layer_norms(const Matrices& matrices, bool backward) {
  return valued(backward, [=] {
    const std::int64_t row = matrices.rows();
    const Tensor x = matrices.make(), weight = rand({row}), bias = rand({row});
    return Function{{x, weight, bias}, [=] { return layer_norm(x, {row}, weight, bias); }};
  });
}

std::function<Measured()> cross_entropies(const Matrices& matrices, bool backward) {
  return valued(backward, [=] {
    const Tensor x = matrices.make(), target = randint(matrices.rows(), {matrices.rows()});
    return Function{{x}, [=] { return cross_entropy(x, target); }};
  });
}

std::function<Measured()> gelus(const Matrices& matrices, bool backward) {
  return valued(backward, [=] {
    const Tensor x = matrices.make();
    return Function{{x}, [=] { return gelu(x); }};
  });
}

/// Causal, 8 heads of 64.
std::function<Measured()> attention(std::int64_t length, bool backward) {
  return valued(backward, [=] {
    const auto heads = [=] { return rand({8, length, 64}); };
    const Tensor q = heads(), k = heads(), v = heads();
    return Function{{q, k, v}, [=] { return scaled_dot_product_attention(q, k, v, {.is_causal = true}); }};
  });
}

std::vector<Tensor> parameters_with_gradients(const Matrices& matrices) {
  const Tensor parameter = matrices.make().requires_grad_();
  parameter.mutable_grad() = matrices.make();
  return {parameter};
}

template <typename Optimizer>
std::function<Measured()> stepping(const Matrices& matrices) {
  return timed([=] {
    const auto optimizer = std::make_shared<Optimizer>(parameters_with_gradients(matrices));
    optimizer->step();  // the first one makes what is kept
    return [=] { optimizer->step(); };
  });
}

std::vector<Case> strided_cases(const Scale& scale, const Matrices& matrices) {
  const std::int64_t batch = scale(scale.gpu ? 1024 : 64, 2), side = scale(256, 20), rows = matrices.rows();
  const Sizes factor{batch, side, side};
  const std::string square = matrices.text();
  const auto columns = [=] { return rand({rows, 2 * rows}).slice(1, {}, {}, 2); };
  return {
      {"matmul_batched", to_string(factor) + " @ " + to_string(factor), product(factor, factor)},
      {.name = "add_strided",
       .tensors = to_string(Sizes{rows, 2 * rows}) + "[:, ::2], both",
       .run = timed([=] { return [x = columns(), y = columns()] { x + y; }; }),
       .obstacle = "on an AMD EPYC (Zen 4), with AVX-512's loops; AVX2's take 0.76 to 0.86 of PyTorch's time "
                   "on a Zen 3",
       .skipped_bytes = 2 * rows * rows * std::int64_t{sizeof(float)}},
      {"add_transposed", square + " + " + square + ".t()",
       timed([=] { return [x = matrices.make(), y = matrices.make().t()] { x + y; }; })},
      {"add_row", square + " + " + to_string(Sizes{rows}),
       timed([=] { return [x = matrices.make(), y = rand({rows})] { x + y; }; })},
      {"add_column", square + " + " + to_string(Sizes{rows, 1}), timed([=] {
         return [x = matrices.make(), y = rand({rows, 1})] { x + y; };
       })},
      {"copy_transposed", square + ".t()",
       timed([=] { return [x = matrices.make().t()] { x.contiguous(); }; })},
  };
}

std::vector<Case> attention_cases(const Scale& scale) {
  std::vector<Case> cases;
  for (const bool backward : {false, true}) {
    for (const std::int64_t full : {512, 2048}) {
      const std::int64_t length = scale(full, full / 24);
      cases.push_back({name_of("attention_" + std::to_string(full), backward),
                       tensors_of(to_string(Sizes{8, length, 64}) + ", causal", backward),
                       attention(length, backward)});
    }
  }
  return cases;
}

}  // namespace

std::vector<Case> shared_cases(const Scale& scale) {
  const Matrices matrices(scale);
  const std::string square = matrices.text(), both = tensors_of(square, true);
  std::vector<Case> cases = strided_cases(scale, matrices);
  const std::vector<Case> rows = {
      {"sum_dim0", square, sum_over(matrices, 0)},
      {"sum_dim1", square, sum_over(matrices, 1), 0, 0, 1, 0, kSumObstacle},
      {"var_dim1", square, timed([=] { return [x = matrices.make()] { x.var({1}); }; })},
      {"softmax", square, softmaxes(matrices, false), 0, kNearMemory, 1, 0,
       "on an Intel Xeon (Ice Lake) an element takes 0.37 ns to and from memory, as in a copy, and 0.3 in "
       "the cache, of which one core hides a third; two threads of an AMD EPYC (Zen 5) take 1.4 to 2.1 in "
       "different runs, as other machines use its memory"},
      {"softmax_backward", both, softmaxes(matrices, true), 0, kNearMemory, 1, 0,
       "on an AMD EPYC (Zen 4), where a core copies 44 GB/s, an element takes 0.8 ns both ways, in a "
       "copy 0.5: exponentials do not hide behind such a memory; 1.4 × copy on a Zen 3, with 23 GB/s"},
      {"gelu_backward", both, gelus(matrices, true), 0, kNearMemory, 1,
       (kGeluOperations + kGeluGradientOperations) * kMany,
       "on an AMD EPYC (Zen 5), 1.49 to 1.54 in different runs, on an Intel Xeon (Ice Lake) 1.40 to 1.58: a "
       "division "
       "and comparisons come on top of the multiply-adds that are counted"},
      {"softmax_dim0", square, timed([=] { return [x = matrices.make()] { softmax(x, 0); }; })},
      {"log_softmax", square, timed([=] { return [x = matrices.make()] { log_softmax(x, 1); }; })},
      {"layer_norm", square, layer_norms(matrices, false), 0, kNearMemory, 1, 0,
       "one core of an Intel Xeon (Ice Lake) waits for two rows from memory (0.37 ns an element, as a copy), "
       "and "
       "only then works on them from its cache (0.25)"},
      {"layer_norm_backward", both, layer_norms(matrices, true), 0, kNearMemory, 1, 0,
       "one core of an AMD EPYC (Zen 5) waits for two rows from memory, and only then works on them from its "
       "cache (for 1.7 ms of the backward pass's 6, and 1 ms for weight and bias): to fetch the next rows "
       "meanwhile "
       "made both slower"},
      {"cross_entropy", square, cross_entropies(matrices, false), 0, kNearMemory, 1, 0,
       "on an AMD EPYC (Zen 5), 1.44 to 1.56 in different runs: one core's 10 multiply-adds for 16 elements "
       "take 1.3 "
       "ms, a copy 1.2; a core of an Intel Xeon (Ice Lake) reads 14 GB/s and copies 21, so that the sum of "
       "the same "
       "elements takes 1.5 × copy already, on an AMD EPYC (Zen 3) 2.5"},
      {"cross_entropy_backward", both, cross_entropies(matrices, true), 0, kNearMemory, 1, 0,
       "on an AMD EPYC (Zen 4) 1.58, on a Zen 3 1.41 to 1.68 in different runs: what only reads takes "
       "longer than a copy of as many bytes there (the sum of the elements 2.5 × copy on the Zen 3), and "
       "a third of this does"},
  };
  cases.insert(cases.end(), rows.begin(), rows.end());
  for (Case& one : attention_cases(scale)) cases.push_back(std::move(one));
  const std::vector<Case> steps = {
      {"adamw", "a step, " + square, stepping<optim::AdamW>(matrices), 0, 1.3},
      {"adafactor", "a step, " + square, stepping<optim::Adafactor>(matrices)},
      {"clip_grad_norm_", square, timed([=] {
         return [parameters = parameters_with_gradients(matrices)] {
           nn::utils::clip_grad_norm_(parameters, 0);
         };
       }),
       0, kNearMemory},
  };
  cases.insert(cases.end(), steps.begin(), steps.end());
  return cases;
}

}  // namespace lectern::bench
