#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "device/cuda.h"
#include "ops/elementwise.h"
#include "ops/extremum.h"
#include "ops/gather.h"
#include "ops/gradients_of.h"
#include "ops/join.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "ops/scan.h"
#include "ops/tensors.h"

namespace lectern {
namespace {

using test::kCuda;

class ReductionsOnCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::is_available()) GTEST_SKIP() << cuda::unavailable_reason();
    generator.manual_seed(5);
  }

  Tensor random(const Sizes& sizes, Dtype dtype = float32) {
    return rand(sizes, {.device = cpu}, &generator).to(dtype);
  }

  Generator generator;
};

TEST_F(ReductionsOnCuda, LongSumsAreAccurate) {
  for (const Sizes& sizes :
       std::initializer_list<Sizes>{{1'000'000}, {200'003, 3}, {3, 200'003}, {1'000, 1'000}}) {
    const Tensor x = random(sizes);
    for (const Tensor& view : {x.cuda(), x.cuda().add(0).as_strided({x.numel()}, {1})}) {
      for (std::int64_t dim = 0; dim < view.dim(); ++dim) {
        const Tensor exact = view.cpu().to(float64).sum({dim});
        const Tensor error = view.sum({dim}).cpu().to(float64).sub(exact).div(exact).abs();
        EXPECT_LT(error.max().item<double>(), 4e-7) << to_string(view.sizes()) << " over " << dim;
      }
    }
  }
}

