// The gradients of operations as they are recorded, side by side with PyTorch's.
#include <cmath>

#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "ops/activations.h"
#include "ops/attention.h"
#include "ops/cross_entropy.h"
#include "ops/cumsum.h"
#include "ops/einops/einsum.h"
#include "ops/elementwise.h"
#include "ops/embedding.h"
#include "ops/extremum.h"
#include "ops/gather.h"
#include "ops/index.h"
#include "ops/join.h"
#include "ops/layer_norm.h"
#include "ops/linear.h"
#include "ops/logsumexp.h"
#include "ops/losses.h"
#include "ops/matmul.h"
#include "ops/norm.h"
#include "ops/prod.h"
#include "ops/repeat.h"
#include "ops/selection.h"
#include "ops/softmax.h"
#include "ops/sort.h"
#include "ops/sum.h"
#include "ops/torch_reference.h"
#include "ops/triangle.h"
#include "ops/variance.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::In;
using test::kReal;
const std::vector<Dtype> kAlsoNarrow = {float64, float32, bfloat16};

/// The gradient of a, which is x here, when that of the result is the last input. (From one that is not
/// contiguous PyTorch 1.13 makes nonsense for gelu.)
test::TorchRow row(const std::string& expression, std::vector<Sizes> shapes, const Sizes& result,
                   const std::function<Tensor(const Tensor& x, const In& in)>& operation,
                   const std::vector<Dtype>& dtypes = kReal, double rtol = 32, double atol = 32) {
  shapes.push_back(result);
  const std::string grad(1, static_cast<char>('a' + shapes.size() - 1));
  return {test::gradient_in_torch(expression, grad + ".contiguous()"),
          shapes,
          dtypes,
          [operation](const In& in) {
            const Tensor x = in[0].detach().requires_grad_();
            return autograd::grad({operation(x, in)}, {x}, {in.back()});
          },
          rtol,
          atol};
}

TEST(TorchGradients, OfWhatIsComputedElementByElement) {
  test::expect_as_torch({
      row(
          "x + b", {{3, 4}, {4}}, {3, 4}, [](const Tensor& x, const In& in) { return x + in[1]; },
          kAlsoNarrow),
      row(
          "x * b", {{3, 1}, {3, 4}}, {3, 4}, [](const Tensor& x, const In& in) { return x * in[1]; }, kReal),
      row("x * x * x", {{3, 4}}, {3, 4}, [](const Tensor& x, const In&) { return x * x * x; }),
      row("(x - 2) / 3", {{3, 4}}, {3, 4}, [](const Tensor& x, const In&) { return (x - 2) / 3; }),
      row("x.exp().sin()", {{3, 4}}, {3, 4}, [](const Tensor& x, const In&) { return x.exp().sin(); }),
      row("x.tanh().square()", {{3, 4}}, {3, 4},
          [](const Tensor& x, const In&) { return x.tanh().square(); }),
      row(
          "torch.nn.functional.gelu(x)", {{3, 4}}, {3, 4}, [](const Tensor& x, const In&) { return gelu(x); },
          kAlsoNarrow),
      row(
          "torch.nn.functional.silu(x)", {{3, 4}}, {3, 4}, [](const Tensor& x, const In&) { return silu(x); },
          kAlsoNarrow),
      row(
          "x.relu()", {{3, 4}}, {3, 4}, [](const Tensor& x, const In&) { return relu(x); }, kAlsoNarrow),
      row("x.clamp(-0.5, 0.5)", {{3, 4}}, {3, 4},
          [](const Tensor& x, const In&) { return x.clamp(Scalar(-0.5), Scalar(0.5)); }),
      row("torch.where(x > b, x, b * 2)", {{3, 4}, {3, 4}}, {3, 4},
          [](const Tensor& x, const In& in) { return where(x > in[1], x, in[1] * 2); }),
      row("x.masked_fill(x > 0, 3)", {{3, 4}}, {3, 4},
          [](const Tensor& x, const In&) { return x.masked_fill(x > 0, 3); }),
      row("torch.maximum(x, b)", {{3, 4}, {4}}, {3, 4},
          [](const Tensor& x, const In& in) { return maximum(x, in[1]); }),
  });
}

TEST(TorchGradients, OfViewsAndCopies) {
  test::expect_as_torch({
      row(
          "x.t().reshape(2, 6)", {{3, 4}}, {2, 6},
          [](const Tensor& x, const In&) {
            return x.t().reshape({2, 6});
          },
          kAlsoNarrow),
      row(
          "x[1:, ::2]", {{3, 4}}, {2, 2},
          [](const Tensor& x, const In&) {
            return x.index({Slice(1), Slice({}, {}, 2)});
          },
          kAlsoNarrow),
      row("x.expand(5, 3, 4)", {{3, 1}}, {5, 3, 4},
          [](const Tensor& x, const In&) {
            return x.expand({5, 3, 4});
          }),
      row("x.diagonal(1)", {{3, 4}}, {3}, [](const Tensor& x, const In&) { return x.diagonal(1); }),
      row("x.tril()", {{4, 4}}, {4, 4}, [](const Tensor& x, const In&) { return x.tril(); }),
      row(
          "torch.cat((x, b, x), 1)", {{3, 2}, {3, 1}}, {3, 5},
          [](const Tensor& x, const In& in) {
            return cat({x, in[1], x}, 1);
          },
          kAlsoNarrow),
      row("torch.stack((x, x * 2))", {{3, 2}}, {2, 3, 2},
          [](const Tensor& x, const In&) {
            return stack({x, x * 2});
          }),
      row("x.repeat(2, 3)", {{3, 2}}, {6, 6},
          [](const Tensor& x, const In&) {
            return repeat(x, {2, 3});
          }),
      row("x[torch.tensor([2, 0, 2])]", {{3, 2}}, {3, 2},
          [](const Tensor& x, const In&) {
            return x.index({tensor({2, 0, 2})});
          }),
      row("torch.nn.functional.embedding(torch.tensor([[2, 0], [2, 1]]), x)", {{3, 2}}, {2, 2, 2},
          [](const Tensor& x, const In&) {
            return embedding(tensor({{2, 0}, {2, 1}}), x);
          }),
      row("x.gather(1, torch.tensor([[0, 0, 1], [3, 2, 2]]))", {{2, 4}}, {2, 3},
          [](const Tensor& x, const In&) {
            return gather(x, 1, tensor({{0, 0, 1}, {3, 2, 2}}));
          }),
      row("x.sort(1, True)[0]", {{3, 4}}, {3, 4},
          [](const Tensor& x, const In&) { return sort(x, 1, true).values; }),
  });
}

