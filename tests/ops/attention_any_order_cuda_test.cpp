// The gradients of attention in one pass, where blocks add to that of query, beside the composed ones in
// float64 on the CPU. Attention of fewer pairs than kManyPairs makes them so only here.
#include <vector>

#include <gtest/gtest.h>

#include "device/cuda.h"
#include "device/deterministic.h"
#include "ops/attention_checks.h"
#include "ops/attention_fused.h"
#include "ops/random.h"
#include "ops/tensors.h"
#include "tensor/creation.h"
#ifdef LECTERN_GPU_IS_SIMULATED
#include "simulated_gpu/mma.h"
#endif

namespace lectern {
namespace {

using test::random_matrices;

class AttentionInAnyOrder : public testing::Test {
 protected:
  void SetUp() override {
    if (!default_device().is_cuda()) GTEST_SKIP() << "for the tests on a GPU";
    if (cuda::get_device_properties(0).major < 9) GTEST_SKIP() << "before compute capability 9.0";
    manual_seed(13);
  }
};

std::vector<Tensor> gradients_in_any_order(const std::vector<Tensor>& inputs, const AttentionOptions& options,
                                           const Tensor& grad) {
  const FusedAttention fused(inputs[0], inputs[1], inputs[2], options, {AttentionBackend::flash});
  const auto made = fused.backward(fused.forward(), grad, true, true, false);
  return {made.query, made.key, made.value};
}

void expect_gradients_close(const std::vector<Tensor>& inputs, const AttentionOptions& options) {
  Sizes sizes = inputs[0].sizes();
  const Tensor grad = random_matrices(sizes, inputs[0].dtype());
  test::expect_attention_gradients_close(gradients_in_any_order(inputs, options, grad), inputs, options,
                                         grad);
}

void expect_gradients_close(std::int64_t queries, std::int64_t keys, std::int64_t head, Dtype dtype,
                            const AttentionOptions& options = {}) {
  test::check_operands(queries, keys, head, dtype,
                       [&](const std::vector<Tensor>& inputs) { expect_gradients_close(inputs, options); });
}

TEST_F(AttentionInAnyOrder, OfAnyLength) {
  for (const std::int64_t length : {1, 65, 130}) {
    expect_gradients_close(length, length, 64, bfloat16);
    expect_gradients_close(length, length, 128, float16);
  }
  expect_gradients_close(150, 70, 128, bfloat16);
  expect_gradients_close(70, 150, 64, float16, {.scale = 0.5});
}

TEST_F(AttentionInAnyOrder, OfAnyHeadSize) {
  for (const std::int64_t head : {8, 40, 72, 96})
    expect_gradients_close(70, 70, head, bfloat16, {.is_causal = true});
}

TEST_F(AttentionInAnyOrder, CausalQueriesSeeWhatIsBeforeThem) {
  for (const std::int64_t head : {64, 128}) {
    expect_gradients_close(200, 200, head, bfloat16, {.is_causal = true});
    expect_gradients_close(150, 70, head, float16, {.is_causal = true});
    expect_gradients_close(70, 300, head, bfloat16, {.is_causal = true});
  }
}

TEST_F(AttentionInAnyOrder, KeysThatNoQuerySeesHaveNoGradient) {
  for (const std::int64_t head : {64, 128}) {
    const auto of = [&](std::int64_t length) { return random_matrices({2, 4, length, head}); };
    const auto gradients = gradients_in_any_order({of(20), of(300), of(300)}, {.is_causal = true}, of(20));
    for (const std::size_t operand : {1U, 2U})
      EXPECT_EQ(gradients[operand].narrow(-2, 20, 280).abs().max().item<double>(), 0);
  }
}

TEST_F(AttentionInAnyOrder, OfManyMatricesWhereTheyLie) {
  const auto heads = [](std::int64_t length) { return random_matrices({2, length, 3, 40}).transpose(1, 2); };
  expect_gradients_close({heads(70), heads(60), heads(60)}, {.is_causal = true});
  const Tensor packed = random_matrices({2, 65, 3, 2, 128});
  const auto part = [&](std::int64_t i) { return packed.select(2, i).transpose(1, 2); };
  expect_gradients_close({part(0), part(1), part(2)}, {});
}

TEST_F(AttentionInAnyOrder, SumsWhatSeveralMatricesShare) {
  expect_gradients_close({random_matrices({2, 3, 70, 128}), random_matrices({2, 1, 130, 128}),
                          random_matrices({2, 1, 130, 128})},
                         {.is_causal = true});
}

TEST_F(AttentionInAnyOrder, ReadsWithoutBankConflicts) {
#ifdef LECTERN_GPU_IS_SIMULATED
  const std::int64_t before = test::bank_conflicts;
  for (const std::int64_t head : {64, 128}) expect_gradients_close(130, 130, head, bfloat16);
  EXPECT_EQ(test::bank_conflicts, before);
#else
  GTEST_SKIP() << "the simulated GPU counts them";
#endif
}

TEST_F(AttentionInAnyOrder, OnlyOfManyPairs) {
  const auto must_be_deterministic = [](std::int64_t queries, std::int64_t keys) {
    const auto of = [](std::int64_t length) { return empty({length, 64}, {.dtype = bfloat16}); };
    return FusedAttention(of(queries), of(keys), of(keys), {}, {AttentionBackend::flash})
        .must_be_deterministic();
  };
  EXPECT_TRUE(must_be_deterministic(4096, 4095));
  EXPECT_FALSE(must_be_deterministic(4096, 4096));
  use_deterministic_algorithms(true);
  EXPECT_TRUE(must_be_deterministic(4096, 4096));
  use_deterministic_algorithms(false);
}

TEST_F(AttentionInAnyOrder, LargeLengths) {
  for (const std::int64_t head : {64, 128}) {
    const SdpaKernelGuard guard({AttentionBackend::flash});
    test::expect_attention_close(
        {random_matrices({4096, head}), random_matrices({4096, head}), random_matrices({4096, head})},
        {.is_causal = true}, AttentionBackend::flash);
  }
}

}  // namespace
}  // namespace lectern
