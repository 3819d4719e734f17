#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "device/cuda.h"
#include "ops/channel_norm.h"
#include "ops/compare.h"
#include "ops/cross_entropy.h"
#include "ops/elementwise.h"
#include "ops/gradients_of.h"
#include "ops/layer_norm.h"
#include "ops/reductions.h"
#include "ops/softmax.h"
#include "ops/tensors.h"

// Rows of all lengths for which the GPU has its own ways: held by a warp or by blocks of several sizes, or
// read for each pass; beginning at a 16-byte boundary or anywhere. Compared with the CPU's results in
// float64.

namespace lectern {
namespace {

using test::kCuda;
using test::kInfinity;
using test::uniform;

constexpr std::int64_t kLengths[] = {1, 7, 8, 255, 256, 1000, 4100, 16384, 16385, 50257, 70000};

class RowsOnCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!default_device().is_cuda()) GTEST_SKIP() << "for the tests on a GPU";
  }
};

/// On the CPU, whatever the tests' device is.
Tensor drawn(const Sizes& sizes, unsigned seed = 1) {
  return uniform(sizes, float32, seed).cpu();
}

/// Two rows on the GPU, each beginning `offset` elements behind a 16-byte boundary if the length allows it.
Tensor rows_at(std::int64_t offset, std::int64_t length, Dtype dtype, unsigned seed) {
  const Tensor memory = drawn({2 * length + offset}, seed).mul(4).to(dtype).cuda();
  return memory.as_strided({2, length}, {length, 1}, offset);
}

/// One rounding to the dtype, and what the computation in it adds.
void expect_near(const Tensor& got, const Tensor& exact, double size = 1) {
  const double epsilon = got.dtype() == float64    ? 1e-12
                         : got.dtype() == float32  ? 4e-6
                         : got.dtype() == bfloat16 ? 0.0042
                                                   : 6e-4;
  EXPECT_TRUE(got.cpu().to(float64).allclose(exact, epsilon, epsilon * size)) << name(got.dtype());
}

/// visit(offset, length, dtype) with all there are.
template <typename Visit>
void for_rows(const Visit& visit) {
  for (const Dtype dtype : {float32, bfloat16, float16, float64}) {
    for (const std::int64_t length : kLengths) {
      for (const std::int64_t offset : {0, 1}) {
        if (dtype == float64 && length > 5000) continue;
        SCOPED_TRACE(testing::Message() << name(dtype) << " " << length << " at " << offset);
        visit(offset, length, dtype);
      }
    }
  }
}

TEST_F(RowsOnCuda, Softmax) {
  for_rows([](std::int64_t offset, std::int64_t length, Dtype dtype) {
    const Tensor x = rows_at(offset, length, dtype, 1), grad = rows_at(offset, length, dtype, 2);
    const Tensor wide = x.cpu().to(float64), wide_grad = grad.cpu().to(float64);
    const Tensor y = softmax(x, 1), log_y = log_softmax(x, 1);
    expect_near(y, softmax(wide, 1), 1e-3);
    expect_near(log_y, log_softmax(wide, 1));
    const double size = 4 * std::sqrt(static_cast<double>(length));
    expect_near(softmax_backward(grad, y, 1), softmax_backward(wide_grad, y.cpu().to(float64), 1), 0.05);
    const Tensor exact =
        test::gradient_of([](const Tensor& in) { return log_softmax(in, 1); }, wide, wide_grad);
    expect_near(test::gradient_of([](const Tensor& in) { return log_softmax(in, 1); }, x, grad), exact, size);
  });
}

