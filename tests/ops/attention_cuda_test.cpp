// Attention by its kernel on a GPU, beside the composed one in float64 on the CPU.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <gtest/gtest.h>

#include "device/cuda.h"
#include "device/memory.h"
#include "ops/attention.h"
#include "ops/attention_checks.h"
#include "ops/compare.h"
#include "ops/elementwise.h"
#include "ops/expect_error.h"
#include "ops/gradients_of.h"
#include "ops/random.h"
#include "ops/reductions.h"
#include "ops/tensors.h"
#include "ops/triangle.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

using test::expect_error;
using test::kCuda;
using test::random_matrices;
using test::wide;

class FlashAttention : public testing::Test {
 protected:
  void SetUp() override {
    if (!default_device().is_cuda()) GTEST_SKIP() << "for the tests on a GPU";
    if (cuda::get_device_properties(0).major < 8) GTEST_SKIP() << "before compute capability 8.0";
    manual_seed(11);
    guard_.emplace(AttentionBackends{AttentionBackend::flash, AttentionBackend::composed});
  }

 private:
  std::optional<SdpaKernelGuard> guard_;
};

void expect_close(const std::vector<Tensor>& inputs, const AttentionOptions& options) {
  test::expect_attention_close(inputs, options, AttentionBackend::flash);
}

void expect_close(std::int64_t queries, std::int64_t keys, std::int64_t head, Dtype dtype,
                  const AttentionOptions& options = {}) {
  test::check_operands(queries, keys, head, dtype,
                       [&](const std::vector<Tensor>& inputs) { expect_close(inputs, options); });
}

TEST_F(FlashAttention, OneBlock) {
  expect_close(64, 64, 64, bfloat16);
  expect_close(64, 64, 128, float16);
}

TEST_F(FlashAttention, OfAnyLength) {
  for (const std::int64_t length : {1, 63, 65, 130}) expect_close(length, length, 64, bfloat16);
  expect_close(65, 65, 128, bfloat16);
  expect_close(130, 65, 64, float16);
  expect_close(65, 130, 128, float16);
}

TEST_F(FlashAttention, OfAnyHeadSize) {
  for (const std::int64_t head : {8, 16, 40, 80, 96})
    expect_close(70, 70, head, bfloat16, {.is_causal = true});
}

TEST_F(FlashAttention, CausalQueriesSeeWhatIsBeforeThem) {
  for (const std::int64_t head : {64, 128}) {
    for (const std::int64_t length : {1, 64, 65}) {
      expect_close(length, length, head, bfloat16, {.is_causal = true});
    }
    expect_close(150, 70, head, bfloat16, {.is_causal = true});
    expect_close(70, 150, head, float16, {.is_causal = true});
  }
}

TEST_F(FlashAttention, KeysThatNoQuerySeesHaveNoGradient) {
  for (const std::int64_t head : {64, 128}) {
    const auto of = [&](std::int64_t length) { return random_matrices({2, 4, length, head}); };
    const auto gradients =
        test::gradients_of(test::attend_with({.is_causal = true}), {of(20), of(300), of(300)}, of(20));
    for (const std::size_t operand : {1U, 2U})
      EXPECT_EQ(gradients[operand].narrow(-2, 20, 280).abs().max().item<double>(), 0);
  }
}

TEST_F(FlashAttention, AMaskSaysWhatIsSeen) {
  const Tensor mask = logical_or(rand({80, 70}) < 0.5, arange(70, {.dtype = float32}).eq(0));
  expect_close(80, 70, 64, bfloat16, {.attn_mask = mask});
  expect_close(80, 70, 128, float16, {.attn_mask = mask, .is_causal = true});
  const Tensor keys = arange(70, {.dtype = float32}) < 40;  // padding
  expect_close(80, 70, 128, bfloat16, {.attn_mask = keys.expand({80, 70})});
}

TEST_F(FlashAttention, AMaskIsAdded) {
  expect_close(80, 70, 64, bfloat16, {.attn_mask = random_matrices({80, 70})});
  expect_close(80, 70, 128, float16, {.attn_mask = random_matrices({1, 70}, float16), .is_causal = true});
}

