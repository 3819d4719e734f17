#include "ops/matmul.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "device/counters.h"
#include "device/cuda.h"
#include "device/stream.h"
#include "device/threads.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/join.h"
#include "ops/linear.h"
#include "ops/reductions.h"
#include "ops/tensors.h"

namespace lectern {
namespace {

using test::expect_error;

struct Shapes {
  Sizes a, b, result;
};

const Shapes kShapes[] = {
    {{3}, {3}, {}},
    {{0}, {0}, {}},
    {{1}, {1}, {}},
    {{4, 3}, {3}, {4}},
    {{3}, {3, 5}, {5}},
    {{4, 3}, {3, 5}, {4, 5}},
    {{1, 7}, {7, 1}, {1, 1}},
    {{7, 1}, {1, 6}, {7, 6}},
    {{5, 1}, {1}, {5}},
    {{1, 5}, {5, 3}, {1, 3}},
    {{3, 0}, {0, 2}, {3, 2}},
    {{0, 3}, {3, 2}, {0, 2}},
    {{3, 2}, {2, 0}, {3, 0}},
    {{0, 3}, {3}, {0}},
    {{2, 4, 3}, {3}, {2, 4}},
    {{3}, {2, 3, 5}, {2, 5}},
    {{2, 4, 3}, {3, 5}, {2, 4, 5}},
    {{4, 3}, {2, 3, 5}, {2, 4, 5}},
    {{2, 4, 3}, {2, 3, 5}, {2, 4, 5}},
    {{1, 4, 3}, {2, 3, 5}, {2, 4, 5}},
    {{2, 1, 4, 3}, {6, 3, 5}, {2, 6, 4, 5}},
    {{2, 3, 4, 3}, {2, 3, 3, 5}, {2, 3, 4, 5}},
    {{0, 4, 3}, {3, 5}, {0, 4, 5}},
    {{2, 0, 4, 3}, {1, 3, 5}, {2, 0, 4, 5}},
    {{2, 2, 3, 0}, {0, 4}, {2, 2, 3, 4}},
    {{33, 65}, {65, 17}, {33, 17}},
    {{41, 50}, {50, 37}, {41, 37}},
};

/// A tensor's numbers, in double, wherever it is.
class Numbers {
 public:
  explicit Numbers(const Tensor& tensor) : copy_(tensor.cpu().to(float64).contiguous()) {}

  const double* at(const Sizes& index) const {
    std::int64_t offset = 0;
    for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * copy_.strides()[d];
    return static_cast<const double*>(copy_.data_ptr()) + offset;
  }
  double operator[](const Sizes& index) const { return *at(index); }
  const Sizes& sizes() const { return copy_.sizes(); }
  const Sizes& strides() const { return copy_.strides(); }

