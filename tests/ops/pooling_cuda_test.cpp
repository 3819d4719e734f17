// Windows that a GPU's threads take several at a time, beside one after the other: bit for bit.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/avg_pool.h"
#include "kernels/dispatch.h"
#include "kernels/max_pool.h"
#include "ops/tensors.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using kernels::PoolAxis;
using kernels::PoolDivisor;
using kernels::PoolSizes;
using test::same_bits;

class PoolingOnCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!default_device().is_cuda()) GTEST_SKIP() << "for the tests on a GPU";
  }
};

constexpr std::int64_t kPlanes = 3;

struct WindowOptions {
  std::int64_t kernel, stride = 1, padding = 0, dilation = 1, beyond = 0;
};

/// `beyond`: windows that go past the padding, as with PyTorch's ceil_mode.
PoolAxis windowed(std::int64_t length, const WindowOptions& options) {
  const std::int64_t reach = options.dilation * (options.kernel - 1) + 1;
  const std::int64_t windows = (length + 2 * options.padding - reach) / options.stride + 1 + options.beyond;
  return {length, windows, options.kernel, options.stride, options.padding, options.dilation};
}

/// Rows of packs, and with a rest; windows that touch, overlap, leave gaps, are in the padding, even alone;
/// adaptive ones, and one with a stride that takes 64 bits.
std::vector<PoolSizes> pool_examples(bool dilated) {
  const std::vector<PoolAxis> rows{
      windowed(1, {.kernel = 1}),
      windowed(8, {.kernel = 2, .stride = 2}),
      windowed(7, {.kernel = 3, .stride = 2, .padding = 1}),
      {5, 3},
      {6, 2},
  };
  std::vector<PoolAxis> columns{
      windowed(3, {.kernel = 2}),
      windowed(16, {.kernel = 2, .stride = 2}),
      windowed(70, {.kernel = 3, .stride = 1, .padding = 1}),
      windowed(48, {.kernel = 3, .stride = 2, .padding = 1}),
      windowed(32, {.kernel = 2, .stride = 5}),
      windowed(18, {.kernel = 3, .stride = 2, .beyond = 1}),
      windowed(24, {.kernel = 24, .stride = 7, .padding = 12}),
      windowed(9, {.kernel = 3, .stride = std::int64_t{1} << 40}),
      {32, 5},
      {32, 8},
      {4, 8},
  };
  if (dilated) {
    columns.push_back(windowed(40, {.kernel = 3, .stride = 2, .padding = 1, .dilation = 3}));
    columns.push_back(windowed(16, {.kernel = 2, .padding = 1, .dilation = 9}));
    columns.push_back(windowed(2, {.kernel = 2, .padding = 1, .dilation = 3}));
  }
  std::vector<PoolSizes> examples;
  for (const PoolAxis& r : rows) {
    for (const PoolAxis& c : columns) examples.push_back({kPlanes, r, c});
  }
  return examples;
}

/// So many numbers, from an address on that is not aligned to packs if `first` is 1.
Tensor numbers(std::int64_t count, Dtype dtype, std::int64_t first = 0) {
  return test::uniform({count + first}, float32).to(dtype).cpu().narrow(0, first, count);
}

/// As many, on the GPU, of unspecified values.
Tensor place_like(const Tensor& x, std::int64_t first) {
  return full({x.numel() + first}, 7, {.dtype = x.dtype(), .device = default_device()})
      .narrow(0, first, x.numel());
}

void expect_same(const Tensor& got, const Tensor& expected, const PoolSizes& sizes) {
  EXPECT_TRUE(same_bits(got.cpu(), expected))
      << name(expected.dtype()) << ", rows: " << sizes.rows.length << " into " << sizes.rows.windows
      << ", columns: " << sizes.columns.length << " into " << sizes.columns.windows;
}