TEST_F(FlashAttention, AQueryThatSeesNothingGetsNaN) {
  const Tensor mask = (arange(66, {.dtype = float32}) < 65).unsqueeze(1).expand({66, 66});
  const Tensor out = scaled_dot_product_attention(random_matrices({66, 64}), random_matrices({66, 64}),
                                                  random_matrices({66, 64}), {.attn_mask = mask});
  const Tensor sums = wide(out).sum({-1});
  EXPECT_FALSE(std::isnan(sums[64].item<double>()));
  EXPECT_TRUE(std::isnan(sums[65].item<double>()));
}

/// So few that blocks have parts of the keys.
TEST_F(FlashAttention, FewQueriesOfManyKeys) {
  expect_close(1, 1030, 40, bfloat16);
  expect_close({random_matrices({2, 3, 64}), random_matrices({2, 520, 64}), random_matrices({2, 520, 64})},
               {});
  expect_close(40, 520, 64, float16, {.is_causal = true});
  expect_close(3, 520, 128, bfloat16, {.attn_mask = random_matrices({3, 520})});
  const Tensor keys = arange(600, {.dtype = float32});
  expect_close(2, 600, 64, bfloat16, {.attn_mask = keys.ge(570).expand({2, 600})});
}

TEST_F(FlashAttention, AmongFewQueriesOneThatSeesNothingGetsNaN) {
  const Tensor mask = (arange(3, {.dtype = float32}) < 2).unsqueeze(1).expand({3, 600});
  const Tensor sums = wide(scaled_dot_product_attention(random_matrices({3, 64}), random_matrices({600, 64}),
                                                        random_matrices({600, 64}), {.attn_mask = mask}))
                          .sum({-1});
  EXPECT_FALSE(std::isnan(sums[1].item<double>()));
  EXPECT_TRUE(std::isnan(sums[2].item<double>()));
}

TEST_F(FlashAttention, TakesAScale) {
  expect_close(40, 50, 64, bfloat16, {.scale = 0.5});
  const Tensor x = random_matrices({40, 64});
  EXPECT_EQ(attention_backend(x, x, x, {.scale = -1}), AttentionBackend::composed);
}

TEST_F(FlashAttention, BroadcastsTheBatch) {
  expect_close(
      {random_matrices({2, 3, 70, 64}), random_matrices({2, 1, 50, 64}), random_matrices({2, 1, 50, 64})},
      {.is_causal = true});
  expect_close(
      {random_matrices({2, 3, 70, 64}), random_matrices({2, 1, 50, 64}), random_matrices({3, 50, 64})}, {});
  expect_close({random_matrices({70, 64}), random_matrices({2, 50, 64}), random_matrices({2, 50, 64})}, {});
}

TEST_F(FlashAttention, ReadsHeadsWhereTheyLie) {
  const auto heads = [](std::int64_t length) { return random_matrices({2, length, 3, 40}).transpose(1, 2); };
  const Tensor query = heads(70);
  expect_close({query, heads(60), heads(60)}, {.is_causal = true});
  const Tensor out = scaled_dot_product_attention(query, query, query);
  EXPECT_TRUE(out.transpose(1, 2).is_contiguous());
  const Tensor packed = random_matrices({2, 65, 3, 2, 64});
  const auto part = [&](std::int64_t i) { return packed.select(2, i).transpose(1, 2); };
  expect_close({part(0), part(1), part(2)}, {});
}

TEST_F(FlashAttention, CopiesWhatItCannotRead) {
  const Tensor shifted = random_matrices({65 * 64 + 1}).narrow(0, 1, 65 * 64).view({65, 64});
  const Tensor columns = random_matrices({64, 65}).mT(),
               stepped = random_matrices({65, 65}).narrow(-1, 0, 64);
  expect_close({shifted, columns, stepped}, {.is_causal = true});
}

