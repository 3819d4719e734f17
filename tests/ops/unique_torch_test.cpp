#include <gtest/gtest.h>

#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/torch_reference.h"
#include "ops/unique.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::expect_error;
using test::In;
using test::Out;
using test::TorchRow;

TEST(TorchOrder, Unique) {
  std::vector<TorchRow> rows;
  const std::string whole = "((a * 4).trunc() if a.is_floating_point() else a)";
  for (const Sizes& sizes : {Sizes{30}, Sizes{4, 9}, Sizes{}, Sizes{0}, Sizes{1}, Sizes{2, 3, 5}}) {
    rows.push_back({"torch.unique(" + whole + ", return_inverse=True, return_counts=True)",
                    {sizes},
                    {float64, float32, int64, int32, int16, int8, uint8, bool_},
                    [](const In& in) {
                      const Tensor x = in[0].is_floating_point() ? trunc(in[0] * 4) : in[0];
                      const auto [values, inverse, counts] = x.unique(true, true, true);
                      return Out{values, inverse, counts};
                    },
                    0,
                    0,
                    false});
    rows.push_back({"torch.unique(a)",
                    {sizes},
                    {float64, int64, bool_},
                    [](const In& in) { return Out{unique(in[0]).values}; },
                    0,
                    0,
                    false});
  }
  test::expect_as_torch(rows);
}

TEST(TorchOrder, UniqueSlices) {
  std::vector<TorchRow> rows;
  for (const auto& [sizes, dim] : std::initializer_list<std::pair<Sizes, std::int64_t>>{{{40, 2}, 0},
                                                                                        {{2, 40}, 1},
                                                                                        {{3, 30, 1}, -2},
                                                                                        {{2, 20, 2}, 1},
                                                                                        {{30}, 0},
                                                                                        {{0, 3}, 0},
                                                                                        {{3, 0}, 0}}) {
    const std::int64_t along = dim;
    rows.push_back(
        {"torch.unique((a * 1.5).round() if a.is_floating_point() else a % 3, return_inverse=True, "
         "return_counts=True, dim=" +
             std::to_string(dim) + ")",
         {sizes},
         {float64, float32, int64, uint8},
         [=](const In& in) {
           const Tensor x = in[0].is_floating_point() ? round(in[0] * 1.5) : in[0] % 3;
           const auto [values, inverse, counts] = x.unique(true, true, true, along);
           return Out{values, inverse, counts};
         },
         0,
         0,
         false});
  }
  test::expect_as_torch(rows);
}

TEST(Unique, RefusesSlicesWithoutElements) {
  expect_error(
      [] {
        unique(ones({3, 0}), true, false, false, 0);
      },
      "unique: the other dimensions must be of size 1 or more, not [3, 0]");
}

}  // namespace
}  // namespace lectern