template <typename T>
void expect_same_means(const PoolSizes& sizes, PoolDivisor divisor, std::int64_t first) {
  const Tensor in = numbers(kPlanes * sizes.elements(), dtype_of<T>),
               gradient = numbers(kPlanes * sizes.windows(), dtype_of<T>);
  gradient.data<T>()[0] = static_cast<T>(test::kInfinity);
  const Tensor means = gradient.clone(), in_gradient = in.clone();
  for (std::int64_t p = 0; p < kPlanes; ++p) {
    const std::int64_t windows = p * sizes.windows(), elements = p * sizes.elements();
    for (std::int64_t i = 0; i < sizes.windows(); ++i)
      means.data<T>()[windows + i] = kernels::window_mean(sizes, divisor, in.data<T>() + elements, i);
    for (std::int64_t i = 0; i < sizes.elements(); ++i)
      in_gradient.data<T>()[elements + i] =
          kernels::mean_gradient(sizes, divisor, gradient.data<T>() + windows, i);
  }
  const Tensor out = place_like(means, first), spread = place_like(in, first);
  kernels::avg_pool("avg_pool", default_device(), sizes, divisor, dtype_of<T>, out.data_ptr(),
                    in.cuda().data_ptr());
  kernels::avg_pool_gradient("avg_pool", default_device(), sizes, divisor, dtype_of<T>, spread.data_ptr(),
                             gradient.cuda().data_ptr());
  expect_same(out, means, sizes);
  expect_same(spread, in_gradient, sizes);
}

TEST_F(PoolingOnCuda, MeansAndTheirGradients) {
  for (const PoolSizes& sizes : pool_examples(false)) {
    for (const PoolDivisor divisor :
         {PoolDivisor{}, PoolDivisor{.counts_padding = true}, PoolDivisor{.fixed = -5}}) {
      for (const std::int64_t first : {0, 1}) {
        expect_same_means<double>(sizes, divisor, first);
        expect_same_means<float>(sizes, divisor, first);
        expect_same_means<Half>(sizes, divisor, first);
        expect_same_means<BFloat16>(sizes, divisor, first);
      }
    }
  }
}

/// Some of the elements are equal, some NaN, and some planes -∞ alone.
template <typename T>
void expect_same_maxima(const PoolSizes& sizes, std::int64_t first) {
  const Tensor in = numbers(kPlanes * sizes.elements(), dtype_of<T>).mul(3).round(),
               gradient = numbers(kPlanes * sizes.windows(), dtype_of<T>);
  for (std::int64_t i = 0; i < in.numel(); i += 11) in.data<T>()[i] = static_cast<T>(test::kNan);
  for (std::int64_t i = 0; i < sizes.elements(); ++i) in.data<T>()[i] = static_cast<T>(-test::kInfinity);
  const Tensor maxima = gradient.clone(), in_gradient = in.clone();
  const Tensor indices = zeros({gradient.numel()}, {.dtype = int64, .device = cpu});
  for (std::int64_t p = 0; p < kPlanes; ++p) {
    const std::int64_t windows = p * sizes.windows(), elements = p * sizes.elements();
    for (std::int64_t i = 0; i < sizes.windows(); ++i) {
      const auto found = kernels::window_maximum(sizes, in.data<T>() + elements, i);
      maxima.data<T>()[windows + i] = found.value;
      indices.data<std::int64_t>()[windows + i] = found.index;
    }
    for (std::int64_t i = 0; i < sizes.elements(); ++i)
      in_gradient.data<T>()[elements + i] = kernels::maximum_gradient(
          sizes, gradient.data<T>() + windows, indices.data<std::int64_t>() + windows, i);
  }
  const Tensor on_gpu = in.cuda();
  const Tensor out = place_like(maxima, first), alone = place_like(maxima, first),
               spread = place_like(in, first);
  const Tensor places = place_like(indices, 0);
  kernels::max_pool("max_pool", default_device(), sizes, dtype_of<T>, out.data_ptr(),
                    places.data<std::int64_t>(), on_gpu.data_ptr());
  kernels::max_pool("max_pool", default_device(), sizes, dtype_of<T>, alone.data_ptr(), nullptr,
                    on_gpu.data_ptr());
  kernels::max_pool_gradient("max_pool", default_device(), sizes, dtype_of<T>, spread.data_ptr(),
                             gradient.cuda().data_ptr(), places.data<std::int64_t>());
  expect_same(out, maxima, sizes);
  expect_same(alone, maxima, sizes);
  expect_same(places, indices, sizes);
  expect_same(spread, in_gradient, sizes);
}

TEST_F(PoolingOnCuda, MaximaAndTheirGradients) {
  for (const PoolSizes& sizes : pool_examples(true)) {
    for (const std::int64_t first : {0, 1}) {
      expect_same_maxima<double>(sizes, first);
      expect_same_maxima<float>(sizes, first);
      expect_same_maxima<Half>(sizes, first);
      expect_same_maxima<BFloat16>(sizes, first);
    }
  }
}

}  // namespace
}  // namespace lectern
