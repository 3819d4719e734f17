#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "device/cuda.h"
#include "ops/activations.h"
#include "ops/elementwise.h"
#include "ops/index.h"
#include "ops/join.h"
#include "ops/random.h"
#include "ops/sort.h"
#include "ops/tensors.h"
#include "ops/triangle.h"
#include "tensor/cuda_graph.h"

// Kernels for particular layouts: the CPU's results, bit for bit. Sizes are around those of tiles and packs.

namespace lectern {
namespace {

using test::kInfinity;
using test::same_bits;

class LayoutsOnCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!default_device().is_cuda()) GTEST_SKIP() << "for the tests on a GPU";
  }

  static Tensor filled(const Sizes& sizes, Dtype dtype, unsigned seed = 1) {
    return test::filled(sizes, dtype, seed).cpu();
  }
  static Tensor uniform(const Sizes& sizes, Dtype dtype, unsigned seed = 1) {
    return test::uniform(sizes, dtype, seed).cpu();
  }
  /// Views of both, made the same way, are equal as contiguous tensors.
  template <typename View>
  static void expect_same(const Tensor& host, const Tensor& gpu, const View& view) {
    const Tensor expected = view(host), got = view(gpu);
    EXPECT_TRUE(same_bits(got.contiguous().cpu(), expected.contiguous())) << to_string(expected.sizes());
  }
};

TEST_F(LayoutsOnCuda, TransposedCopies) {
  for (const Dtype dtype : {uint8, bfloat16, float32, int64}) {
    for (const std::int64_t rows : {7, 8, 33, 64, 130, 136}) {
      for (const std::int64_t columns : {8, 31, 32, 66, 140, 144}) {
        SCOPED_TRACE(std::string(name(dtype)) + " " + std::to_string(rows) + " x " + std::to_string(columns));
        const Tensor host = filled({rows, columns}, dtype), gpu = host.cuda();
        expect_same(host, gpu, [](const Tensor& x) { return x.t(); });
        expect_same(host, gpu, [](const Tensor& x) { return x.narrow(1, 1, x.size(1) - 1).t(); });
        expect_same(host, gpu, [](const Tensor& x) { return x.narrow(1, 4, x.size(1) - 4).t(); });
        const Tensor target_host = zeros({columns, 2 * rows}, {.dtype = dtype, .device = cpu});
        const Tensor target = target_host.cuda();
        target.narrow(1, rows, rows).copy_(gpu.t());
        target_host.narrow(1, rows, rows).copy_(host.t());
        EXPECT_TRUE(same_bits(target.cpu(), target_host));
      }
    }
  }
}

TEST_F(LayoutsOnCuda, PermutedCopies) {
  for (const Dtype dtype : {bool_, float16, float32, float64}) {
    for (const Sizes& sizes : {Sizes{3, 9, 5, 16}, Sizes{2, 33, 34, 8}, Sizes{9, 10, 1, 2}}) {
      const Tensor host = filled(sizes, dtype), gpu = host.cuda();
      for (const Sizes& order :
           {Sizes{0, 2, 1, 3}, Sizes{0, 3, 1, 2}, Sizes{3, 2, 1, 0}, Sizes{1, 3, 0, 2}}) {
        SCOPED_TRACE(std::string(name(dtype)) + to_string(sizes) + to_string(order));
        expect_same(host, gpu, [&](const Tensor& x) { return x.permute(order); });
        expect_same(host, gpu, [&](const Tensor& x) { return x.permute(order).to(float32); });
        expect_same(host, gpu, [&](const Tensor& x) { return x.slice(1, 1, {}, 3).permute(order); });
      }
    }
  }
}

TEST_F(LayoutsOnCuda, PartsAndRepetitions) {
  for (const Dtype dtype : {int8, bfloat16, float32, float64}) {
    const Tensor host = filled({6, 48}, dtype), gpu = host.cuda();
    for (const std::int64_t begin : {0, 1, 2, 4, 8, 16}) {
      for (const std::int64_t length : {1, 8, 15, 16, 32}) {
        SCOPED_TRACE(std::string(name(dtype)) + " " + std::to_string(begin) + " " + std::to_string(length));
        const auto part = [&](const Tensor& x) { return x.narrow(1, begin, length); };
        expect_same(host, gpu, part);
        expect_same(host, gpu, [&](const Tensor& x) { return part(x).to(bfloat16); });
        expect_same(host, gpu, [&](const Tensor& x) { return part(x).unsqueeze(1).expand({6, 3, length}); });
        expect_same(host, gpu, [&](const Tensor& x) {
          return x.select(1, begin).unsqueeze(1).expand({6, length});
        });
        expect_same(host, gpu, [&](const Tensor& x) { return cat({part(x), x}, 1); });
      }
    }
  }
}

