// What a GPU does for each window and each element, beside the CPU's loops over rows of them.
#include <cmath>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/avg_pool.h"
#include "kernels/max_pool.h"

namespace lectern::kernels {
namespace {

constexpr std::int64_t kPlanes = 2;

PoolAxis windowed(std::int64_t length, std::int64_t kernel, std::int64_t stride, std::int64_t padding,
                  std::int64_t dilation) {
  return {length,  (length + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1, kernel, stride, padding,
          dilation};
}

/// With windows that overlap, touch, leave gaps, reach into the padding, are many, are one whatever the
/// stride, and are adaptive.
std::vector<PoolSizes> pool_examples(bool dilated) {
  std::vector<PoolAxis> axes{windowed(9, 2, 2, 0, 1),
                             windowed(8, 3, 2, 1, 1),
                             windowed(7, 3, 1, 1, 1),
                             windowed(11, 2, 4, 1, 1),
                             windowed(40, 3, 2, 0, 1),
                             windowed(9, 3, std::int64_t{1} << 40, 1, 1),
                             {10, 4},
                             {3, 7},
                             {1, 1, 1}};
  if (dilated) axes.push_back(windowed(12, 3, 2, 1, 3));
  std::vector<PoolSizes> examples;
  for (const PoolAxis& rows : axes) {
    for (const PoolAxis& columns : axes) examples.push_back({kPlanes, rows, columns});
  }
  return examples;
}

template <typename T>
std::vector<T> pool_numbers(std::int64_t count, double step) {
  std::vector<T> made;
  for (std::int64_t i = 0; i < count; ++i)
    made.push_back(static_cast<T>(std::sin(step * static_cast<double>(i))));
  return made;
}

template <typename T>
void expect_near(const std::vector<T>& a, const std::vector<T>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_NEAR(static_cast<double>(a[i]), static_cast<double>(b[i]), tolerance) << i;
}

template <typename T>
void expect_same_means(Dtype dtype, double tolerance) {
  for (const PoolSizes& sizes : pool_examples(false)) {
    const auto in = pool_numbers<T>(kPlanes * sizes.elements(), 1.7),
               gradient = pool_numbers<T>(kPlanes * sizes.windows(), 2.3);
    for (const PoolDivisor divisor :
         {PoolDivisor{}, PoolDivisor{.counts_padding = true}, PoolDivisor{.fixed = 5}}) {
      std::vector<T> means(gradient.size()), each(gradient.size()), spread(in.size()), gathered(in.size());
      cpu::avg_pool(sizes, divisor, dtype, means.data(), in.data());
      cpu::avg_pool_gradient(sizes, divisor, dtype, spread.data(), gradient.data());
      for (std::int64_t p = 0; p < kPlanes; ++p) {
        const std::int64_t windows = p * sizes.windows(), elements = p * sizes.elements();
        for (std::int64_t i = 0; i < sizes.windows(); ++i)
          each[static_cast<std::size_t>(windows + i)] = window_mean(sizes, divisor, in.data() + elements, i);
        for (std::int64_t i = 0; i < sizes.elements(); ++i)
          gathered[static_cast<std::size_t>(elements + i)] =
              mean_gradient(sizes, divisor, gradient.data() + windows, i);
      }
      expect_near(means, each, tolerance);
      expect_near(spread, gathered, tolerance);
    }
  }
}

TEST(PoolWindows, MeansAndTheirGradients) {
  expect_same_means<double>(float64, 1e-14);
  expect_same_means<float>(float32, 1e-6);
  expect_same_means<BFloat16>(bfloat16, 2e-2);
}

TEST(PoolWindows, MaximaAndTheirGradients) {
  for (const PoolSizes& sizes : pool_examples(true)) {
    const auto in = pool_numbers<float>(kPlanes * sizes.elements(), 1.7),
               gradient = pool_numbers<float>(kPlanes * sizes.windows(), 2.3);
    std::vector<float> maxima(gradient.size()), spread(in.size()), gathered(in.size());
    std::vector<std::int64_t> indices(gradient.size());
    cpu::max_pool(sizes, float32, maxima.data(), indices.data(), in.data());
    cpu::max_pool_gradient(sizes, float32, spread.data(), gradient.data(), indices.data());
    for (std::int64_t p = 0; p < kPlanes; ++p) {
      const std::int64_t windows = p * sizes.windows(), elements = p * sizes.elements();
      for (std::int64_t i = 0; i < sizes.windows(); ++i) {
        const auto found = window_maximum(sizes, in.data() + elements, i);
        EXPECT_EQ(found.value, maxima[static_cast<std::size_t>(windows + i)]);
        EXPECT_EQ(found.index, indices[static_cast<std::size_t>(windows + i)]);
      }
      for (std::int64_t i = 0; i < sizes.elements(); ++i)
        gathered[static_cast<std::size_t>(elements + i)] =
            maximum_gradient(sizes, gradient.data() + windows, indices.data() + windows, i);
    }
    expect_near(spread, gathered, 1e-6);
  }
}

}  // namespace
}  // namespace lectern::kernels