TEST_F(FlashAttention, GroupsQueries) {
  expect_close(
      {random_matrices({2, 6, 70, 64}), random_matrices({2, 2, 50, 64}), random_matrices({2, 2, 50, 64})},
      {.is_causal = true, .enable_gqa = true});
  expect_close(
      {random_matrices({1, 4, 65, 128}), random_matrices({1, 2, 65, 128}), random_matrices({1, 2, 65, 128})},
      {.attn_mask = random_matrices({4, 65, 65}), .enable_gqa = true});
}

TEST_F(FlashAttention, GroupsOneQueryOfEachHead) {
  expect_close(
      {random_matrices({2, 6, 1, 64}), random_matrices({2, 2, 70, 64}), random_matrices({2, 2, 70, 64})},
      {.enable_gqa = true});
}

TEST_F(FlashAttention, TheBitsAreAlwaysTheSame) {
  const std::vector<Tensor> inputs{random_matrices({2, 130, 64}), random_matrices({1, 130, 64}),
                                   random_matrices({1, 130, 64})};
  const auto attend = [](const std::vector<Tensor>& in) {
    return scaled_dot_product_attention(in[0], in[1], in[2], {.is_causal = true});
  };
  const Tensor grad = random_matrices({2, 130, 64});
  EXPECT_TRUE(attend(inputs).equal(attend(inputs)));
  const auto once = test::gradients_of(attend, inputs, grad),
             twice = test::gradients_of(attend, inputs, grad);
  for (std::size_t i = 0; i < inputs.size(); ++i) EXPECT_TRUE(once[i].equal(twice[i]));
}

TEST_F(FlashAttention, Float32OfAnySize) {
  for (const std::int64_t length : {1, 31, 33, 64, 70}) expect_close(length, length, 64, float32);
  for (const std::int64_t head : {4, 12, 36, 100, 128}) {
    expect_close(40, 70, head, float32);
    expect_close(70, 40, head, float32, {.is_causal = true});
  }
  expect_close(70, 150, 64, float32, {.is_causal = true});
  expect_close(40, 50, 64, float32, {.scale = 0.5});
}

TEST_F(FlashAttention, FewQueriesOfManyKeysInFloat32) {
  for (const std::int64_t head : {12, 64, 128}) expect_close(1, 600, head, float32);
  expect_close(40, 520, 64, float32, {.is_causal = true});
  expect_close(2, 600, 128, float32, {.attn_mask = random_matrices({2, 600}, float32)});
}

TEST_F(FlashAttention, Float32WithMasks) {
  const Tensor mask = logical_or(rand({80, 70}) < 0.5, arange(70, {.dtype = float32}).eq(0));
  expect_close(80, 70, 64, float32, {.attn_mask = mask});
  expect_close(80, 70, 128, float32, {.attn_mask = mask, .is_causal = true});
  expect_close(80, 70, 64, float32, {.attn_mask = random_matrices({80, 70}, float32)});
  expect_close(40, 70, 128, float32, {.attn_mask = random_matrices({1, 70}, float32), .is_causal = true});
  const Tensor seen = (arange(34, {.dtype = float32}) < 33).unsqueeze(1).expand({34, 34}),
               x = random_matrices({34, 64}, float32);
  const Tensor sums = scaled_dot_product_attention(x, x, x, {.attn_mask = seen}).sum({-1});
  EXPECT_FALSE(std::isnan(sums[32].item<double>()));
  EXPECT_TRUE(std::isnan(sums[33].item<double>()));
}

TEST_F(FlashAttention, Float32OfManyMatrices) {
  const auto of = [](const Sizes& sizes) { return random_matrices(sizes, float32); };
  expect_close({of({2, 3, 70, 64}), of({2, 1, 50, 64}), of({2, 1, 50, 64})}, {.is_causal = true});
  expect_close({of({3, 3, 40, 12}), of({3, 1, 50, 12}), of({3, 50, 12})}, {});
  expect_close({of({1, 4, 65, 128}), of({1, 2, 65, 128}), of({1, 2, 65, 128})},
               {.attn_mask = of({4, 65, 65}), .enable_gqa = true});
  const Tensor packed = of({2, 65, 3, 2, 64});
  const auto part = [&](std::int64_t i) { return packed.select(2, i).transpose(1, 2); };
  expect_close({part(0), part(1), part(2)}, {});
  const Tensor shifted = of({65 * 64 + 1}).narrow(0, 1, 65 * 64).view({65, 64});
  expect_close({shifted, of({64, 65}).mT(), of({65, 65}).narrow(-1, 0, 64)}, {.is_causal = true});
}

