// The promise of device/threads.h.
#include <cmath>
#include <functional>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "autograd/autocast_mode.h"
#include "autograd/backward.h"
#include "device/threads.h"
#include "ops/activations.h"
#include "ops/attention.h"
#include "ops/channel_norm.h"
#include "ops/compare.h"
#include "ops/cross_entropy.h"
#include "ops/dropout.h"
#include "ops/einops/einsum.h"
#include "ops/elementwise.h"
#include "ops/embedding.h"
#include "ops/extremum.h"
#include "ops/flip.h"
#include "ops/float8_matmul.h"
#include "ops/gather.h"
#include "ops/index.h"
#include "ops/join.h"
#include "ops/layer_norm.h"
#include "ops/linear.h"
#include "ops/losses.h"
#include "ops/matmul.h"
#include "ops/nonzero.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "ops/repeat.h"
#include "ops/scan.h"
#include "ops/selection.h"
#include "ops/softmax.h"
#include "ops/sort.h"
#include "ops/tensors.h"
#include "ops/triangle.h"
#include "optim/adafactor.h"
#include "optim/adagrad.h"
#include "optim/adam.h"
#include "optim/clip_grad.h"
#include "optim/rmsprop.h"
#include "optim/sgd.h"
#include "tensor/creation.h"
#include "tensor/generator.h"

