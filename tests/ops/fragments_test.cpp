// The hardware's fragments, each by itself: where one of these fails, so do the kernels of attention.
#include "ops/fragments.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "base/small_float.h"
#include "device/cuda.h"
#include "ops/tensors.h"

#ifdef LECTERN_GPU_IS_SIMULATED
#include "simulated_gpu/mma.h"
#endif

namespace lectern {
namespace {

constexpr int kLanes = 32;

class MatrixFragments : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::is_available()) GTEST_SKIP() << cuda::unavailable_reason();
    if (cuda::get_device_properties(0).major < 8) GTEST_SKIP() << "before compute capability 8.0";
  }
};

template <typename T>
T* data_of(const Tensor& tensor) {
  return static_cast<T*>(tensor.data_ptr());
}

Tensor on_gpu(const Sizes& sizes, Dtype dtype) {
  return zeros(sizes, {.dtype = dtype, .device = test::kCuda});
}

/// Numbers from 0 to 32 · 64 - 1, as 16 bits.
Tensor tile_of_counts() {
  Tensor counts = empty({32, 64}, {.dtype = int16, .device = cpu});
  for (std::int64_t i = 0; i < counts.numel(); ++i)
    data_of<std::int16_t>(counts)[i] = static_cast<std::int16_t>(i);
  return counts.to(test::kCuda);
}

void expect_fragments(bool transposed, int rows, int columns) {
  const Tensor tile = tile_of_counts(), words = on_gpu({8, kLanes, 4}, int32);
  test::read_fragments(transposed, data_of<const std::uint16_t>(tile), rows, columns,
                       data_of<std::uint32_t>(words));
  cuda::synchronize();
  const Tensor found = words.to(cpu);
  for (int fragment = 0; fragment < 8; ++fragment) {
    for (int lane = 0; lane < kLanes; ++lane) {
      for (int matrix = 0; matrix < 4; ++matrix) {
        const std::uint32_t word = data_of<std::uint32_t>(found)[(fragment * kLanes + lane) * 4 + matrix];
        for (int half = 0; half < 2; ++half) {
          const int group = lane / 4, in_group = lane % 4 * 2 + half;
          const int row = fragment / 4 * 16 + matrix % 2 * 8 + (transposed ? in_group : group);
          const int column = fragment % 4 * 16 + matrix / 2 * 8 + (transposed ? group : in_group);
          const int expected = row < rows && column < columns ? row * 64 + column : 0;
          ASSERT_EQ(static_cast<int>(half == 0 ? word & 0xFFFF : word >> 16), expected)
              << "fragment " << fragment << ", lane " << lane << ", matrix " << matrix << ", half " << half;
        }
      }
    }
  }
}

TEST_F(MatrixFragments, AreReadFromTiles) {
  expect_fragments(false, 32, 64);
}

TEST_F(MatrixFragments, AreReadTransposed) {
  expect_fragments(true, 32, 64);
}

TEST_F(MatrixFragments, AreZeroWhereNothingWasCopied) {
  expect_fragments(false, 21, 40);
  expect_fragments(true, 1, 8);
}

TEST_F(MatrixFragments, AreReadWithoutBankConflicts) {
#ifdef LECTERN_GPU_IS_SIMULATED
  const std::int64_t before = test::bank_conflicts;
  expect_fragments(false, 32, 64);
  expect_fragments(true, 32, 64);
  EXPECT_EQ(test::bank_conflicts, before);
#else
  GTEST_SKIP() << "the simulated GPU counts them";
#endif
}

/// Of small integers, whose products have exact sums.
template <typename T>
void expect_product(Dtype dtype) {
  const auto left = [](int row, int k) { return static_cast<float>((row * 5 + k * 3) % 17 - 8); };
  const auto right = [](int k, int column) { return static_cast<float>((k * 7 + column * 11) % 13 - 6); };
  const auto pair = [](float low, float high) {
    return static_cast<std::uint32_t>(T(low).bits) | static_cast<std::uint32_t>(T(high).bits) << 16;
  };
  const Tensor a = empty({kLanes, 4}, {.dtype = int32, .device = cpu});
  const Tensor b = empty({kLanes, 2}, {.dtype = int32, .device = cpu});
  for (int lane = 0; lane < kLanes; ++lane) {
    const int group = lane / 4, first = lane % 4 * 2;
    for (int i = 0; i < 4; ++i) {
      const int row = group + i % 2 * 8, k = first + i / 2 * 8;
      data_of<std::uint32_t>(a)[lane * 4 + i] = pair(left(row, k), left(row, k + 1));
    }
    for (int i = 0; i < 2; ++i) {
      const int k = first + i * 8;
      data_of<std::uint32_t>(b)[lane * 2 + i] = pair(right(k, group), right(k + 1, group));
    }
  }
  const Tensor there_a = a.to(test::kCuda), there_b = b.to(test::kCuda);
  const Tensor sums = ones({kLanes, 4}, {.dtype = float32, .device = test::kCuda});
  test::multiply_fragments_of(dtype, data_of<const std::uint32_t>(there_a),
                              data_of<const std::uint32_t>(there_b), data_of<float>(sums));
  cuda::synchronize();
  const Tensor found = sums.to(cpu);
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int i = 0; i < 4; ++i) {
      const int row = lane / 4 + i / 2 * 8, column = lane % 4 * 2 + i % 2;
      float expected = 1;
      for (int k = 0; k < 16; ++k) expected += left(row, k) * right(k, column);
      ASSERT_EQ(data_of<float>(found)[lane * 4 + i], expected) << "lane " << lane << ", sum " << i;
    }
  }
}

TEST_F(MatrixFragments, OfBfloat16AreMultiplied) {
  expect_product<BFloat16>(bfloat16);
}

TEST_F(MatrixFragments, OfFloat16AreMultiplied) {
  expect_product<Half>(float16);
}

TEST_F(MatrixFragments, LanesExchangeRoundAndCompute) {
  const Tensor x = empty({kLanes}, {.dtype = float32, .device = cpu});
  for (int i = 0; i < kLanes; ++i) data_of<float>(x)[i] = 0.37F * static_cast<float>(i + 1);
  const Tensor there = x.to(test::kCuda), results = on_gpu({kLanes, 4}, float32),
               pairs = on_gpu({kLanes, 2}, int32);
  for (const int mask : {1, 2}) {
    test::try_functions(mask, data_of<const float>(there), reinterpret_cast<float(*)[4]>(results.data_ptr()),
                        reinterpret_cast<std::uint32_t(*)[2]>(pairs.data_ptr()));
    cuda::synchronize();
    const Tensor found = results.to(cpu), rounded = pairs.to(cpu);
    for (int i = 0; i < kLanes; ++i) {
      const float own = data_of<float>(x)[i];
      const float* const result = data_of<float>(found) + i * 4;
      EXPECT_EQ(result[0], data_of<float>(x)[i ^ mask]);
      EXPECT_NEAR(result[1], std::exp2(own), 1e-6F * std::exp2(own));
      EXPECT_NEAR(result[2], std::log2(own), 1e-6F);
      EXPECT_NEAR(result[3], 1 / own, 1e-6F / own);
      const std::uint32_t* const pair = data_of<std::uint32_t>(rounded) + i * 2;
      EXPECT_EQ(pair[0] & 0xFFFF, BFloat16(own).bits);
      EXPECT_EQ(pair[0] >> 16, BFloat16(-own).bits);
      EXPECT_EQ(pair[1] & 0xFFFF, Half(own).bits);
      EXPECT_EQ(pair[1] >> 16, Half(-own).bits);
    }
  }
}

}  // namespace
}  // namespace lectern