TEST_F(FlashAttention, LargeBatchesOfFloat32) {
  const auto of = [](std::int64_t length) { return random_matrices({257, length, 12}, float32); };
  expect_close({of(70), of(66), of(66)}, {.is_causal = true});
  expect_close({of(70), of(66), of(66)}, {.attn_mask = random_matrices({70, 66}, float32)});
}

TEST_F(FlashAttention, TheBitsOfFloat32AreAlwaysTheSame) {
  const std::vector<Tensor> inputs{random_matrices({2, 130, 64}, float32),
                                   random_matrices({1, 130, 64}, float32),
                                   random_matrices({1, 130, 64}, float32)};
  const auto attend = [](const std::vector<Tensor>& in) {
    return scaled_dot_product_attention(in[0], in[1], in[2], {.is_causal = true});
  };
  const Tensor grad = random_matrices({2, 130, 64}, float32);
  const auto once = test::gradients_of(attend, inputs, grad),
             twice = test::gradients_of(attend, inputs, grad);
  for (std::size_t i = 0; i < inputs.size(); ++i) EXPECT_TRUE(once[i].equal(twice[i]));
}

TEST_F(FlashAttention, ItsMemoryIsLinearInTheLength) {
  const auto peak = [](std::int64_t length) {
    const Tensor q = random_matrices({length, 64}).requires_grad_(), k = random_matrices({length, 64}),
                 v = random_matrices({length, 64});
    const std::int64_t before = memory_allocated(kCuda);
    reset_peak_memory_stats(kCuda);
    scaled_dot_product_attention(q, k, v, {.is_causal = true}).sum().backward();
    return max_memory_allocated(kCuda) - before;
  };
  const std::int64_t shorter = peak(128);
  EXPECT_LT(peak(512), 4.5 * static_cast<double>(shorter));
}

TEST_F(FlashAttention, LargeLengthsOfManyBlocks) {
  for (const std::int64_t head : {64, 128}) {
    expect_close(2048, 2048, head, bfloat16, {.is_causal = true});
    expect_close(1000, 2048, head, float16);
    expect_close(1000, 2048, head, float32, {.is_causal = true});
  }
}

TEST_F(FlashAttention, LeavesTheRest) {
  const auto backend = [](const Tensor& q, const Tensor& k, const Tensor& v,
                          const AttentionOptions& options = {}) {
    return attention_backend(q, k, v, options);
  };
  const Tensor x = random_matrices({20, 64});
  EXPECT_EQ(backend(x, x, x), AttentionBackend::flash);
  EXPECT_EQ(backend(x, x, random_matrices({20, 32})), AttentionBackend::composed);
  EXPECT_EQ(backend(x.to(float32), x.to(float32), x.to(float32)), AttentionBackend::flash);
  EXPECT_EQ(backend(x.to(float64), x.to(float64), x.to(float64)), AttentionBackend::composed);
  const Tensor odd = random_matrices({20, 10}, float32);
  EXPECT_EQ(backend(odd, odd, odd), AttentionBackend::composed);
  const Tensor narrow = random_matrices({20, 12}), broad = random_matrices({20, 136});
  EXPECT_EQ(backend(narrow, narrow, narrow), AttentionBackend::composed);
  EXPECT_EQ(backend(broad, broad, broad), AttentionBackend::composed);
  const Tensor learnt = random_matrices({20, 20}).requires_grad_();
  EXPECT_EQ(backend(x, x, x, {.attn_mask = learnt}), AttentionBackend::composed);
  EXPECT_EQ(backend(x.to(cpu), x.to(cpu), x.to(cpu)), AttentionBackend::composed);
}

}  // namespace
}  // namespace lectern