TEST_F(LayoutsOnCuda, RowsOfDifferentDtypes) {
  const std::vector<std::pair<Sizes, Sizes>> shapes{
      {{5, 24}, {5, 24}}, {{5, 24}, {24}}, {{5, 24}, {5, 1}}, {{5, 1}, {24}},      {{3, 5, 24}, {5, 1}},
      {{5, 23}, {23}},    {{40}, {40}},    {{41}, {41}},      {{3, 1, 8}, {5, 1}}, {{7, 12}, {}}};
  for (const Dtype a : {float32, bfloat16, float16}) {
    for (const Dtype b : {float32, bfloat16, float16, float64}) {
      for (const auto& [left, right] : shapes) {
        SCOPED_TRACE(std::string(name(a)) + to_string(left) + " " + std::string(name(b)) + to_string(right));
        const Tensor x = uniform(left, a), y = uniform(right, b, 2);
        const auto expect = [&](const auto& compute) {
          EXPECT_TRUE(same_bits(compute(x.cuda(), y.cuda()).contiguous().cpu(), compute(x, y).contiguous()));
        };
        expect([](const Tensor& p, const Tensor& q) { return p + q; });
        expect([](const Tensor& p, const Tensor& q) { return p - q; });
        expect([](const Tensor& p, const Tensor& q) { return p * q; });
        expect([](const Tensor& p, const Tensor& q) { return p / q; });
        expect([](const Tensor& p, const Tensor& q) { return p * 0.3 + q; });
      }
    }
  }
}

TEST_F(LayoutsOnCuda, OperandsAcross) {
  for (const Dtype dtype : {float32, bfloat16}) {
    const Tensor x = uniform({40, 40}, dtype), y = uniform({40, 80}, dtype, 2);
    const Tensor x_gpu = x.cuda(), y_gpu = y.cuda();
    const auto expect = [&](const auto& compute) {
      EXPECT_TRUE(same_bits(compute(x_gpu, y_gpu).contiguous().cpu(), compute(x, y).contiguous()));
    };
    expect([](const Tensor& p, const Tensor&) { return p + p.t(); });
    expect([](const Tensor& p, const Tensor& q) { return p * q.slice(1, 0, {}, 2); });
    expect([](const Tensor& p, const Tensor& q) { return q.slice(1, 1, {}, 2).t() - p.t(); });
  }
}

TEST_F(LayoutsOnCuda, TransposedOperands) {
  for (const Dtype dtype : {float32, bfloat16, float16, float64}) {
    for (const Sizes& sizes : {Sizes{64, 64}, {72, 200}, {136, 68}, {129, 80}, {60, 128}}) {
      SCOPED_TRACE(std::string(name(dtype)) + " " + to_string(sizes));
      const std::int64_t rows = sizes[0], columns = sizes[1];
      const Tensor x = uniform({2, rows, columns + 8}, dtype), y = uniform({2, columns, rows}, dtype, 2);
      const Tensor x_gpu = x.cuda(), y_gpu = y.cuda();
      const auto expect = [&](const auto& compute) {
        const auto part = [=](const Tensor& whole, std::int64_t from) {
          return whole.narrow(2, from, columns);
        };
        for (const std::int64_t from : {0, 4, 8}) {
          const Tensor got = compute(part(x_gpu, from), y_gpu.mT()),
                       expected = compute(part(x, from), y.mT());
          EXPECT_TRUE(same_bits(got.contiguous().cpu(), expected.contiguous())) << from;
        }
      };
      expect([](const Tensor& p, const Tensor& q) { return p + q; });
      expect([](const Tensor& p, const Tensor& q) { return p - q; });
      expect([](const Tensor& p, const Tensor& q) { return q - p; });
      expect([](const Tensor& p, const Tensor& q) { return p * q; });
      expect([](const Tensor& p, const Tensor& q) { return p / q; });
      expect([](const Tensor& p, const Tensor& q) { return p.select(1, 0).unsqueeze(1) - q; });
      expect([](const Tensor& p, const Tensor& q) { return p.contiguous() - q.select(1, 0).unsqueeze(1); });
      expect([](const Tensor& p, const Tensor& q) { return p - q.narrow(2, 0, 1); });
      expect([](const Tensor& p, const Tensor& q) { return p.clone().sub_(q); });
    }
  }
}