 private:
  Tensor copy_;
};

/// The element of a matmul's result at `index`, in double; exact for the numbers of filled().
double element(const Numbers& a, const Numbers& b, const Sizes& index) {
  const std::size_t rows = a.sizes().size() > 1 ? 1 : 0;
  const std::size_t columns = b.sizes().size() > 1 ? 1 : 0;
  const std::size_t batch = index.size() - rows - columns;
  const auto place = [&](const Numbers& x) {
    Sizes at = Sizes::filled(x.sizes().size(), 0);
    const std::size_t own = x.sizes().size() > 2 ? x.sizes().size() - 2 : 0;
    for (std::size_t d = 0; d < own; ++d) at[d] = x.sizes()[d] == 1 ? 0 : index[batch - own + d];
    return at;
  };
  Sizes a_at = place(a);
  Sizes b_at = place(b);
  if (rows > 0) a_at[a_at.size() - 2] = index[batch];
  if (columns > 0) b_at[b_at.size() - 1] = index.back();
  if (a.sizes().back() == 0) return 0;
  const double *left = a.at(a_at), *right = b.at(b_at);
  const std::int64_t step = b.strides()[b_at.size() - 1 - columns];
  double sum = 0;
  for (std::int64_t k = 0; k < a.sizes().back(); ++k) sum += left[k] * right[k * step];
  return sum;
}

void expect_product(const Tensor& a, const Tensor& b, const Tensor& product) {
  ASSERT_EQ(product.dtype(), a.dtype());
  ASSERT_EQ(product.device(), a.device());
  ASSERT_TRUE(product.is_contiguous());
  const Numbers left(a), right(b), result(product);
  test::for_each_index(product.sizes(), [&](const Sizes& index) {
    const double expected = test::rounded(element(left, right, index), a.dtype());
    if (result[index] != expected)
      ADD_FAILURE() << to_string(index) << ": " << result[index] << " in place of " << expected;
  });
}

/// GPUs multiply floating numbers only.
bool has_product(Dtype dtype) {
  return dtype != bool_ && (!default_device().is_cuda() || is_floating_point(dtype));
}

TEST(Matmul, EqualsAddingUpIndexByIndex) {
  for (const Dtype dtype : test::kAllDtypes) {
    if (!has_product(dtype)) continue;
    for (const auto& [a_sizes, b_sizes, result] : kShapes) {
      for (const test::Laid& a : test::layouts(a_sizes, dtype)) {
        for (const test::Laid& b : test::layouts(b_sizes, dtype)) {
          SCOPED_TRACE(std::string(name(dtype)) + " " + to_string(a_sizes) + " " + a.how + ", " +
                       to_string(b_sizes) + " " + b.how);
          const Tensor product = matmul(a.tensor, b.tensor);
          ASSERT_EQ(product.sizes(), result);
          expect_product(a.tensor, b.tensor, product);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

TEST(Matmul, LargeShapesGoThroughAllPanels) {
  for (const Dtype dtype : {float32, bfloat16, int16}) {
    if (!has_product(dtype)) continue;
    for (const auto& [a_sizes, b_sizes, result] : std::initializer_list<Shapes>{
             {{3, 2'100}, {2'100, 5}, {3, 5}}, {{1'030, 7}, {7, 1'030}, {1'030, 1'030}}}) {
      const Tensor a = test::filled(a_sizes, dtype, 2);
      const Tensor b = test::filled(b_sizes, dtype, 3);
      expect_product(a, b, matmul(a, b));
      const Tensor a_transposed = a.t().contiguous().t();
      const Tensor b_transposed = b.t().contiguous().t();
      expect_product(a, b, matmul(a_transposed, b_transposed));
    }
  }
}

TEST(Matmul, RoundsNarrowFloatsOnce) {
  // In these dtypes 4096 + 1 is 4096.
  for (const Dtype dtype : {float16, bfloat16}) {
    for (const std::int64_t size : {1, 16}) {
      Tensor a = ones({size, 4'097}, {.dtype = dtype});
      a.select(1, 0).fill_(4'096);
      const Tensor product = matmul(a, ones({4'097, size}, {.dtype = dtype}));
      EXPECT_TRUE(product.equal(full({size, size}, 8'192, {.dtype = dtype}))) << name(dtype) << " " << size;
    }
  }
}

TEST(Linear, RoundsNarrowFloatsOnce) {
  // 256.5 - 256; in bfloat16 256 + 0.5 is 256, and in float16 2048 + 0.5 is 2048.
  for (const auto& [dtype, large] : {std::pair(float16, 2'048), std::pair(bfloat16, 256)}) {
    const TensorOptions options{.dtype = dtype};
    const Tensor ones_and_half = cat({full({3, 1}, large, options), full({3, 1}, 0.5, options)}, 1);
    const Tensor weight = ones({5, 2}, options), bias = full({5}, -large, options);
    const Tensor half = full({3, 5}, 0.5, options);
    EXPECT_TRUE(linear(ones_and_half, weight, bias).equal(half)) << name(dtype);
    EXPECT_TRUE(addmm(bias, ones_and_half, weight.t()).equal(half)) << name(dtype);
    EXPECT_TRUE(addmm(bias, ones_and_half, weight.t(), 2, 2).equal(half * 2)) << name(dtype);
  }
}

TEST(Linear, StaysWhereItsOperandsAre) {
  const Tensor x = ones({2, 3}, {.device = cpu}), weight = ones({4, 3}, {.device = cpu});
  const Tensor bias = ones({4}, {.device = cpu}), four = full({2, 4}, 4., {.device = cpu});
  EXPECT_TRUE(linear(x, weight, bias).equal(four));
  EXPECT_TRUE(addmm(bias, x, weight.t()).equal(four));
}

TEST(Linear, IsAddmmOfEachRow) {
  const Tensor x = test::uniform({2, 5, 7}, float32), weight = test::uniform({4, 7}, float32, 2);
  const Tensor bias = test::uniform({4}, float32, 3);
  EXPECT_TRUE(linear(x, weight, bias)[1].equal(addmm(bias, x[1], weight.t())));
  EXPECT_TRUE(linear(x[1][2], weight, bias).equal(addmm(bias, x[1].slice(0, 2, 3), weight.t())[0]));
  test::expect_error(
      [&] { addmm(ones({7}), x[0], weight); },
      "matmul: [5, 7] and [4, 7]: the last size of the left operand must be the last size but one of "
      "the right one, but 7 is not 4");
}

TEST(Linear, RefusesMatricesOfTwoDtypes) {
  for (const Dtype dtype : {bfloat16, int64}) {
    const Tensor x = ones({2, 3}, {.dtype = dtype}), weight = ones({4, 3});
    const std::string both = std::string(name(dtype)) + " and float32";
    for (const Tensor& bias : {ones({4}), ones({4}, {.dtype = dtype}), Tensor()}) {
      test::expect_error(
          [&] { linear(x, weight, bias); },
          "linear: the dtypes of x and weight must be the same; convert one with to(), not " + both);
    }
    test::expect_error([&] { addmm(ones({4}), x, weight.t()); },
                       "addmm: the dtypes of a and b must be the same; convert one with to(), not " + both);
  }
}

TEST(Linear, RefusesABiasOfAnotherDtype) {
  test::expect_error(
      [] {
        linear(ones({2, 3}), ones({4, 3}), ones({4}, {.dtype = float64}));
      },
      "linear: bias must be of the matrices' dtype float32, not float64");
  test::expect_error(
      [] {
        addmm(ones({2, 2, 4}), ones({2, 3}), ones({3, 4}));
      },
      "addmm: input must be one that can be expanded to [2, 4], not of shape [2, 2, 4]");
}

TEST(Linear, AnInputTimesZeroStaysInTheGraph) {
  const Tensor input = full({2, 4}, std::nan(""), {.requires_grad = true});
  const Tensor out = addmm(input, ones({2, 3}), ones({3, 4}), 0);
  EXPECT_TRUE(out.equal(full({2, 4}, 3.)));
  out.sum().backward();
  EXPECT_TRUE(input.grad().equal(zeros({2, 4})));
}

TEST(Matmul, IntegersWrap) {
  const auto filled = [](const Sizes& sizes, std::int64_t value, Dtype dtype) {
    return full(sizes, value, {.dtype = dtype, .device = cpu});
  };
  EXPECT_EQ(matmul(filled({2, 2}, 16, uint8), filled({2, 2}, 16, uint8))[0][0].item<int>(), 0);
  EXPECT_EQ(matmul(filled({1}, 100, int8), filled({1}, 2, int8)).item<int>(), -56);
  EXPECT_EQ(matmul(filled({2}, std::int64_t{1} << 62, int64), filled({2}, 2, int64)).item<std::int64_t>(), 0);
}

TEST(Matmul, BatchesInAnyStep) {
  for (const Dtype dtype : {float32, float16, float8_e4m3fn}) {
    const Tensor a = test::filled({6, 4, 3, 5}, dtype, 2);
    const Tensor b = test::filled({4, 6, 5, 2}, dtype, 3);
    const Tensor every_other = a.slice(0, 1, {}, 2);          // [3, 4, 3, 5]
    const Tensor other_order = b.transpose(0, 1);             // [6, 4, 5, 2]
    const Tensor part = b.slice(0, 1, 3).slice(1, 0, {}, 3);  // [2, 2, 5, 2]
    const Tensor repeated = b.select(0, 2).unsqueeze(1);      // [6, 1, 5, 2]
    const Tensor columns = a.permute({3, 1, 2, 0});           // [5, 4, 3, 6], read as copies
    expect_product(a, other_order, matmul(a, other_order));
    expect_product(a, repeated, matmul(a, repeated));
    const Tensor half = repeated.slice(0, 0, 3);            // [3, 1, 5, 2]
    const Tensor corner = a.slice(0, 0, 2).slice(1, 1, 3);  // [2, 2, 3, 5]
    expect_product(every_other, half, matmul(every_other, half));
    expect_product(corner, part, matmul(corner, part));
    const Tensor batch = test::filled({4, 6, 2}, dtype, 4);
    expect_product(columns, batch, matmul(columns, batch));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(Matmul, LargeProductsEqualThoseOfTheirRows) {
  constexpr std::int64_t kRows = 300, kInner = 260, kColumns = 280, kPart = 75;
  for (const Dtype dtype : {float64, float32, float16, bfloat16, float8_e5m2}) {
    const Tensor a = test::filled({kRows * kInner + 1}, dtype, 2);
    const Tensor b = test::filled({kInner * kColumns + 1}, dtype, 3);
    for (const std::int64_t offset : {0, 1}) {  // aligned, and not
      const Tensor x = a.slice(0, offset, offset + kRows * kInner).view({kRows, kInner});
      const Tensor y = b.slice(0, offset, offset + kInner * kColumns).view({kInner, kColumns});
      const Tensor whole = matmul(x, y);
      for (std::int64_t row = 0; row < kRows; row += kPart) {
        const Tensor part = matmul(x.slice(0, row, row + kPart), y);
        ASSERT_TRUE(test::same_bits(whole.slice(0, row, row + kPart), part)) << name(dtype) << " " << row;
      }
      const Tensor transposed = matmul(x.t().contiguous().t(), y.t().contiguous().t());
      ASSERT_TRUE(test::same_bits(whole, transposed)) << name(dtype);
      ASSERT_TRUE(test::same_bits(whole, matmul(x, y))) << "the second one takes what the first one chose";
    }
  }
}

TEST(Matmul, RoundsToTf32WhereThatIsAllowedOnly) {
  const float fine = 1 + 0x1p-12F;
  const Tensor a = full({256, 256}, fine);
  const Tensor b = eye(256);
  EXPECT_EQ(matmul(a, b)[200][100].item<float>(), fine);
  cuda::set_allow_tf32(true);
  const float allowed = matmul(a, b)[200][100].item<float>();
  cuda::set_allow_tf32(false);
  EXPECT_EQ(allowed, default_device().is_cuda() ? 1 : fine);
  EXPECT_EQ(matmul(a, b)[200][100].item<float>(), fine);
}

TEST(MatmulOnAGpu, WorksOnAnyStream) {
  if (!default_device().is_cuda()) GTEST_SKIP() << "LECTERN_TEST_DEVICE=cuda runs it";
  for (int i = 0; i < 3; ++i) {
    const cuda::StreamGuard guard{cuda::Stream()};
    const Tensor a = test::filled({40, 30}, bfloat16);
    expect_product(a, a.t(), matmul(a, a.t()));
    const Tensor large = ones({300, 300}, {.dtype = bfloat16});
    EXPECT_EQ(matmul(large, large)[299][7].item<float>(), 300);
  }
}

TEST(MatmulOnAGpu, RefusesIntegers) {
  if (!default_device().is_cuda()) GTEST_SKIP() << "LECTERN_TEST_DEVICE=cuda runs it";
  const Tensor x = ones({2, 2}, {.dtype = int32});
  expect_error(
      [&] { matmul(x, x); },
      "matmul: dtype on cuda must be a floating one, not int32, of which the GPU, as in PyTorch, has no "
      "product; move with to(\"cpu\"), or convert with to(float32)");
  expect_error(
      [&] {
        matmul(x.to(float32), ones({2, 2}, {.device = cpu}));
      },
      "matmul: the devices of the tensors must be the same; move one with to(), not cuda:0 and cpu");
}

TEST(Matmul, ReadsTransposedMatricesWithoutCopies) {
  const Tensor a = test::filled({40, 30}, float32);
  const CountScope scope;
  matmul(a.t(), a);
  EXPECT_EQ(scope.counted().bytes, 2 * a.nbytes() + 30 * 30 * 4);
  EXPECT_EQ(scope.counted().flops, 2 * 30 * 40 * 30);
}

TEST(Matmul, CountsEveryMatrixOfTheResult) {
  const CountScope scope;
  matmul(ones({6, 1, 4, 3}), ones({5, 3, 2}));
  EXPECT_EQ(scope.counted().flops, 2 * 6 * 5 * 4 * 3 * 2);
}

TEST(Matmul, WritesOverWhatMemoryHeld) {
  for (int i = 0; i < 3; ++i) {
    full({5}, std::nan(""));
    EXPECT_EQ(matmul(ones({5, 4}), ones({4}))[3].item<double>(), 4);
    full({1}, std::nan(""));
    EXPECT_EQ(matmul(ones({4}), ones({4})).item<double>(), 4);
  }
}

TEST(Matmul, AnyNumberOfThreads) {
  const int before = get_num_threads();
  const Tensor a = test::filled({30, 40, 50}, float32);
  const Tensor b = test::filled({30, 50, 20}, float32);
  const Tensor c = test::filled({300, 400}, float32);
  for (const int threads : {1, 2, 4}) {
    set_num_threads(threads);
    expect_product(a, b, matmul(a, b));
    expect_product(c, c.t(), matmul(c, c.t()));
  }
  set_num_threads(before);
}

TEST(Matmul, MatricesOnly) {
  const Tensor a = test::filled({4, 3}, float32);
  const Tensor b = test::filled({3, 5}, float32);
  EXPECT_TRUE(test::same_bits(mm(a, b), matmul(a, b)));
  EXPECT_TRUE(test::same_bits(bmm(a.expand({2, 4, 3}), b.expand({2, 3, 5})), matmul(a, b.expand({2, 3, 5}))));
  expect_error([&] { mm(a, ones({3})); }, "mm: [4, 3] and [3]: both operands must have two dimensions");
  expect_error([&] { bmm(a, b); }, "bmm: [4, 3] and [3, 5]: both operands must have three dimensions");
  expect_error(
      [] {
        bmm(ones({1, 2, 3}), ones({2, 3, 2}));
      },
      "bmm: [1, 2, 3] and [2, 3, 2]: both operands must have as many matrices");
}

TEST(Matmul, NamesShapesThatDoNotFit) {
  expect_error(
      [] {
        matmul(ones({2, 3}), ones({4, 5}));
      },
      "matmul: [2, 3] and [4, 5]: the last size of the left operand must be the last size but one of the "
      "right "
      "one, but 3 is not 4");
  expect_error(
      [] {
        matmul(ones({2, 3}), ones({4}));
      },
      "matmul: [2, 3] and [4]: the last size of the left operand must be the size of the right one, but 3 is "
      "not "
      "4");
  expect_error(
      [] {
        matmul(ones({2, 3, 4}), ones({3, 4, 5}));
      },
      "matmul: [2, 3, 4] and [3, 4, 5]: the leading dimensions must be equal or 1, but 2 is not 3");
  expect_error([] { matmul(ones({}), ones({4})); },
               "matmul: [] and [4]: both operands must have one dimension or more");
}

TEST(Matmul, RefusesDtypes) {
  expect_error(
      [] {
        matmul(ones({2, 2}), ones({2, 2}, {.dtype = float64}));
      },
      "matmul: the dtypes must be the same, not float32 and float64");
  expect_error(
      [] {
        matmul(ones({2, 2}, {.dtype = bool_}), ones({2, 2}, {.dtype = bool_}));
      },
      "matmul: dtype must be a number's, not bool; convert with to() first");
}

TEST(Matmul, RefusesMatricesThatAreTooLarge) {
  const Tensor row = ones({1}).expand({1, std::int64_t{1} << 31});
  EXPECT_THROW(matmul(row, row.t()), TensorError);
}

}  // namespace
}  // namespace lectern
