#include "ops/float8_matmul.h"

#include <gtest/gtest.h>

#include "device/cuda.h"
#include "kernels/matmul.h"
#include "ops/expect_error.h"
#include "ops/matmul.h"
#include "ops/tensors.h"
#include "tensor/array.h"

namespace lectern {
namespace {

using test::expect_error;
using test::filled;

constexpr Dtype kFloat8[] = {float8_e4m3fn, float8_e5m2};

/// Of numbers whose products and sums every adder holds.
void expect_exact(const Tensor& a, const Tensor& b, const std::string& which) {
  const Tensor sums = float8_matmul(a, b);
  EXPECT_EQ(sums.dtype(), float32) << which;
  EXPECT_TRUE(sums.equal(matmul(a.to(float32), b.to(float32)))) << which;
}

TEST(Float8Matmul, IsTheProductOfBothTypesHoweverTheyLie) {
  struct Layouts {
    Sizes a, b;
  };
  // With sizes that tensor cores take, and with others.
  const Layouts cases[] = {{{16, 16}, {16, 16}},   {{5, 32}, {32, 48}},    {{1, 16}, {16, 16}},
                           {{2, 3, 64}, {64, 16}}, {{2, 0, 16}, {16, 16}}, {{5, 7}, {7, 9}},
                           {{16}, {16, 32}},       {{4, 16}, {16}},        {{3, 4, 16}, {3, 16, 16}},
                           {{16, 0}, {0, 16}}};
  for (const Layouts& of : cases) {
    for (const Dtype a_dtype : kFloat8) {
      for (const Dtype b_dtype : kFloat8) {
        for (const test::Laid& a : test::layouts(of.a, a_dtype)) {
          for (const test::Laid& b : test::layouts(of.b, b_dtype)) {
            expect_exact(a.tensor, b.tensor,
                         to_string(of.a) + " " + a.how + ", " + to_string(of.b) + " " + b.how + ", " +
                             std::string(name(a_dtype)) + ", " + std::string(name(b_dtype)));
          }
        }
      }
    }
  }
}

TEST(Float8Matmul, RefusesWhatDoesNotFit) {
  const Tensor a = filled({4, 16}, float8_e4m3fn);
  expect_error(
      [&] {
        float8_matmul(a, filled({16, 16}, bfloat16));
      },
      "float8_matmul: the dtypes must be float8_e4m3fn or float8_e5m2, not float8_e4m3fn and bfloat16");
  expect_error(
      [&] {
        float8_matmul(a, filled({32, 16}, float8_e5m2));
      },
      "matmul: [4, 16] and [32, 16]: the last size of the left operand must be the last size but one of "
      "the right one, but 16 is not 32");
}

TEST(Float8Matmul, UsesTensorCoresThatMultiplyFloat8) {
  if (!default_device().is_cuda()) GTEST_SKIP() << "LECTERN_TEST_DEVICE=cuda runs it";
  const Tensor a = filled({16, 32}, float8_e5m2), b = filled({48, 32}, float8_e4m3fn).t();
  const Tensor out = empty({16, 48}), few = empty({5, 48});
  const auto product = [&](const kernels::ProductSizes& sizes, const Tensor& to, const Tensor& right) {
    return kernels::float8_product("float8_matmul", out.device(), sizes, to_array(to), to_array(a),
                                   to_array(right));
  };
  const bool done = product({16, 48, 32}, out, b), done_few = product({5, 48, 32}, few, b);
  const bool odd = product({16, 47, 32}, out, b), coarse = product({16, 16, 32}, out, a.t());
  EXPECT_FALSE(odd);
  EXPECT_FALSE(coarse);
  const cuda::DeviceProperties gpu = cuda::get_device_properties(out.device().index());
  EXPECT_EQ(done, gpu.major > 8 || (gpu.major == 8 && gpu.minor >= 9));
  const Tensor expected = matmul(a.to(float32), b.to(float32));
  if (done) {
    EXPECT_TRUE(out.equal(expected));
  }
  // Whether there is an algorithm for so few rows is cuBLASLt's to say.
  if (done_few) {
    EXPECT_TRUE(few.equal(expected.narrow(0, 0, 5)));
  }
}

}  // namespace
}  // namespace lectern
