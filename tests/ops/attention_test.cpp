#include "ops/attention.h"

#include <cmath>

#include <gtest/gtest.h>

#include "autograd/backward.h"
#include "device/counters.h"
#include "device/memory.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/matmul.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "ops/selection.h"
#include "ops/softmax.h"
#include "ops/triangle.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::expect_error;

/// The same with the whole matrix of weights.
Tensor composed(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& seen) {
  const Tensor scores = matmul(q, k.mT()) / std::sqrt(static_cast<double>(q.size(-1)));
  return matmul(softmax(masked_fill(scores, seen.logical_not(), -HUGE_VAL), -1), v);
}

void expect_as_composed(const std::vector<Sizes>& sizes, const AttentionOptions& options,
                        const Tensor& seen) {
  manual_seed(5);
  std::vector<Tensor> inputs;
  for (const Sizes& shape : sizes) inputs.push_back(randn(shape, {.dtype = float64, .requires_grad = true}));
  const Tensor ours = scaled_dot_product_attention(inputs[0], inputs[1], inputs[2], options);
  const Tensor expected = composed(inputs[0], inputs[1], inputs[2], seen);
  EXPECT_TRUE(ours.allclose(expected, 1e-12, 1e-12));
  const Tensor grad = randn(ours.sizes(), {.dtype = float64});
  const auto gradients = autograd::grad({ours}, inputs, {grad});
  const auto wanted = autograd::grad({expected}, inputs, {grad});
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(gradients[i].sizes(), inputs[i].sizes());
    EXPECT_TRUE(gradients[i].allclose(wanted[i], 1e-10, 1e-12)) << "of input " << i;
  }
}

Tensor all_seen(std::int64_t queries, std::int64_t keys) {
  return ones({queries, keys}, {.dtype = bool_});
}

TEST(Attention, IsThatOfTheWholeMatrix) {
  expect_as_composed({{2, 3, 7, 4}, {2, 3, 7, 4}, {2, 3, 7, 5}}, {}, all_seen(7, 7));
  expect_as_composed({{5, 4}, {9, 4}, {9, 3}}, {}, all_seen(5, 9));
  expect_as_composed({{2, 3, 130, 4}, {2, 1, 65, 4}, {3, 65, 2}}, {}, all_seen(130, 65));
  expect_as_composed({{1, 1, 1}, {1, 1, 1}, {1, 1, 1}}, {}, all_seen(1, 1));
}

TEST(Attention, CausalQueriesSeeWhatIsBeforeThem) {
  for (const std::int64_t length : {1, 63, 64, 65, 200}) {
    const AttentionOptions causal{.is_causal = true};
    expect_as_composed({{2, length, 4}, {2, length, 4}, {2, length, 4}}, causal,
                       all_seen(length, length).tril());
  }
  expect_as_composed({{130, 4}, {70, 4}, {70, 4}}, {.is_causal = true}, all_seen(130, 70).tril());
  expect_as_composed({{70, 4}, {130, 4}, {130, 4}}, {.is_causal = true}, all_seen(70, 130).tril());
}

TEST(Attention, AMaskSaysWhatIsSeen) {
  manual_seed(6);
  const Tensor mask = logical_or(rand({2, 1, 80, 70}) < 0.5, eye(80, 70).to(bool_) > 0);
  const Tensor rows =
      logical_or(mask, zeros({70}).eq(arange(70, {.dtype = float32})));  // the first key by all
  expect_as_composed({{2, 3, 80, 4}, {2, 3, 70, 4}, {2, 3, 70, 4}}, {.attn_mask = rows}, rows);
}

TEST(Attention, AMaskThatIsAddedHasAGradient) {
  manual_seed(6);
  const TensorOptions learnt{.dtype = float64, .requires_grad = true};
  const Tensor q = randn({2, 130, 4}, learnt), k = randn({2, 70, 4}, learnt), v = randn({2, 70, 3}, learnt);
  const Tensor added = randn({130, 70}, learnt), grad = randn({2, 130, 3}, {.dtype = float64});
  const Tensor ours = scaled_dot_product_attention(q, k, v, {.attn_mask = added});
  const Tensor expected = matmul(softmax(matmul(q, k.mT()) / 2 + added, -1), v);
  EXPECT_TRUE(ours.allclose(expected, 1e-12, 1e-12));
  const auto gradients = autograd::grad({ours}, {q, k, v, added}, {grad});
  const auto wanted = autograd::grad({expected}, {q, k, v, added}, {grad});
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_TRUE(gradients[i].allclose(wanted[i], 1e-10, 1e-12));
}

TEST(Attention, AQueryThatSeesNothingGetsNaN) {
  const Tensor mask = tensor({{true, false}, {false, false}});
  const Tensor out =
      scaled_dot_product_attention(ones({2, 3}), ones({2, 3}), ones({2, 3}), {.attn_mask = mask});
  EXPECT_EQ(out[0][0].item<double>(), 1);
  EXPECT_TRUE(std::isnan(out[1][0].item<double>()));
}