TEST_F(RowsOnCuda, Norms) {
  for_rows([](std::int64_t offset, std::int64_t length, Dtype dtype) {
    const Tensor x = rows_at(offset, length, dtype, 1), grad = rows_at(offset, length, dtype, 2);
    const Dtype parameters = dtype == float64 ? float64 : float32;
    const Tensor weight = drawn({length}, 3).to(parameters);
    const Tensor bias = drawn({length}, 4).to(parameters);
    const Tensor wide = x.cpu().to(float64), wide_grad = grad.cpu().to(float64);
    const auto centred = [=](const std::vector<Tensor>& in) {
      return layer_norm(in[0], {length}, in[1], in[2], 1e-3);
    };
    const auto scaled = [=](const std::vector<Tensor>& in) { return rms_norm(in[0], {length}, in[1], 1e-3); };
    const std::vector<Tensor> all{x, weight.cuda(), bias.cuda()};
    const std::vector<Tensor> exact{wide, weight.to(float64), bias.to(float64)};
    expect_near(centred(all), centred(exact));
    expect_near(scaled(all), scaled(exact));
    const auto grads = test::gradients_of(centred, all, grad);
    const auto exact_grads = test::gradients_of(centred, exact, wide_grad);
    for (std::size_t i = 0; i < 3; ++i) expect_near(grads[i], exact_grads[i], length == 1 ? 200 : 8);
    const auto pair = test::gradients_of(scaled, {all[0], all[1]}, grad);
    const auto exact_pair = test::gradients_of(scaled, {exact[0], exact[1]}, wide_grad);
    for (std::size_t i = 0; i < 2; ++i) expect_near(pair[i], exact_pair[i], length == 1 ? 200 : 8);
  });
}

TEST_F(RowsOnCuda, NormsOfManyRows) {
  for (const Sizes& sizes : std::initializer_list<Sizes>{{700, 64},
                                                         {333, 24},
                                                         {100, 33},
                                                         {40, 1},
                                                         {150, 256},
                                                         {61, 1000},
                                                         {9, 2048},
                                                         {21, 4104},
                                                         {5, 8192},
                                                         {3, 16384}}) {
    for (const Dtype dtype : {float32, bfloat16, float16, float64}) {
      SCOPED_TRACE(testing::Message() << name(dtype) << " " << to_string(sizes));
      const Tensor x = drawn(sizes).to(dtype), grad = drawn(sizes, 2).to(dtype);
      const Dtype parameters = dtype == float64 ? float64 : float32;
      const Tensor weight = drawn({sizes[1]}, 3).to(parameters);
      using Norm = std::function<Tensor(const std::vector<Tensor>&)>;
      const auto expect = [&](const Norm& norm, const std::vector<Tensor>& more) {
        std::vector<Tensor> inputs{x.cuda()}, exact_inputs{x.to(float64)};
        for (const Tensor& input : more) {
          inputs.push_back(input.cuda());
          exact_inputs.push_back(input.to(float64));
        }
        expect_near(norm(inputs), norm(exact_inputs));
        const auto grads = test::gradients_of(norm, inputs, grad.cuda());
        const auto exact = test::gradients_of(norm, exact_inputs, grad.to(float64));
        for (std::size_t i = 0; i < grads.size(); ++i)
          expect_near(grads[i], exact[i], sizes[1] == 1 ? 200 : 20);
      };
      const Sizes row{sizes[1]};
      expect([&](const auto& in) { return layer_norm(in[0], row, in[1], in[2], 1e-3); }, {weight, weight});
      expect([&](const auto& in) { return layer_norm(in[0], row, in[1], {}, 1e-3); }, {weight});
      expect([&](const auto& in) { return layer_norm(in[0], row, {}, in[1], 1e-3); }, {weight});
      expect([&](const auto& in) { return rms_norm(in[0], row, in[1], 1e-3); }, {weight});
    }
  }
}

