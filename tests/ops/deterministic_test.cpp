#include "device/deterministic.h"

#include <functional>
#include <map>

#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "ops/attention.h"
#include "ops/drawn_indices.h"
#include "ops/embedding.h"
#include "ops/expect_error.h"
#include "ops/gather.h"
#include "ops/index.h"
#include "ops/matmul.h"
#include "ops/scan.h"
#include "ops/scatter_reduce.h"
#include "ops/softmax.h"
#include "ops/sort.h"
#include "ops/tensors.h"
#include "ops/unique.h"

namespace lectern {
namespace {

class Deterministic : public testing::Test {
 protected:
  void SetUp() override { use_deterministic_algorithms(true); }
  void TearDown() override { use_deterministic_algorithms(false); }
};

TEST_F(Deterministic, AnOperationWithoutSuchAFormIsAnError) {
  EXPECT_TRUE(are_deterministic_algorithms_enabled());
  test::expect_error(
      [] { alert_not_deterministic("atomic_histogram"); },
      "atomic_histogram: it has no deterministic form, and use_deterministic_algorithms(true) was "
      "called; call it with false to allow results that differ from run to run");
  use_deterministic_algorithms(false);
  EXPECT_FALSE(are_deterministic_algorithms_enabled());
  EXPECT_NO_THROW(alert_not_deterministic("atomic_histogram"));
}

TEST_F(Deterministic, NewTensorsHoldWhatIsNoNumber) {
  for (const Dtype dtype : test::kAllDtypes) {
    for (const Tensor& x : {empty({3}, {.dtype = dtype}), empty_like(zeros({3}, {.dtype = dtype}))}) {
      for (std::int64_t i = 0; i < 3; ++i) {
        const double value = test::number(x, {i});
        if (is_floating_point(dtype)) {
          EXPECT_TRUE(value != value) << name(dtype);
        } else {
          EXPECT_GE(value, dtype == bool_ ? 1 : 127) << name(dtype);
        }
      }
    }
  }
  EXPECT_EQ(empty({0}).numel(), 0);
}

// Where many threads write to few elements.
TEST_F(Deterministic, OperationsGiveTheSameBitsAgain) {
  const Tensor index = test::draw_indices({40000}, 0, 7).tensor;
  const Tensor x = test::uniform({40000}, float32), rows = test::uniform({40000, 3}, float32, 2);
  const Tensor heads = test::uniform({1, 2, 64, 16}, float32, 3);
  const auto gradient = [](const Tensor& input, const std::function<Tensor(const Tensor&)>& function) {
    const Tensor leaf = input.clone().requires_grad_();
    return autograd::grad({function(leaf).square().sum()}, {leaf})[0];
  };
  const std::map<std::string, std::function<Tensor()>> operations = {
      {"sum", [&] { return x.sum(); }},
      {"cumsum", [&] { return x.cumsum(0); }},
      {"sort", [&] { return sort(x).indices; }},
      {"unique", [&] { return unique(index, true, true).inverse_indices; }},
      {"index_add", [&] { return zeros({7}).index_add_(0, index, x); }},
      {"index_put", [&] { return zeros({7}).index_put_({index}, x); }},
      {"scatter", [&] { return zeros({7}).scatter_(0, index, x); }},
      {"scatter_add", [&] { return zeros({7}).scatter_add_(0, index, x); }},
      {"scatter_reduce", [&] { return zeros({7}).scatter_reduce(0, index, x, "amax"); }},
      {"bincount", [&] { return bincount(index, x); }},
      {"softmax", [&] { return rows.softmax(0); }},
      {"matmul", [&] { return matmul(rows.t(), rows); }},
      {"gradient of gather",
       [&] {
         return gradient(test::uniform({7}, float32), [&](const Tensor& w) { return w.gather(0, index); });
       }},
      {"gradient of embedding",
       [&] {
         return gradient(test::uniform({7, 3}, float32),
                         [&](const Tensor& w) { return embedding(index, w); });
       }},
      {"gradient of attention",
       [&] {
         return gradient(heads, [](const Tensor& h) {
           return scaled_dot_product_attention(h, h, h, {.is_causal = true});
         });
       }},
  };
  for (const auto& [name, operation] : operations) {
    const Tensor first = operation().contiguous();
    for (int again = 0; again < 3; ++again)
      EXPECT_TRUE(test::same_bits(operation().contiguous(), first)) << name;
  }
}

}  // namespace
}  // namespace lectern