namespace lectern {
namespace {

using test::uniform;

using Results = std::vector<Tensor>;
struct Computation {
  std::string name;
  std::function<Results()> run;
};
using Computations = std::vector<Computation>;

// Large enough that threads take part.
constexpr std::int64_t kTokens = 3000, kRows = 20, kColumns = 16;
/// So many rows are reduced in several parts, which threads take (kernels/cpu/reductions.cpp).
constexpr std::int64_t kMany = 20'000;

/// Of a size that sums over so many products with them have about the size of what they are multiplied with,
/// as layers have it at their start: tolerances are made for such numbers.
Tensor weights(const Sizes& sizes, Dtype dtype, std::int64_t terms, unsigned seed) {
  return (uniform(sizes, float64, seed) * std::sqrt(3. / static_cast<double>(terms))).to(dtype);
}

/// The operation's result for x of these sizes and, where it has one, the gradient of x.
Computation operation(const std::string& name, const Sizes& sizes,
                      const std::function<Tensor(const Tensor&)>& of, Dtype dtype = float32) {
  return {name, [=] {
            manual_seed(0);
            const Tensor x = uniform(sizes, dtype).requires_grad_();
            const Tensor y = of(x);
            if (!y.requires_grad()) return Results{y};
            y.backward(weights(y.sizes(), y.dtype(), kTokens, 7));
            return Results{y.detach(), x.grad()};
          }};
}

/// To some of the rows of a table many places lead back.
Computations lookups() {
  const Tensor tokens = randint(kRows, {kTokens}), places = randint(kRows, {kTokens, kColumns});
  const Tensor rows = uniform({kTokens, kColumns}, float32, 2), many = uniform({kMany, kColumns}, float32, 3);
  const auto of = [](const std::string& name, const std::function<Tensor(const Tensor&)>& lookup) {
    return operation(name, {kRows, kColumns}, lookup);
  };
  return {
      of("embedding", [=](const Tensor& x) { return embedding(tokens, x); }),
      of("index_select", [=](const Tensor& x) { return index_select(x, 0, tokens); }),
      of("index", [=](const Tensor& x) { return x.index({tokens}); }),
      of("index_put", [=](const Tensor& x) { return (x * 2).index_put_({tokens}, rows) * x; }),
      of("index_put, accumulating",
         [=](const Tensor& x) { return (x * 2).index_put_({tokens}, rows, true) * x; }),
      of("index_add", [=](const Tensor& x) { return index_add(x, 0, tokens, rows) * x; }),
      of("gather", [=](const Tensor& x) { return gather(x, 0, places); }),
      of("scatter", [=](const Tensor& x) { return scatter(x, 0, places, rows) * x; }),
      of("scatter_add", [=](const Tensor& x) { return scatter_add(x, 0, places, rows) * x; }),
      of("take_along_dim", [=](const Tensor& x) { return take_along_dim(x, places, 0); }),
      of("broadcasting", [=](const Tensor& x) { return x[0] * many; }),
      of("weights of layer_norm", [=](const Tensor& x) { return layer_norm(rows, {kColumns}, x[0], x[1]); }),
      of("weight of rms_norm", [=](const Tensor& x) { return rms_norm(rows, {kColumns}, x[0]); }),
  };
}

Computations of_many_numbers() {
  const Tensor tokens = randint(kColumns, {kMany});
  const Tensor other = uniform({kMany, kColumns}, float32, 2);
  const auto of = [](const std::string& name, const std::function<Tensor(const Tensor&)>& compute) {
    return operation(name, {kMany, kColumns}, compute);
  };
  return {
      of("elementwise", [=](const Tensor& x) { return gelu(x * other).add_(x.exp() / (other + 3)).sin(); }),
      of("conversions", [=](const Tensor& x) { return x.to(bfloat16).to(float64); }),
      of("copies", [=](const Tensor& x) { return x.t().contiguous().flatten() * 2; }),
      of("where", [=](const Tensor& x) { return where(other.gt(0), x, other); }),
      of("clamp", [=](const Tensor& x) { return clamp(x, -0.5, 0.5); }),
      of("tril", [=](const Tensor& x) { return tril(x); }),
      of("cat",
         [=](const Tensor& x) {
           return cat({x, other, x}, 1);
         }),
      of("repeat",
         [=](const Tensor& x) {
           return repeat(x, {2, 3});
         }),
      of("flip",
         [=](const Tensor& x) {
           return flip(x, {0, 1});
         }),
      of("sum", [=](const Tensor& x) { return x.sum(); }),
      of("sum over rows", [=](const Tensor& x) { return x.sum({0}); }),
      of("mean", [=](const Tensor& x) { return x.mean({1}); }),
      of("prod", [=](const Tensor& x) { return x.prod(0); }),
      of("var", [=](const Tensor& x) { return x.var({0}); }),
      of("std", [=](const Tensor& x) { return x.std(); }),
      of("norm", [=](const Tensor& x) { return x.norm(); }),
      of("norm of order 3", [=](const Tensor& x) { return x.norm(3, {0}); }),
      of("logsumexp", [=](const Tensor& x) { return x.logsumexp({0}); }),
      of("amax", [=](const Tensor& x) { return amax(x, {0}); }),
      of("argmax", [=](const Tensor& x) { return argmax(x, 0); }),
      of("count_nonzero", [=](const Tensor& x) { return x.detach().gt(0).count_nonzero(); }),
      of("any", [=](const Tensor& x) { return x.detach().gt(0.99).any({1}); }),
      of("nonzero", [=](const Tensor& x) { return x.detach().gt(0).nonzero(); }),
      of("masked_select", [=](const Tensor& x) { return x.masked_select(other.gt(0)); }),
      of("cumsum", [=](const Tensor& x) { return x.cumsum(0); }),
      of("sort", [=](const Tensor& x) { return sort(x, 0).values; }),
      of("argsort", [=](const Tensor& x) { return argsort(x.detach(), 0); }),
      of("topk", [=](const Tensor& x) { return topk(x, 100, 0).values; }),
      of("softmax", [=](const Tensor& x) { return softmax(x, 1); }),
      of("softmax over rows", [=](const Tensor& x) { return softmax(x, 0); }),
      of("log_softmax", [=](const Tensor& x) { return log_softmax(x, 1); }),
      of("layer_norm", [=](const Tensor& x) { return layer_norm(x, {kColumns}); }),
      of("rms_norm", [=](const Tensor& x) { return rms_norm(x, {kColumns}); }),
      of("batch_norm",
         [=](const Tensor& x) {
           return batch_norm(x.unflatten(0, {4, -1}), {}, {}, {}, {.training = true});
         }),
      of("batch_norm of columns",
         [=](const Tensor& x) { return batch_norm(x, {}, {}, {}, {.training = true}); }),
      of("group_norm",
         [=](const Tensor& x) {
           return group_norm(x.unflatten(0, {4, -1}), 2);
         }),
      of("cross_entropy", [=](const Tensor& x) { return cross_entropy(x, tokens); }),
      of("nll_loss", [=](const Tensor& x) { return nll_loss(x, tokens); }),
      of("mse_loss", [=](const Tensor& x) { return mse_loss(x, other); }),
      of("binary_cross_entropy_with_logits",
         [=](const Tensor& x) { return binary_cross_entropy_with_logits(x, other.abs()); }),
      of("randn", [=](const Tensor& x) { return x * randn_like(x); }),
      of("dropout", [=](const Tensor& x) { return dropout(x); }),
      of("multinomial", [=](const Tensor& x) { return multinomial(x.detach().abs(), 4); }),
      of("randperm", [=](const Tensor& x) { return randperm(x.numel()); }),
      of("matmul of integers",
         [=](const Tensor& x) {
           const Tensor numbers = (x.detach() * 1000).to(cpu).to(int64);  // a GPU has no such product
           return matmul(numbers.t(), numbers);
         }),
  };
}

/// What the parameters are after three steps.
template <typename Optimizer, typename Options>
Computation steps(const std::string& name, const Options& options) {
  return {name, [=] {
            const Tensor matrix = uniform({kMany, kColumns}, float32).requires_grad_();
            const Tensor vector = uniform({kColumns}, float32, 2).requires_grad_();
            Optimizer optimizer({matrix, vector}, options);
            for (unsigned t = 3; t < 6; ++t) {
              for (const Tensor& p : {matrix, vector}) p.mutable_grad() = uniform(p.sizes(), float32, t);
              nn::utils::clip_grad_norm_({matrix, vector}, 1);
              optimizer.step();
            }
            return Results{matrix.detach(), vector.detach()};
          }};
}

Computations optimizers() {
  return {
      steps<optim::SGD>("SGD", optim::SGDOptions{.lr = 0.1, .momentum = 0.9}),
      steps<optim::Adagrad>("Adagrad", optim::AdagradOptions{}),
      steps<optim::RMSprop>("RMSprop", optim::RMSpropOptions{}),
      steps<optim::AdamW>("AdamW", optim::AdamWOptions{}),
      steps<optim::Adafactor>("Adafactor", optim::AdafactorOptions{}),
  };
}

/// OpenBLAS's and oneDNN's.
Computations products() {
  Computations made;
  for (const Dtype dtype : {float32, float64, bfloat16, float16}) {
    const auto of = [&](const std::string& kind, const Sizes& sizes,
                        const std::function<Tensor(const Tensor&)>& compute) {
      made.push_back(operation(kind + " of " + std::string(name(dtype)), sizes, compute, dtype));
    };
    const Tensor tokens = randint(kRows, {kTokens});
    const Tensor rows = uniform({kTokens, kColumns}, dtype, 2), bias = uniform({kRows}, dtype, 3);
    const Tensor square = weights({300, 300}, dtype, 300, 4);
    const Tensor high = weights({kTokens, kColumns}, dtype, kTokens, 5);
    const Tensor column = weights({kTokens}, dtype, kTokens, 6);
    of("matmul", {300, 300}, [=](const Tensor& x) { return matmul(x, square); });
    of("matmul of a transposed matrix", {300, 300}, [=](const Tensor& x) { return matmul(x.t(), square); });
    of("matmul by all threads", {1000, 300}, [=](const Tensor& x) { return matmul(x, square); });
    of("matmul of long rows", {kRows, kTokens}, [=](const Tensor& x) { return matmul(x, high); });
    of("matmul with a vector", {300, kTokens}, [=](const Tensor& x) { return matmul(x, column); });
    of("dot", {kTokens}, [=](const Tensor& x) { return dot(x, column); });
    of("bmm", {30, 50, 40}, [=](const Tensor& x) { return bmm(x, x.mT()) / 40; });
    of("einsum", {30, 50, 40}, [=](const Tensor& x) { return einsum(x, x, "b i k, b j k -> b i j") / 40; });
    of("linear", {kRows, kColumns}, [=](const Tensor& x) { return linear(rows, x, bias); });
    of("linear and cross_entropy", {kRows, kColumns},
       [=](const Tensor& x) { return cross_entropy(linear(rows, x), tokens); });
    of("attention", {2, 4, 150, 16},
       [=](const Tensor& x) { return scaled_dot_product_attention(x, x * 2, x + 1, {.is_causal = true}); });
  }
  const Tensor weight = uniform({kRows, kColumns}, float32, 2);
  made.push_back(operation("linear under autocast", {kTokens, kColumns}, [=](const Tensor& x) {
    const AutocastGuard autocast(x.device(), bfloat16);
    return linear(x, weight);
  }));
  made.push_back(operation("float8_matmul", {kTokens, kColumns}, [=](const Tensor& x) {
    return float8_matmul(x.detach().to(float8_e4m3fn), weight.to(float8_e4m3fn).t());
  }));
  return made;
}

Computations all(std::initializer_list<Computations> groups) {
  Computations joined;
  for (const Computations& group : groups) joined.insert(joined.end(), group.begin(), group.end());
  return joined;
}

Results run_with(int threads, const Computation& computation) {
  const int before = get_num_threads();
  set_num_threads(threads);
  Results results = computation.run();
  set_num_threads(before);
  return results;
}

void expect_same_bits(const Results& actual, const Results& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    EXPECT_TRUE(test::same_bits(actual[i].contiguous(), expected[i].contiguous()))
        << what << ", number " << i << " of its results";
  }
}

/// As torch.testing.assert_close.
void expect_close(const Results& actual, const Results& expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const Dtype dtype = expected[i].dtype();
    const double rtol = dtype == float64   ? 1e-7
                        : dtype == float32 ? 1.3e-6
                        : dtype == float16 ? 1e-3
                                           : 1.6e-2;
    const double atol = dtype == float64 ? 1e-7 : 1e-5;
    EXPECT_TRUE(allclose(actual[i].to(float64), expected[i].to(float64), rtol, atol))
        << what << ", number " << i
        << " of its results: " << (actual[i].to(float64) - expected[i].to(float64)).abs().max().item<double>()
        << " apart";
  }
}

TEST(Determinism, AnyNumberOfThreadsGivesTheSameBitsButForProducts) {
  for (const Computation& computation : all({lookups(), of_many_numbers(), optimizers()})) {
    const Results expected = run_with(1, computation);
    for (const int threads : {1, 2, 3, 8}) {
      expect_same_bits(run_with(threads, computation), expected,
                       computation.name + " with " + std::to_string(threads) + " threads");
    }
  }
}

TEST(Determinism, TheSameNumberOfThreadsGivesTheSameBits) {
  for (const Computation& computation : all({lookups(), of_many_numbers(), optimizers(), products()})) {
    for (const int threads : {1, 2, 3, 8}) {
      expect_same_bits(run_with(threads, computation), run_with(threads, computation),
                       computation.name + " again with " + std::to_string(threads) + " threads");
    }
  }
}

TEST(Determinism, ProductsOfAnyNumberOfThreadsAreWithinTolerance) {
  for (const Computation& computation : products()) {
    const Results expected = run_with(1, computation);
    for (const int threads : {2, 3, 8}) {
      expect_close(run_with(threads, computation), expected,
                   computation.name + " with " + std::to_string(threads) + " threads");
    }
  }
}

}  // namespace
}  // namespace lectern