TEST(TorchGradients, OfReductions) {
  test::expect_as_torch({
      row(
          "x.sum(1)", {{3, 4}}, {3}, [](const Tensor& x, const In&) { return x.sum({1}); }, kAlsoNarrow),
      row(
          "x.mean()", {{3, 4}}, {}, [](const Tensor& x, const In&) { return x.mean(); }, kAlsoNarrow),
      row("x.max()", {{3, 4}}, {}, [](const Tensor& x, const In&) { return x.max(); }),
      row("x.max(1)[0]", {{3, 4}}, {3}, [](const Tensor& x, const In&) { return max(x, 1).values; }),
      row("x.amin((0, 1))", {{3, 4}}, {},
          [](const Tensor& x, const In&) {
            return amin(x, {0, 1});
          }),
      row("x.prod(1)", {{3, 4}}, {3}, [](const Tensor& x, const In&) { return prod(x, 1); }),
      row(
          "x.var(0)", {{5, 4}}, {4}, [](const Tensor& x, const In&) { return var(x, {0}); }, kReal, 64, 64),
      row(
          "x.std()", {{5, 4}}, {}, [](const Tensor& x, const In&) { return std(x); }, kReal, 64, 64),
      row("x.norm(dim=1)", {{3, 4}}, {3}, [](const Tensor& x, const In&) { return norm(x, 2, {1}); }),
      row("x.logsumexp(1)", {{3, 4}}, {3}, [](const Tensor& x, const In&) { return logsumexp(x, {1}); }),
      row("x.cumsum(1)", {{3, 4}}, {3, 4}, [](const Tensor& x, const In&) { return cumsum(x, 1); }),
  });
}

TEST(TorchGradients, OfRowsAndProducts) {
  const std::string functional = "torch.nn.functional.";
  test::expect_as_torch({
      row(
          "x.softmax(1)", {{3, 40}}, {3, 40}, [](const Tensor& x, const In&) { return softmax(x, 1); },
          kAlsoNarrow),
      row("x.log_softmax(0)", {{7, 3}}, {7, 3}, [](const Tensor& x, const In&) { return log_softmax(x, 0); }),
      row(
          functional + "layer_norm(x, (8,), b, c)", {{3, 8}, {8}, {8}}, {3, 8},
          [](const Tensor& x, const In& in) { return layer_norm(x, {8}, in[1], in[2]); }, kReal, 256, 256),
      row(functional + "cross_entropy(x, torch.tensor([2, 0, 4]), label_smoothing=0.1)", {{3, 5}}, {},
          [](const Tensor& x, const In&) {
            return cross_entropy(x, tensor({2, 0, 4}), {.label_smoothing = 0.1});
          }),
      row(functional + "nll_loss(x, torch.tensor([2, 0, 4]))", {{3, 5}}, {},
          [](const Tensor& x, const In&) {
            return nll_loss(x, tensor({2, 0, 4}));
          }),
      row(functional + "mse_loss(x, b)", {{3, 5}, {3, 5}}, {},
          [](const Tensor& x, const In& in) { return mse_loss(x, in[1]); }),
      row(functional + "binary_cross_entropy_with_logits(x, b.sigmoid())", {{3, 5}, {3, 5}}, {},
          [](const Tensor& x, const In& in) { return binary_cross_entropy_with_logits(x, in[1].sigmoid()); }),
      row("x @ b", {{3, 4}, {4, 5}}, {3, 5}, [](const Tensor& x, const In& in) { return matmul(x, in[1]); }),
      row("b @ x", {{2, 1, 4, 5}, {3, 6, 4}}, {2, 3, 6, 5},
          [](const Tensor& x, const In& in) { return matmul(in[1], x); }),
      row(functional + "linear(b, x, c)", {{4, 3}, {2, 5, 3}, {4}}, {2, 5, 4},
          [](const Tensor& x, const In& in) { return linear(in[1], x, in[2]); }),
      row("torch.einsum('bik,bkj->bij', x, b)", {{2, 3, 4}, {2, 4, 5}}, {2, 3, 5},
          [](const Tensor& x, const In& in) { return einsum(x, in[1], "b i k, b k j -> b i j"); }),
  });
}

}  // namespace
}  // namespace lectern
