#include "tensor/creation.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "ops/expect_error.h"

namespace lectern {
namespace {

using test::error_of;

std::vector<double> numbers(const Tensor& x) {
  std::vector<double> found;
  if (x.dim() == 0) return {x.item<double>()};
  for (std::int64_t i = 0; i < x.size(0); ++i) {
    for (const double n : numbers(x[i])) found.push_back(n);
  }
  return found;
}

using Numbers = std::vector<double>;

TEST(Creation, FromNestedLists) {
  const Tensor x = tensor({{1., 2, 3}, {4, 5, 6}});
  EXPECT_EQ(x.sizes(), Sizes({2, 3}));
  EXPECT_EQ(x.dtype(), float32);
  EXPECT_EQ(numbers(x), (Numbers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(tensor({1, 2}).dtype(), int64);
  EXPECT_EQ(tensor({true, false}).dtype(), bool_);
  EXPECT_EQ(tensor({true, 2}).dtype(), int64);
  EXPECT_EQ(tensor(3.5).dim(), 0);
  EXPECT_EQ(tensor({{{1}}}).sizes(), Sizes({1, 1, 1}));
  EXPECT_EQ(tensor({{1, 2}}).sizes(), Sizes({1, 2}));
  EXPECT_EQ(tensor({1e-8}, {.dtype = float16}).item<float>(), 0);
  EXPECT_EQ(tensor(std::vector<double>{1, 2}).sizes(), Sizes({2}));
  EXPECT_EQ(tensor(std::vector<std::vector<int>>{{1, 2, 3}, {4, 5, 6}}).sizes(), Sizes({2, 3}));
  EXPECT_EQ(tensor(std::vector<double>{}).sizes(), Sizes({0}));
  EXPECT_EQ(error_of([] {
              tensor({{1, 2}, {3}});
            }),
            "tensor: every list at depth 1 must be as long as the first, 2, not 1");
  EXPECT_EQ(error_of([] { tensor({{1, 2}, 3}); }), "tensor: numbers and lists are mixed at depth 1");
  EXPECT_NE(error_of([] { tensor({1, {2}}); }), "no error");
}

TEST(Creation, Filled) {
  EXPECT_EQ(numbers(zeros({2, 2})), (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(numbers(ones({3}, {.dtype = bfloat16})), (Numbers{1, 1, 1}));
  EXPECT_EQ(full({2}, 7).dtype(), int64);
  EXPECT_EQ(full({2}, 7.).dtype(), float32);
  EXPECT_EQ(full({2}, true).dtype(), bool_);
  EXPECT_NE(error_of([] { full({2}, 300, {.dtype = uint8}); }), "no error");
  EXPECT_EQ(zeros({}).dim(), 0);
  EXPECT_EQ(zeros({3, 0}).numel(), 0);
  EXPECT_EQ(numbers(eye(2, 3)), (Numbers{1, 0, 0, 0, 1, 0}));
  EXPECT_NE(error_of([] { zeros({-1}); }), "no error");
  EXPECT_NE(error_of([] { empty({std::int64_t{1} << 40, std::int64_t{1} << 40}); }), "no error");
  EXPECT_NE(error_of([] { empty({std::int64_t{1} << 61}); }), "no error");
  EXPECT_NE(error_of([] { from_blob(nullptr, {std::int64_t{1} << 61}, {}); }), "no error");
  EXPECT_NE(error_of([] { empty({std::int64_t{1} << 58}); }), "no error") << "more memory than there is";
}

TEST(Creation, LikeAnother) {
  const Tensor x = zeros({2, 3, 4}, {.dtype = float16}).permute({2, 0, 1});
  EXPECT_EQ(ones_like(x).strides(), x.strides()) << "dense tensors keep their order";
  EXPECT_EQ(ones_like(x).dtype(), float16);
  EXPECT_EQ(empty_like(x, {.dtype = int32}).dtype(), int32);
  EXPECT_TRUE(empty_like(zeros({4, 4}).slice(1, 0, 2)).is_contiguous());
  EXPECT_EQ(empty_like(zeros({4, 4}).slice(1, 0, 2).t()).strides(), Sizes({1, 2}));
  EXPECT_EQ(numbers(full_like(zeros({1}).expand({3}), 5)), (Numbers{5, 5, 5}));
}

TEST(Creation, Ranges) {
  EXPECT_EQ(numbers(arange(4)), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(arange(4).dtype(), int64);
  EXPECT_EQ(numbers(arange(1, 8, 3)), (Numbers{1, 4, 7}));
  EXPECT_EQ(numbers(arange(5, 0, -2)), (Numbers{5, 3, 1}));
  EXPECT_EQ(arange(0., 1., 0.1).numel(), 10);
  const std::int64_t beyond = (std::int64_t{1} << 53) + 1;  // what double rounds
  EXPECT_EQ(arange(beyond, beyond + 2).numel(), 2);
  EXPECT_EQ(arange(beyond, beyond + 2)[1].item<std::int64_t>(), beyond + 1);
  constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  const Tensor wide = arange(lowest, std::numeric_limits<std::int64_t>::max(), std::int64_t{1} << 62);
  EXPECT_EQ(wide.numel(), 4);
  EXPECT_EQ(wide[3].item<std::int64_t>(), std::int64_t{1} << 62);
  EXPECT_NE(error_of([] { arange(lowest, std::numeric_limits<std::int64_t>::max()); }), "no error");
  EXPECT_EQ(arange(2.5).dtype(), float32);
  EXPECT_EQ(arange(0).numel(), 0);
  EXPECT_EQ(numbers(arange(3, {.dtype = float16})), (Numbers{0, 1, 2}));
  EXPECT_NE(error_of([] { arange(0, 5, 0); }), "no error");
  EXPECT_NE(error_of([] { arange(0, 5, -1); }), "no error");
  EXPECT_NE(error_of([] { arange(0., INFINITY); }), "no error");
  EXPECT_NE(error_of([] { arange(NAN); }), "no error");
  EXPECT_EQ(numbers(linspace(0, 1, 5)), (Numbers{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(numbers(linspace(3, 9, 1)), (Numbers{3}));
  EXPECT_EQ(numbers(linspace(0, 10, 4, {.dtype = int64})), (Numbers{0, 3, 6, 10}));
  EXPECT_EQ(linspace(0, 1, 0).numel(), 0);
  EXPECT_EQ(linspace(0.1, 0.7, 7)[6].item<float>(), 0.7f);
  EXPECT_NE(error_of([] { linspace(0, 1, -1); }), "no error");
  // To integers: all but int64 count as many elements as reals, of bounds without their fractions.
  EXPECT_EQ(numbers(arange(0., 2.5, 1., {.dtype = int32})), (Numbers{0, 1, 2}));
  EXPECT_EQ(numbers(arange(0., 2.5, 1., {.dtype = int64})), (Numbers{0, 1}));
  EXPECT_EQ(numbers(arange(2.5, 0., -1., {.dtype = int16})), (Numbers{2, 1, 0}));
  EXPECT_EQ(numbers(linspace(0.5, 5., 7, {.dtype = int32})), (Numbers{0, 0, 1, 2, 3, 4, 5}));
  EXPECT_NE(error_of([] { linspace(-3.3, 10., 4, {.dtype = uint8}); }), "no error");
}

}  // namespace
}  // namespace lectern