TEST_F(ReductionsOnCuda, BitsDoNotDependOnWhereNumbersLie) {
  for (const Dtype dtype : {float64, float32, float16, bfloat16}) {
    for (const std::int64_t columns : {40, 41, 1000, 4096, 30'000}) {
      const Tensor memory = random({5 * columns + 1}, dtype).cuda();
      const Tensor shifted = memory.as_strided({5, columns}, {columns, 1}, 1);
      const Tensor aligned = shifted.clone();
      EXPECT_TRUE(test::same_bits(shifted.sum({1}).cpu(), aligned.sum({1}).cpu())) << name(dtype) << columns;
      EXPECT_TRUE(test::same_bits(shifted.mean().cpu(), aligned.mean().cpu())) << name(dtype) << columns;
      EXPECT_TRUE(test::same_bits(logsumexp(shifted, {1}).cpu(), logsumexp(aligned, {1}).cpu()))
          << name(dtype) << columns;
    }
  }
}

/// Of small whole numbers, whose sums are exact in any order: of lines that threads, warps or blocks have, of
/// several parts, side by side, and backwards.
TEST_F(ReductionsOnCuda, ScansAreThoseOfTheCpu) {
  for (const Sizes& sizes : std::initializer_list<Sizes>{{1},
                                                         {2, 31},
                                                         {3, 33},
                                                         {2, 128},
                                                         {3, 129},
                                                         {2, 1024},
                                                         {2, 1025},
                                                         {5000},
                                                         {40'001},
                                                         {2, 20'000},
                                                         {3000, 3},
                                                         {70, 90}}) {
    for (const Dtype dtype : {float32, bfloat16, float64, int64, int32}) {
      const Tensor x = random(sizes).mul(9).sub(4).floor().to(dtype), signs = x.mul(2).add(1).sign();
      for (std::int64_t dim = 0; dim < x.dim(); ++dim) {
        for (const bool turned : {false, true}) {
          const auto placed = [&](const Tensor& from) {
            return turned ? from.t().clone().cuda().t() : from.cuda();
          };
          const std::string what =
              to_string(sizes) + " over " + std::to_string(dim) + (turned ? " turned" : "");
          if (turned && x.dim() == 1) continue;
          EXPECT_TRUE(cumsum(placed(x), dim).cpu().equal(cumsum(x, dim))) << what;
          EXPECT_TRUE(cumprod(placed(signs), dim).cpu().equal(cumprod(signs, dim))) << what;
          if (!is_floating_point(dtype)) continue;
          const auto sums = [&](const Tensor& in) { return cumsum(in, dim); };
          EXPECT_TRUE(
              test::gradient_of(sums, placed(x), placed(x)).cpu().equal(test::gradient_of(sums, x, x)))
              << what;
        }
      }
    }
  }
}

/// Rows of few numbers, of infinities alone and but for one, of zeros of both signs, and with NaN.
Tensor rows_of_ties(std::int64_t columns) {
  const Tensor rows = test::filled({6, columns}, float32).cpu();
  rows[1].fill_(-test::kInfinity);
  rows[2].fill_(test::kInfinity);
  rows[3].fill_(-test::kInfinity);
  rows[3][columns / 2].fill_(test::kInfinity);
  rows[4].mul_(0);
  rows[5].slice(0, columns / 3, {}, 7).fill_(test::kNan);
  return rows;
}

TEST_F(ReductionsOnCuda, LogSumExpOfRowsOfAnyLength) {
  for (const std::int64_t columns : {1, 5, 8, 40, 1'025, 9'000, 70'001}) {
    for (const auto& [dtype, tolerance] : {std::pair(float32, 1e-6), {float16, 1e-3}, {bfloat16, 8e-3}}) {
      const Tensor rising = arange(columns, {.dtype = float64, .device = cpu}).div(columns).mul(60).sub(30);
      const Tensor rows = cat({stack({rising, rising.mul(-1)}), rows_of_ties(columns).to(float64)}).to(dtype);
      const Tensor exact = logsumexp(rows.to(float64), {1});
      const Tensor got = logsumexp(rows.cuda(), {1}).cpu();
      EXPECT_TRUE(got.to(float64).allclose(exact, tolerance, 1e-6, true)) << name(dtype) << columns;
    }
  }
}

TEST_F(ReductionsOnCuda, PositionsAreThoseOfTheFirst) {
  for (const Sizes& sizes :
       std::initializer_list<Sizes>{{3, 20'000}, {20'000, 3}, {3, 700}, {700, 100}, {9, 9}}) {
    for (const Dtype dtype : {float32, bfloat16, int64, uint8}) {
      Tensor x = random(sizes).mul(100).to(dtype);
      for (const std::int64_t dim : {0, 1}) {
        const auto [value, index] = max(x.cuda(), dim);
        const auto [known_value, known_index] = max(x, dim);
        EXPECT_TRUE(test::same_bits(value.cpu(), known_value)) << to_string(sizes) << dim;
        EXPECT_TRUE(test::same_bits(index.cpu(), known_index)) << to_string(sizes) << dim;
      }
    }
  }
}

/// Which NaN of 16 bits a GPU gives is its own choice (base/small_float.h).
Tensor without_nan(const Tensor& x) {
  return x.masked_fill(isnan(x), 3);
}

TEST_F(ReductionsOnCuda, PositionsOfTiesInfinityAndNan) {
  for (const std::int64_t columns : {1, 3, 7, 8, 9, 40, 300, 1'025, 9'000, 40'000}) {
    for (const Dtype dtype : {float64, float32, float16, bfloat16}) {
      const Tensor rows = rows_of_ties(columns).to(dtype);
      const Tensor memory = empty({6 * columns + 1}, {.dtype = dtype, .device = kCuda});
      const Tensor shifted = memory.as_strided({6, columns}, {columns, 1}, 1);
      shifted.copy_(rows);
      const Tensor apart = zeros({6, 2 * columns}, {.dtype = dtype, .device = kCuda}).slice(1, 0, {}, 2);
      apart.copy_(rows);
      for (const Tensor& there : {rows.cuda(), shifted, apart}) {
        using Extremum = ValuesAndIndices (*)(const Tensor&, std::int64_t, bool);
        for (const auto extremum : std::initializer_list<Extremum>{max, min}) {
          const auto [value, index] = extremum(there, 1, true);
          const Tensor known_index = extremum(rows, 1, true).indices;
          EXPECT_TRUE(test::same_bits(index.cpu(), known_index)) << name(dtype) << columns;
          EXPECT_TRUE(test::same_bits(without_nan(value.cpu()), without_nan(gather(rows, 1, known_index))))
              << name(dtype) << columns;
        }
      }
    }
  }
}

TEST_F(ReductionsOnCuda, MiddleDimensionsAndMixedStrides) {
  const Tensor x = random({6, 50, 4, 30}).mul(8).to(int32).to(float32);  // sums are exact
  for (const Tensor& view :
       {x, x.permute({3, 0, 2, 1}), x.slice(1, 3, 50, 2), x.to(float64).permute({1, 0, 3, 2})}) {
    for (const Sizes& dims : std::initializer_list<Sizes>{{1}, {1, 3}, {0, 2}, {0, 3}, {0, 1, 3}, {}}) {
      const Tensor here = view.sum(dims), there = view.cuda().sum(dims).cpu();
      EXPECT_TRUE(test::same_bits(here, there)) << to_string(view.sizes()) << " over " << to_string(dims);
    }
  }
}

TEST_F(ReductionsOnCuda, OfNothing) {
  const Tensor none = zeros({0, 3}, {.device = kCuda});
  EXPECT_EQ(none.sum().item<float>(), 0);
  EXPECT_EQ(none.sum({0})[2].item<float>(), 0);
  EXPECT_TRUE(std::isnan(none.mean().item<float>()));
  EXPECT_EQ(none.sum({1}).sizes(), Sizes{0});
}

}  // namespace
}  // namespace lectern