TEST_F(RowsOnCuda, NormsOfRowsFarFromZero) {
  for (const Dtype dtype : {float32, float16}) {
    const Tensor x = drawn({40, 4096}).add(100).to(dtype), weight = drawn({4096}, 3);
    const auto norm = [&](const Tensor& in, const Tensor& w) { return layer_norm(in, {4096}, w, w); };
    expect_near(norm(x.cuda(), weight.cuda()), norm(x.to(float64), weight.to(float64)), 8);
    EXPECT_TRUE(var(x.cuda(), {1})
                    .cpu()
                    .to(float64)
                    .allclose(var(x.to(float64), {1}), dtype == float32 ? 1e-5 : 1e-3));
  }
}

TEST_F(RowsOnCuda, EqualElementsDoNotDeviate) {
  for (const Dtype dtype : {float32, bfloat16}) {
    for (const std::int64_t length : {40, 1000, 8192}) {
      const Tensor x = full({2, length}, 0.1, {.dtype = dtype, .device = kCuda});
      EXPECT_TRUE(
          std(x, {1}).cpu().to(float64).allclose(zeros({2}, {.dtype = float64, .device = cpu}), 0, 1e-7));
    }
  }
}

TEST_F(RowsOnCuda, GradientsOfRowsApartFromEachOther) {
  for (const Dtype dtype : {float32, bfloat16}) {
    const Tensor memory = drawn({30, 1100}).to(dtype), grads = drawn({30, 1100}, 2).to(dtype);
    const Tensor weight = drawn({1024}, 3);
    const auto norm = [](const std::vector<Tensor>& in) { return layer_norm(in[0], {1024}, in[1], in[1]); };
    for (const std::int64_t from : {0, 1, 16}) {
      const auto part = [from](const Tensor& all) { return all.narrow(1, from, 1024); };
      const auto got = test::gradients_of(norm, {part(memory.cuda()), weight.cuda()}, part(grads.cuda()));
      const auto exact =
          test::gradients_of(norm, {part(memory).to(float64), weight.to(float64)}, part(grads).to(float64));
      for (std::size_t i = 0; i < 2; ++i) expect_near(got[i], exact[i], 20);
    }
  }
}

TEST_F(RowsOnCuda, NormsOfChannels) {
  for (const Sizes& sizes :
       std::initializer_list<Sizes>{{40, 6}, {3, 6, 5}, {5, 4, 49}, {2, 4, 33, 32}, {1, 2, 9000}}) {
    for (const Dtype dtype : {float32, bfloat16, float16, float64}) {
      SCOPED_TRACE(testing::Message() << name(dtype) << " " << to_string(sizes));
      const Tensor x = drawn(sizes).mul(4).to(dtype), grad = drawn(sizes, 2).to(dtype);
      const Dtype parameters = dtype == float64 ? float64 : float32;
      const Tensor weight = drawn({sizes[1]}, 3).to(parameters), bias = drawn({sizes[1]}, 4).to(parameters);
      const Tensor mean = drawn({sizes[1]}, 5).to(parameters), variance = mean * mean + 1;
      using Norm = std::function<Tensor(const std::vector<Tensor>&)>;
      for (const Norm& norm : std::initializer_list<Norm>{
               [](const auto& in) { return batch_norm(in[0], {}, in[1], in[2], {.training = true}); },
               [](const auto& in) { return group_norm(in[0], 2, in[1], in[2]); },
               [&](const auto& in) {
                 const auto as = [&](const Tensor& y) { return y.to(in[1].device(), in[1].dtype()); };
                 return batch_norm(in[0], {as(mean), as(variance)}, in[1], in[2]);
               }}) {
        const std::vector<Tensor> all{x.cuda(), weight.cuda(), bias.cuda()};
        const std::vector<Tensor> exact{x.to(float64), weight.to(float64), bias.to(float64)};
        expect_near(norm(all), norm(exact), 4);
        const auto grads = test::gradients_of(norm, all, grad.cuda());
        const auto exact_grads = test::gradients_of(norm, exact, grad.to(float64));
        for (std::size_t i = 0; i < 3; ++i) expect_near(grads[i], exact_grads[i], 20);
      }
    }
  }
}