/// Rounded to 16 bits, results of a GPU's approximate functions are those of float64 or next to them.
TEST_F(LayoutsOnCuda, SixteenBitActivations) {
  const std::vector<std::pair<std::string, std::function<Tensor(const Tensor&)>>> functions{
      {"exp", [](const Tensor& x) { return x.exp(); }},
      {"sigmoid", [](const Tensor& x) { return x.sigmoid(); }},
      {"silu", [](const Tensor& x) { return silu(x); }},
      {"tanh", [](const Tensor& x) { return x.tanh(); }},
      {"gelu", [](const Tensor& x) { return gelu(x); }},
      {"gelu_tanh", [](const Tensor& x) { return gelu(x, "tanh"); }}};
  for (const Dtype dtype : {bfloat16, float16}) {
    std::vector<double> numbers;
    for (int i = -1200; i <= 1200; ++i) numbers.push_back(i / 150.0);
    const Tensor x = tensor(numbers, {.dtype = dtype, .device = cpu});
    for (const auto& [what, function] : functions) {
      const Tensor got = function(x.cuda()).cpu().to(float64), exact = function(x.to(float64));
      const double unit = dtype == bfloat16 ? 0x1p-8 : 0x1p-11,
                   smallest = dtype == bfloat16 ? 0x1p-133 : 0x1p-24;
      for (std::int64_t i = 0; i < x.numel(); ++i) {
        const double e = test::number(exact, {i});
        ASSERT_NEAR(test::number(got, {i}), e, std::abs(e) * unit * 1.01 + smallest)
            << what << " of " << test::number(x, {i}) << " as " << name(dtype);
      }
    }
  }
}

TEST_F(LayoutsOnCuda, InfiniteActivations) {
  for (const Dtype dtype : {bfloat16, float16, float32}) {
    const Tensor x = tensor({kInfinity, std::nan(""), 300.0, -300.0}, {.dtype = dtype, .device = cpu}).cuda();
    const auto expect = [&](const Tensor& y, double at_infinity, double at_300, double at_minus_300) {
      const Tensor here = y.cpu();
      EXPECT_EQ(test::number(here, {0}), at_infinity);
      EXPECT_TRUE(std::isnan(test::number(here, {1})));
      EXPECT_EQ(test::number(here, {2}), at_300);
      EXPECT_EQ(test::number(here, {3}), at_minus_300);
    };
    expect(gelu(x), kInfinity, 300, 0);
    expect(gelu(x, "tanh"), kInfinity, 300, 0);
    expect(silu(x), kInfinity, 300, 0);
    expect(x.sigmoid(), 1, 1, 0);
    expect(x.tanh(), 1, 1, -1);
    expect(x.exp(), kInfinity, kInfinity, 0);
    // -infinity times 0, as in PyTorch.
    const Tensor low = full({1}, -kInfinity, {.dtype = dtype, .device = test::kCuda});
    EXPECT_TRUE(std::isnan(test::number(gelu(low).cpu(), {0})));
  }
}

TEST_F(LayoutsOnCuda, Triangles) {
  for (const Dtype dtype : {bool_, bfloat16, float32, int64}) {
    for (const Sizes& sizes :
         {Sizes{9, 16}, Sizes{3, 5, 19}, Sizes{2, 40, 33}, Sizes{3, 2, 70}, Sizes{4, 6, 3}}) {
      const Tensor host = filled(sizes, dtype), gpu = host.cuda();
      for (const std::int64_t diagonal : {-100, -7, -1, 0, 1, 5, 17, 100}) {
        SCOPED_TRACE(std::string(name(dtype)) + " " + std::to_string(diagonal));
        const auto expect = [&](const auto& view) {
          expect_same(host, gpu, [&](const Tensor& x) { return triu(view(x), diagonal); });
          expect_same(host, gpu, [&](const Tensor& x) { return tril(view(x), diagonal); });
        };
        expect([](const Tensor& x) { return x; });
        expect([](const Tensor& x) { return x.transpose(-1, -2); });  // a copy, in place
        expect([](const Tensor& x) { return x.narrow(0, 1, x.size(0) - 1); });
      }
    }
  }
}

void expect_sorted(const Tensor& host, bool descending) {
  const auto expected = sort(host, 1, descending), got = sort(host.cuda(), 1, descending);
  EXPECT_TRUE(same_bits(got.values.cpu(), expected.values));
  EXPECT_TRUE(same_bits(got.indices.cpu(), expected.indices));
}