TEST(Attention, NarrowDtypesAreRoundedOnce) {
  manual_seed(7);
  const Tensor q = randn({2, 40, 8}, {.dtype = bfloat16}), k = randn({2, 40, 8}, {.dtype = bfloat16});
  const Tensor v = randn({2, 40, 12}, {.dtype = bfloat16});
  ASSERT_EQ(attention_backend(q, k, v), AttentionBackend::composed);
  const Tensor out = scaled_dot_product_attention(q, k, v, {.is_causal = true});
  const Tensor wide =
      scaled_dot_product_attention(q.to(float32), k.to(float32), v.to(float32), {.is_causal = true});
  EXPECT_EQ(out.dtype(), bfloat16);
  EXPECT_TRUE(out.equal(wide.to(bfloat16)));
}

/// Beside keys and values repeated for each head of the query.
void expect_heads_share(std::int64_t queries, AttentionOptions options) {
  manual_seed(8);
  const TensorOptions learnt{.dtype = float64, .requires_grad = true};
  const Tensor q = randn({2, 6, queries, 4}, learnt), k = randn({2, 2, 9, 4}, learnt);
  const Tensor v = randn({2, 2, 9, 3}, learnt), grad = randn({2, 6, queries, 3}, {.dtype = float64});
  const auto repeated = [](const Tensor& x) {
    return x.unsqueeze(2).expand({2, 2, 3, x.size(-2), x.size(-1)}).flatten(1, 2);
  };
  const Tensor expected = scaled_dot_product_attention(q, repeated(k), repeated(v), options);
  options.enable_gqa = true;
  const Tensor ours = scaled_dot_product_attention(q, k, v, options);
  EXPECT_EQ(ours.sizes(), expected.sizes());
  EXPECT_TRUE(ours.allclose(expected, 1e-12, 1e-12));
  const auto gradients = autograd::grad({ours}, {q, k, v}, {grad});
  const auto wanted = autograd::grad({expected}, {q, k, v}, {grad});
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(gradients[i].allclose(wanted[i], 1e-10, 1e-12));
}

TEST(Attention, HeadsOfQueriesShareThoseOfKeys) {
  for (const Sizes& sizes : {Sizes{7, 9}, Sizes{2, 1, 7, 9}, Sizes{6, 1, 9}}) {
    expect_heads_share(7, {.attn_mask = randn(sizes, {.dtype = float64})});
  }
}

TEST(Attention, OneQueryOfEachHeadSharesKeys) {
  expect_heads_share(1, {});
  expect_heads_share(1, {.scale = 0.25});
  expect_heads_share(1, {.is_causal = true});
  expect_heads_share(1, {.attn_mask = randn({6, 1, 9}, {.dtype = float64})});
}

TEST(Attention, ItsMemoryIsLinearInTheLength) {
  const auto peak = [](std::int64_t length, bool is_padded) {
    const Tensor q = rand({2, length, 8}, {.requires_grad = true}), k = rand({2, length, 8});
    const Tensor v = rand({2, length, 8}, {.requires_grad = true});
    AttentionOptions options{.is_causal = !is_padded};
    if (is_padded) options.attn_mask = ones({2, 1, length}, {.dtype = bool_});
    const std::int64_t before = memory_allocated(default_device());
    reset_peak_memory_stats(default_device());
    scaled_dot_product_attention(q, k, v, options).sum().backward();
    return max_memory_allocated(default_device()) - before;
  };
  for (const bool is_padded : {false, true})
    EXPECT_LT(peak(2048, is_padded), 4.5 * static_cast<double>(peak(512, is_padded))) << is_padded;
}

TEST(Attention, ErrorsNameTheShapes) {
  const auto attend = [](const Sizes& q, const Sizes& k, const Sizes& v,
                         const AttentionOptions& options = {}) {
    scaled_dot_product_attention(zeros(q), zeros(k), zeros(v), options);
  };
  const std::string name = "scaled_dot_product_attention: ";
  expect_error(
      [&] {
        attend({4}, {3, 4}, {3, 4});
      },
      name + "query, key and value must be of two dimensions or more, not of [4], [3, 4] and [3, 4]");
  expect_error(
      [&] {
        attend({2, 4}, {3, 5}, {3, 4});
      },
      name +
          "the shapes of query, key and value must be […, L, E], […, S, E] and […, S, Ev], not "
          "[2, 4], [3, 5] and [3, 4]");
  expect_error(
      [&] {
        attend({2, 4}, {3, 4}, {3, 4}, {.attn_mask = zeros({2, 3}, {.dtype = int64})});
      },
      name + "the dtype of attn_mask must be bool or float32, not int64");
  expect_error(
      [&] {
        attend({3, 2, 4}, {2, 5, 4}, {2, 5, 4}, {.enable_gqa = true});
      },
      name +
          "the shapes with enable_gqa must be […, n H, L, E], […, H, S, E] and […, H, S, Ev], not "
          "[3, 2, 4], [2, 5, 4] and [2, 5, 4]");
  expect_error(
      [&] {
        scaled_dot_product_attention(zeros({2, 4}), zeros({3, 4}), zeros({3, 4}, {.dtype = float64}));
      },
      name + "the dtypes must be floating and the same, not float32 and float64");
}

}  // namespace
}  // namespace lectern
