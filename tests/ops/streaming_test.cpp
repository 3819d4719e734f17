#include <functional>

#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "ops/cross_entropy.h"
#include "ops/elementwise.h"
#include "ops/gradients_of.h"
#include "ops/join.h"
#include "ops/layer_norm.h"
#include "ops/random.h"
#include "ops/selection.h"
#include "ops/softmax.h"
#include "ops/tensors.h"

// The CPU streams results of 16 MB and more past its caches (kernels/cpu/streaming.h). They are to be those
// of their parts, which are too small for that.

namespace lectern {
namespace {

constexpr std::int64_t kRows = 600;
/// Of rows that begin with a line of the cache and of others, and that end with one and do not.
constexpr std::int64_t kStreamedLengths[] = {8192, 8195};

Tensor matrix(std::int64_t length, Dtype dtype = float32, std::int64_t rows = kRows) {
  return rand({rows, length}, {.dtype = dtype, .device = cpu}) * 8 - 4;
}

/// Compares operation(inputs…) with the same of a seventh of the rows, and another one. Inputs of one row are
/// given whole.
void expect_same_in_parts(const std::vector<Tensor>& inputs,
                          const std::function<Tensor(const std::vector<Tensor>&)>& operation) {
  const Tensor whole = operation(inputs);
  ASSERT_GE(whole.nbytes(), 1 << 24);
  const std::int64_t rows = inputs[0].sizes()[0], part = rows / 7;
  for (std::int64_t first = 0; first < rows; first += part) {
    const std::int64_t end = std::min(rows, first + part);
    std::vector<Tensor> parts;
    for (const Tensor& input : inputs) {
      parts.push_back(input.sizes()[0] == rows ? input.slice(0, first, end) : input);
    }
    const Tensor expected = operation(parts);
    ASSERT_LT(expected.nbytes(), 1 << 24);
    EXPECT_TRUE(test::same_bits(whole.slice(0, first, end).contiguous(), expected.contiguous()))
        << "rows from " << first << " on";
  }
}

TEST(Streaming, OfElements) {
  for (const std::int64_t length : kStreamedLengths) {
    SCOPED_TRACE(length);
    const Tensor x = matrix(length), y = matrix(length), row = matrix(length, float32, 1);
    expect_same_in_parts({x}, [](const auto& in) { return exp(in[0]); });
    expect_same_in_parts({x}, [](const auto& in) { return in[0] * 3; });
    expect_same_in_parts({x, y}, [](const auto& in) { return in[0] + in[1]; });
    expect_same_in_parts({x, row}, [](const auto& in) { return in[0] - in[1]; });
    expect_same_in_parts({x, y}, [](const auto& in) { return where(in[0] > 1, in[0], in[1]); });
    const Tensor twice = matrix(2 * length);
    expect_same_in_parts({twice}, [](const auto& in) { return exp(in[0].slice(1, {}, {}, 2)); });
    const Tensor column = matrix(kRows, float32, length).t();
    expect_same_in_parts({column, y}, [](const auto& in) { return in[0] + in[1]; });
    expect_same_in_parts({matrix(length, float64)}, [](const auto& in) { return exp(in[0]); });
    expect_same_in_parts({matrix(2 * length, bfloat16)}, [](const auto& in) { return exp(in[0]); });
    expect_same_in_parts({matrix(4 * length)}, [](const auto& in) { return in[0] > 0; });
  }
}

TEST(Streaming, OfRows) {
  for (const Dtype dtype : {float32, float64}) {
    for (const std::int64_t length : kStreamedLengths) {
      SCOPED_TRACE(length);
      const Tensor x = matrix(length, dtype), y = matrix(length, dtype);
      const Tensor weight = matrix(length, dtype, 1)[0], bias = matrix(length, dtype, 1)[0];
      const Tensor target = randint(length, {kRows}, {.device = cpu});
      expect_same_in_parts({x}, [](const auto& in) { return softmax(in[0], 1); });
      expect_same_in_parts({x}, [](const auto& in) { return log_softmax(in[0], 1); });
      expect_same_in_parts({x, y}, [](const auto& in) { return softmax_backward(in[0], in[1], 1); });
      expect_same_in_parts({x, y}, [](const auto& in) { return log_softmax_backward(in[0], in[1], 1); });
      expect_same_in_parts({x}, [&](const auto& in) { return layer_norm(in[0], {length}, weight, bias); });
      expect_same_in_parts({x}, [&](const auto& in) { return rms_norm(in[0], {length}, weight, 1e-5); });
      expect_same_in_parts({x, y}, [&](const auto& in) {
        const auto norm = [&](const Tensor& values) { return layer_norm(values, {length}, weight, bias); };
        return test::gradient_of(norm, in[0], in[1]);
      });
      expect_same_in_parts({x, target}, [&](const auto& in) {
        const ClassLossOptions summed{.reduction = LossReduction::sum, .label_smoothing = 0.1};
        const auto loss = [&](const Tensor& logits) { return cross_entropy(logits, in[1], summed); };
        return test::gradient_of(loss, in[0], ones({}, {.dtype = dtype, .device = cpu}));
      });
    }
  }
}

TEST(Streaming, OfARowInPlaceAndOfOneRow) {
  const Tensor x = matrix(8195);
  const Tensor expected = exp(x);
  const Tensor all = x.clone();
  all.exp_();
  EXPECT_TRUE(test::same_bits(all, expected));
  const Tensor longest = matrix(kRows * 8195, float32, 1);
  const Tensor sum = softmax(longest, 1).sum(float64);
  EXPECT_NEAR(sum.item<double>(), 1, 1e-4);
}

}  // namespace
}  // namespace lectern
