// Attention by cuDNN, beside the composed one in float64 on the CPU and beside our own kernel.
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "device/cuda.h"
#include "device/deterministic.h"
#include "device/memory.h"
#include "ops/attention.h"
#include "ops/attention_checks.h"
#include "ops/compare.h"
#include "ops/expect_error.h"
#include "ops/tensors.h"
#include "tensor/creation.h"
#include "tensor/cuda_graph.h"

namespace lectern {
namespace {

using test::kCuda;
using test::random_matrices;

constexpr AttentionBackend kFlash = AttentionBackend::flash, kCudnn = AttentionBackend::cudnn,
                           kComposed = AttentionBackend::composed;

class CudnnAttention : public testing::Test {
 protected:
  void SetUp() override {
    if (!default_device().is_cuda()) GTEST_SKIP() << "for the tests on a GPU";
    if (cuda::cudnn_version() == 0) GTEST_SKIP() << "cuDNN 9 is not found";
    if (cuda::get_device_properties(0).major < 9) GTEST_SKIP() << "before compute capability 9.0";
    manual_seed(12);
    guard_.emplace(AttentionBackends{kCudnn, kComposed});
  }

 private:
  std::optional<SdpaKernelGuard> guard_;
};

Tensor attend_causally(const std::vector<Tensor>& in) {
  return scaled_dot_product_attention(in[0], in[1], in[2], {.is_causal = true});
}

/// Of heads of one batch, beside the composed one.
void expect_cudnn_close(std::int64_t queries, std::int64_t keys, std::int64_t head, Dtype dtype,
                        bool is_causal) {
  SCOPED_TRACE(std::to_string(queries) + " queries, " + std::to_string(keys) + " keys, head " +
               std::to_string(head) + ", " + std::string(name(dtype)) + (is_causal ? ", causal" : ""));
  test::expect_attention_close(
      {random_matrices({2, 3, queries, head}, dtype), random_matrices({2, 3, keys, head}, dtype),
       random_matrices({2, 3, keys, head}, dtype)},
      {.is_causal = is_causal}, kCudnn);
}

TEST_F(CudnnAttention, OfAnyLength) {
  for (const std::int64_t length : {7, 64, 257}) {
    expect_cudnn_close(length, length, 64, bfloat16, true);
    expect_cudnn_close(length, length, 128, float16, false);
  }
  expect_cudnn_close(1, 1, 64, bfloat16, false);
  expect_cudnn_close(1, 300, 128, bfloat16, false);
}

TEST_F(CudnnAttention, OfAsManyKeysAsQueriesOrNot) {
  for (const bool is_causal : {false, true}) {
    expect_cudnn_close(64, 257, 64, bfloat16, is_causal);
    expect_cudnn_close(257, 64, 128, float16, is_causal);
  }
}

TEST_F(CudnnAttention, OfAnyHeadSize) {
  for (const std::int64_t head : {8, 40, 96}) expect_cudnn_close(130, 130, head, bfloat16, true);
}

TEST_F(CudnnAttention, TakesAScale) {
  test::expect_attention_close(
      {random_matrices({3, 70, 64}), random_matrices({3, 70, 64}), random_matrices({3, 70, 64})},
      {.scale = 0.5}, kCudnn);
}

TEST_F(CudnnAttention, GroupsQueries) {
  for (const std::int64_t key_heads : {1, 2}) {
    const Sizes keys{2, key_heads, 130, 64};
    test::expect_attention_close(
        {random_matrices({2, 6, 130, 64}), random_matrices(keys), random_matrices(keys)},
        {.is_causal = true, .enable_gqa = true}, kCudnn);
  }
  test::expect_attention_close(
      {random_matrices({2, 3, 70, 64}), random_matrices({2, 1, 50, 64}), random_matrices({2, 1, 50, 64})}, {},
      kCudnn);
}

TEST_F(CudnnAttention, ReadsHeadsWhereTheyLie) {
  const auto heads = [](std::int64_t count, std::int64_t length) {
    return random_matrices({2, length, count, 64}).transpose(1, 2);
  };
  test::expect_attention_close({heads(4, 130), heads(4, 70), heads(4, 70)}, {.is_causal = true}, kCudnn);
  test::expect_attention_close({heads(4, 130), heads(2, 130), heads(2, 130)}, {.enable_gqa = true}, kCudnn);
  const Tensor packed = random_matrices({2, 65, 3, 2, 64});
  const auto part = [&](std::int64_t i) { return packed.select(2, i).transpose(1, 2); };
  test::expect_attention_close({part(0), part(1), part(2)}, {}, kCudnn);
}

/// Causal where there are as many keys as queries.
void expect_cudnn_is_as_flash(const Sizes& queries, const Sizes& keys, Dtype dtype) {
  const std::vector<Tensor> inputs{random_matrices(queries, dtype), random_matrices(keys, dtype),
                                   random_matrices(keys, dtype)};
  const Tensor grad = random_matrices(queries, dtype);
  const auto attend = [&](const std::vector<Tensor>& in) {
    return scaled_dot_product_attention(in[0], in[1], in[2],
                                        {.is_causal = queries == keys, .enable_gqa = true});
  };
  std::vector<Tensor> results[2];
  for (const AttentionBackend backend : {kCudnn, kFlash}) {
    const SdpaKernelGuard guard({backend});
    auto& mine = results[backend == kFlash ? 1 : 0];
    mine = test::gradients_of(attend, inputs, grad);
    mine.push_back(attend(inputs));
  }
  const double rounding = dtype == bfloat16 ? 0x1p-8 : 0x1p-11;
  for (std::size_t i = 0; i < results[0].size(); ++i)
    EXPECT_LT(test::difference(results[0][i], test::wide(results[1][i])), 3 * rounding) << i;
}

TEST_F(CudnnAttention, AgreesWithFlash) {
  for (const Dtype dtype : {bfloat16, float16}) {
    const Sizes sizes{2, 4, 1024, 128};
    expect_cudnn_is_as_flash(sizes, sizes, dtype);
  }
}

/// From where on the gradient is added up in any order.
constexpr std::int64_t kLong = 4096, kLongHeads = 9;

TEST_F(CudnnAttention, OfLongSequencesAgreesWithFlash) {
  for (const Dtype dtype : {bfloat16, float16}) {
    const Sizes sizes{kLongHeads, kLong, 64};
    expect_cudnn_is_as_flash(sizes, sizes, dtype);
  }
  const Sizes queries{1, kLongHeads, kLong + 4, 128};
  expect_cudnn_is_as_flash(queries, queries, bfloat16);
  expect_cudnn_is_as_flash(queries, {1, 3, kLong + 128, 128}, bfloat16);
}

/// The bytes that the gradients of bfloat16 matrices take at most, beside these.
std::int64_t peak_of_gradients(const Sizes& sizes) {
  const Tensor q = random_matrices(sizes).requires_grad_(), k = random_matrices(sizes).requires_grad_(),
               v = random_matrices(sizes).requires_grad_();
  const Tensor out = attend_causally({q, k, v}), grad = random_matrices(sizes);
  const std::int64_t before = memory_allocated(kCuda);
  reset_peak_memory_stats(kCuda);
  autograd::grad({out}, {q, k, v}, {grad});
  return max_memory_allocated(kCuda) - before;
}

/// It is known by the float32 sums.
TEST_F(CudnnAttention, MemoryOfLongSequencesIsLinear) {
  if (cuda::get_device_properties(0).major != 9) GTEST_SKIP() << "cuDNN's is for compute capability 9.x";
  const std::int64_t peak = peak_of_gradients({kLongHeads, kLong, 64});
  const std::int64_t matrices = kLongHeads * kLong * 64 * 2, gradients = 3 * matrices, sums = 2 * matrices;
  EXPECT_GE(peak, gradients + sums);
  EXPECT_LT(peak, 8 * matrices);
}

/// Of cuDNN's result flash computes the gradient, which reads its logarithms.
TEST_F(CudnnAttention, FlashTakesTheGradientWhenAllIsToBeDeterministic) {
  const std::vector<Tensor> inputs{random_matrices({3, 257, 64}), random_matrices({3, 257, 64}),
                                   random_matrices({3, 257, 64})};
  const Tensor grad = random_matrices({3, 257, 64});
  const auto gradient = [&](bool is_switched) {
    const auto attend = [&](const std::vector<Tensor>& in) {
      const Tensor out = attend_causally(in);
      use_deterministic_algorithms(is_switched);
      return out;
    };
    const auto made = test::gradients_of(attend, inputs, grad);
    use_deterministic_algorithms(false);
    return made;
  };
  const auto by_cudnn = gradient(false), by_flash = gradient(true);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    EXPECT_LT(test::difference(by_flash[i], test::wide(by_cudnn[i])), 3 * 0x1p-8) << i;
}

TEST_F(CudnnAttention, TheBitsAreAlwaysTheSame) {
  const std::vector<Tensor> inputs{random_matrices({2, 4, 700, 64}), random_matrices({2, 4, 700, 64}),
                                   random_matrices({2, 4, 700, 64})};
  const Tensor grad = random_matrices({2, 4, 700, 64});
  const auto once = test::gradients_of(attend_causally, inputs, grad);
  for (int again = 0; again < 3; ++again) {
    const auto twice = test::gradients_of(attend_causally, inputs, grad);
    for (std::size_t i = 0; i < inputs.size(); ++i) EXPECT_TRUE(once[i].equal(twice[i])) << i;
  }
}

/// Its gradient is known by what it stores.
TEST_F(CudnnAttention, ItsGradientIsItsOwn) {
  if (cuda::get_device_properties(0).major != 9) GTEST_SKIP() << "cuDNN's is for compute capability 9.x";
  EXPECT_GT(peak_of_gradients({16, 1024, 64}), std::int64_t{16} * 1024 * 1024 * 2);
}

TEST_F(CudnnAttention, IsCapturedOnceItsPlanIsThere) {
  const Tensor q = random_matrices({4, 600, 64}), k = random_matrices({4, 600, 64}),
               v = random_matrices({4, 600, 64});
  const Tensor grad = random_matrices({4, 600, 64});
  const auto gradients = [&] { return test::gradients_of(attend_causally, {q, k, v}, grad); };
  gradients();
  std::vector<Tensor> replayed;
  cuda::CUDAGraph graph;
  graph.capture([&] {
    EXPECT_EQ(attention_backend(q, k, v, {.is_causal = true}), kCudnn);
    replayed = gradients();
  });
  q.copy_(random_matrices({4, 600, 64}));
  graph.replay();
  const auto wanted = gradients();
  for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_TRUE(replayed[i].equal(wanted[i])) << i;

  const SdpaKernelGuard both({kCudnn, kFlash});
  const Tensor other = random_matrices({3, 613, 64});
  cuda::CUDAGraph second;
  second.capture([&] {
    EXPECT_EQ(attention_backend(other, other, other), kFlash) << "there is no plan for that length";
    scaled_dot_product_attention(other, other, other);
  });
}

TEST_F(CudnnAttention, ThreadsShareItsPlans) {
  const std::vector<Tensor> inputs{random_matrices({2, 300, 64}), random_matrices({2, 300, 64}),
                                   random_matrices({2, 300, 64})};
  const AttentionBackends allowed = allowed_attention_backends();
  std::vector<Tensor> results(4);
  std::vector<std::thread> threads;
  for (Tensor& result : results) {
    threads.emplace_back([&, allowed] {
      const SdpaKernelGuard guard(allowed);
      result = attend_causally(inputs);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Tensor& result : results) EXPECT_TRUE(result.equal(results[0]));
}

TEST_F(CudnnAttention, IsChosenForLongSequencesWithoutAMask) {
  const SdpaKernelGuard all({kCudnn, kFlash, kComposed});
  const Tensor shorter = random_matrices({2, 511, 64}), longer = random_matrices({2, 512, 64});
  EXPECT_EQ(attention_backend(shorter, longer, longer), kFlash);
  EXPECT_EQ(attention_backend(longer, longer, longer), kCudnn);
  EXPECT_EQ(attention_backend(longer, longer, longer, {.attn_mask = random_matrices({512, 512})}), kFlash);
  use_deterministic_algorithms(true);
  EXPECT_EQ(attention_backend(longer, longer, longer), kFlash);
  use_deterministic_algorithms(false);
}

TEST(AttentionBackendsTest, AGuardAllowsOnlySome) {
  const Tensor x = ones({4, 8}, {.dtype = float64});  // which only the composed way takes
  {
    const SdpaKernelGuard guard({kFlash, kCudnn});
    EXPECT_FALSE(allowed_attention_backends().has(kComposed));
    EXPECT_PROBLEM(scaled_dot_product_attention(x, x, x), "no backend that the SdpaKernelGuard allows");
    const SdpaKernelGuard inner({kComposed});
    EXPECT_EQ(attention_backend(x, x, x), kComposed);
  }
  EXPECT_TRUE(allowed_attention_backends().has(kFlash));
  EXPECT_EQ(scaled_dot_product_attention(x, x, x).sizes(), x.sizes());
}

}  // namespace
}  // namespace lectern