TEST_F(LayoutsOnCuda, SortedRowsOfAnyLength) {
  for (const std::int64_t length :
       {1, 2, 3, 31, 32, 33, 255, 256, 257, 512, 513, 1000, 1025, 4097, 8192, 70000, 140'001}) {
    SCOPED_TRACE(length);
    expect_sorted(filled({2, length}, float32), false);  // many are equal
  }
}

TEST_F(LayoutsOnCuda, SortedRowsOfAnyDtype) {
  bool descending = false;
  for (const Dtype dtype : {float64, float32, float16, float8_e4m3fn, int64, int8, uint8, bool_}) {
    for (const std::int64_t rows : {1, 2}) {
      SCOPED_TRACE(std::string(name(dtype)) + " " + std::to_string(rows) + (descending ? " down" : " up"));
      expect_sorted((randn({rows, 132'001}, {.device = cpu}) * 1000).to(dtype), descending);
      if (rows == 1) descending = !descending;
    }
  }
}

TEST_F(LayoutsOnCuda, SortedWhereverElementsLie) {
  for (const Dtype dtype : test::kAllDtypes) {
    const Tensor host = filled({4, 6, 51}, dtype), gpu = host.cuda();
    for (const bool descending : {false, true}) {
      const auto expect = [&](const auto& view) {
        SCOPED_TRACE(std::string(name(dtype)) + (descending ? " down" : " up"));
        expect_same(host, gpu, [&](const Tensor& x) { return argsort(view(x), -1, descending); });
      };
      expect([](const Tensor& x) { return x; });
      expect([](const Tensor& x) { return x.narrow(0, 1, 3); });  // aligned to elements
      expect([](const Tensor& x) { return x.slice(2, 1, {}, 3); });
      expect([](const Tensor& x) { return x.permute({2, 0, 1}); });
      expect([](const Tensor& x) { return x.narrow(1, 2, 1).expand({4, 5, 51}); });
    }
  }
}

TEST_F(LayoutsOnCuda, ManyPlacesAreWrittenInOrder) {
  const std::int64_t count = 140'001, rows = 300;
  const Tensor index = randint(0, rows, {count}, {.device = cpu});
  const Tensor values = uniform({count, 4}, float32, 2), table = uniform({rows + 7, 4}, float32);
  for (const bool accumulate : {false, true}) {
    const Tensor target = table.clone(), target_gpu = table.cuda();
    target.narrow(0, 7, rows).index_put_({index}, values, accumulate);
    target_gpu.narrow(0, 7, rows).index_put_({index.cuda()}, values.cuda(), accumulate);
    EXPECT_TRUE(same_bits(target_gpu.cpu(), target)) << accumulate;
  }
}

TEST_F(LayoutsOnCuda, ManyKeysAreSortedInAGraph) {
  const Tensor x = randn({2, 140'001}, {.device = test::kCuda});
  Tensor sorted = sort(x).values;  // once before, so that the workspace is there
  cuda::CUDAGraph graph;
  graph.capture([&] { sorted = sort(x).values; });
  x.copy_(randn({2, 140'001}, {.device = test::kCuda}));
  graph.replay();
  EXPECT_TRUE(same_bits(sorted.cpu(), sort(x.cpu()).values));
}

TEST_F(LayoutsOnCuda, RowsAreTakenAndAccumulated) {
  const std::int64_t rows = 50;
  std::vector<std::int64_t> places;
  for (std::int64_t i = 0; i < 20; ++i) places.insert(places.end(), {3, i, 49 - i});
  const Tensor index = tensor(places, {.device = cpu});
  for (const Dtype dtype : {float32, bfloat16, float64, int64, uint8}) {
    for (const std::int64_t width : {1, 3, 4, 8, 24, 31, 64}) {
      SCOPED_TRACE(std::string(name(dtype)) + " " + std::to_string(width));
      const Tensor table = filled({rows, width + 1}, dtype);
      for (const std::int64_t begin : {0, 1}) {
        const Tensor host = table.narrow(1, begin, width), gpu = table.cuda().narrow(1, begin, width);
        EXPECT_TRUE(same_bits(gpu.index({index.cuda()}).cpu(), host.index({index})));
        const Tensor values = filled({index.size(0), width}, dtype, 2);
        const Tensor target = table.clone(), target_gpu = table.cuda();
        target.narrow(1, begin, width).index_put_({index}, values, true);
        target_gpu.narrow(1, begin, width).index_put_({index.cuda()}, values.cuda(), true);
        EXPECT_TRUE(same_bits(target_gpu.cpu(), target));
      }
    }
  }
}

}  // namespace
}  // namespace lectern