TEST_F(RowsOnCuda, CrossEntropy) {
  for_rows([](std::int64_t offset, std::int64_t length, Dtype dtype) {
    const Tensor x = rows_at(offset, length, dtype, 1), wide = x.cpu().to(float64);
    const Tensor target = tensor({length - 1, length / 2});
    const Tensor weight = drawn({length}, 3).abs().add(0.1).to(dtype == float64 ? float64 : dtype);
    for (const double smoothing : {0.0, 0.1}) {
      for (const bool weighted : {false, true}) {
        const auto loss = [&](const Tensor& in) {
          const Tensor weights = weighted ? weight.to(in.dtype()).to(in.device()) : Tensor();
          return cross_entropy(in, target.to(in.device()), {.weight = weights, .label_smoothing = smoothing});
        };
        expect_near(loss(x), loss(wide));
        const Tensor gradient = test::gradient_of(loss, x, ones({}, {.dtype = dtype, .device = kCuda}));
        expect_near(gradient, test::gradient_of(loss, wide, ones({}, {.dtype = float64, .device = cpu})),
                    0.01);
      }
    }
  });
}

/// As many as one block adds up, and more.
TEST_F(RowsOnCuda, CrossEntropyOfManyTargets) {
  for (const Dtype dtype : {float32, bfloat16, float64}) {
    for (const std::int64_t targets : {0, 32768, 40'000}) {
      SCOPED_TRACE(testing::Message() << targets << " of " << name(dtype));
      const Tensor x = drawn({targets, 3}).mul(4).to(dtype), target = arange(targets).cpu().remainder(3);
      const Tensor weight = tensor({0.5, 2, 1}, {.device = cpu});
      for (const LossReduction reduction : {LossReduction::mean, LossReduction::sum}) {
        const auto loss = [&](const Tensor& in) {
          return cross_entropy(in, target.to(in.device()),
                               {.weight = weight.to(in.device(), in.dtype()), .reduction = reduction});
        };
        const auto gradient = [&](const Tensor& in) {
          return test::gradient_of(loss, in, ones({}, {.dtype = in.dtype(), .device = in.device()}));
        };
        const Tensor wide = x.to(float64);
        const Tensor got = loss(x.cuda()), exact = loss(wide);
        if (targets == 0 && reduction == LossReduction::mean) {
          EXPECT_TRUE(std::isnan(got.item<double>()));
          continue;
        }
        expect_near(got, exact);
        expect_near(gradient(x.cuda()), gradient(wide), 0.1);
      }
    }
  }
}

TEST_F(RowsOnCuda, InfinitiesAndNan) {
  for (const std::int64_t length : {40, 3000, 70000, 300000}) {
    for (const double lone : {kInfinity, -kInfinity, std::nan(""), 0.0}) {
      const Tensor memory = full({length + 1}, -kInfinity, {.dtype = bfloat16});
      memory[length / 2].fill_(lone);
      const Tensor x = memory.cuda().as_strided({1, length}, {length, 1}, 1);
      for (const Tensor& result : {softmax(x, 1), log_softmax(x, 1)}) {
        const auto nans = ne(result, result).to(int64).sum().item<std::int64_t>();
        EXPECT_EQ(nans > 0, lone != 0) << length << " with " << lone;
      }
      if (lone == 0) {
        EXPECT_EQ(softmax(x, 1).sum().item<double>(), 1);
      }
    }
  }
}

TEST_F(RowsOnCuda, SoftmaxOfColumns) {
  const Sizes shapes[] = {{33, 16}, {70, 8}, {300, 24}, {700, 264}, {3, 40, 32}, {2, 140, 1032}};
  for (const Dtype dtype : {float32, bfloat16, float16}) {
    for (const Sizes& sizes : shapes) {
      const std::int64_t dim = static_cast<std::int64_t>(sizes.size()) - 2;
      const Tensor x = drawn(sizes).mul(20).to(dtype).cuda(), wide = x.cpu().to(float64);
      expect_near(softmax(x, dim), softmax(wide, dim), 1e-3);
      expect_near(log_softmax(x, dim), log_softmax(wide, dim));
      expect_near(softmin(x, dim), softmin(wide, dim), 1e-3);
    }
  }
}

/// As many as occupy a GPU, of blocks four packs wide, two and one, and of larger ones.
TEST_F(RowsOnCuda, SoftmaxOfManyColumns) {
  for (const auto& [sizes, dtype] : std::initializer_list<std::pair<Sizes, Dtype>>{
           {{300, 2056}, float32}, {{300, 2056}, bfloat16}, {{2000, 516}, float32}, {{7000, 516}, float32}}) {
    const Tensor x = drawn(sizes).mul(20).to(dtype).cuda();
    expect_near(log_softmax(x, 0), log_softmax(x.cpu().to(float64), 0));
  }
}

TEST_F(RowsOnCuda, SoftmaxOfColumnsWithInfinitiesAndNan) {
  const std::int64_t length = 500;
  const Tensor memory = full({length, 8}, -kInfinity, {.dtype = float32, .device = cpu});
  memory.narrow(1, 1, 7).narrow(0, 300, 20).fill_(-3e38);  // column 0 has -infinity only
  memory.narrow(1, 2, 3).narrow(0, 300, 1).fill_(5);
  memory[490][3].fill_(kInfinity);
  memory[2][4].fill_(std::nan(""));
  memory[2][5].fill_(-kInfinity);
  for (const Tensor& x : {memory.cuda(), memory.repeat({1, 128}).cuda()}) {
    for (const Tensor& result : {softmax(x, 0), log_softmax(x, 0)}) {
      const Tensor nans = ne(result, result).to(int64).sum({0}).cpu();
      for (std::int64_t column = 0; column < x.size(1); ++column) {
        const std::int64_t kind = column % 8;
        const bool has_none = kind == 1 || kind == 2 || kind > 4;
        EXPECT_EQ(nans[column].item<std::int64_t>() == 0, has_none) << column;
      }
    }
    EXPECT_EQ(softmax(x, 0)[300][2].item<double>(), 1);
    EXPECT_FLOAT_EQ(softmax(x, 0)[300][1].item<float>(), 0.05F);
  }
}

TEST_F(RowsOnCuda, SumsOfColumns) {
  for (const Dtype dtype : {float32, bfloat16, float16}) {
    for (const Sizes& sizes : std::initializer_list<Sizes>{
             {1, 8}, {31, 16}, {1000, 8}, {5000, 24}, {70, 4096}, {1000, 136}, {300, 12}, {300, 7}}) {
      const Tensor x = drawn(sizes).to(dtype), wide = x.to(float64);
      for (const Tensor& there : {x.cuda(), x.cuda().unsqueeze(1).expand({sizes[0], 2, sizes[1]})}) {
        const Tensor sums = there.to(float64).sum({0});
        expect_near(there.sum({0}), there.dim() == 2 ? wide.sum({0}) : sums.cpu(), 20);
      }
      const Tensor squares = norm(x.cuda(), 2, {0});
      expect_near(squares, norm(wide, 2, {0}), 1);
    }
    // Middle and outer dimensions at once.
    const Tensor x = drawn({6, 10, 5, 16}).to(dtype);
    expect_near(x.cuda().sum({0, 2}), x.to(float64).sum({0, 2}), 10);
    expect_near(x.cuda().mean({1}), x.to(float64).mean({1}), 1);
  }
}

TEST_F(RowsOnCuda, ALargeSum) {
  const Tensor x = drawn({35'000'001}).abs().to(bfloat16).cuda();
  const double sum = x.sum(float32).item<double>();
  EXPECT_NEAR(sum / x.cpu().to(float64).sum().item<double>(), 1, 4e-7);
}

}  // namespace
}  // namespace lectern
