// Tensors on a GPU: what moves, what is made there, and what of it the host sees.
#include "device/cuda.h"

#include <string>

#include <gtest/gtest.h>

#include "base/tensor_error.h"
#include "device/counters.h"
#include "device/fake_gpus.h"
#include "device/memory.h"
#include "device/stream.h"
#include "ops/tensors.h"
#include "tensor/creation.h"
#include "tensor/elements.h"
#include "tensor/print.h"

namespace lectern {
namespace {

class TensorsOnCuda : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::is_available()) GTEST_SKIP() << "needs a GPU: " << cuda::unavailable_reason();
  }
};

TEST_F(TensorsOnCuda, NumbersComeBackAsTheyWent) {
  for (const Dtype dtype : test::kAllDtypes) {
    for (const test::Laid& laid : test::layouts({3, 4, 5}, dtype)) {
      SCOPED_TRACE(std::string(name(dtype)) + " " + laid.how);
      const Tensor there = laid.tensor.to("cuda");
      EXPECT_EQ(there.device().name(), "cuda:0");
      EXPECT_EQ(there.sizes(), laid.tensor.sizes());
      const Tensor back = there.cpu();
      EXPECT_EQ(back.device(), cpu);
      EXPECT_TRUE(test::same_bits(back.contiguous(), laid.tensor.contiguous()));
    }
  }
}

TEST_F(TensorsOnCuda, EveryDtypeBecomesEveryOtherAsOnTheCpu) {
  for (const Dtype from : test::kAllDtypes) {
    for (const Dtype to : test::kAllDtypes) {
      for (const test::Laid& laid : test::layouts({7, 9}, from)) {
        SCOPED_TRACE(std::string(name(from)) + " to " + std::string(name(to)) + " " + laid.how);
        const Tensor expected = laid.tensor.to(to).contiguous();
        EXPECT_TRUE(test::same_bits(laid.tensor.to("cuda").to(to).contiguous(), expected));
        EXPECT_TRUE(test::same_bits(laid.tensor.to("cuda", to).contiguous(), expected));
      }
    }
  }
}

TEST_F(TensorsOnCuda, ViewsAreCopiedIntoAndOutOf) {
  const Tensor numbers = test::filled({6, 8}, float32);
  const Tensor there = zeros({6, 8}, {.device = "cuda"});
  there.slice(0, 1, {}, 2).copy_(numbers.slice(0, 0, {}, 2));  // strided to strided
  there.slice(0, 0, {}, 2).copy_(numbers[5]);                  // broadcast
  const Tensor here = there.cpu();
  EXPECT_TRUE(test::same_bits(here[1], numbers[0]));
  EXPECT_TRUE(test::same_bits(here[5], numbers[4]));
  for (const std::int64_t row : {0, 2, 4}) EXPECT_TRUE(test::same_bits(here[row], numbers[5]));
  const Tensor target = zeros({8, 6}, {.dtype = float64});
  target.t().copy_(there);
  EXPECT_TRUE(test::same_bits(target.t().contiguous(), here.to(float64)));
  EXPECT_THROW(there.copy_(zeros({7})), TensorError);
}

TEST_F(TensorsOnCuda, AreMadeWhereTheyAreWanted) {
  const TensorOptions on_cuda{.device = "cuda"};
  EXPECT_TRUE(test::same_bits(full({3, 5}, 2.5, on_cuda), full({3, 5}, 2.5)));
  EXPECT_TRUE(test::same_bits(arange(7, on_cuda), arange(7)));
  EXPECT_TRUE(test::same_bits(linspace(0, 1, 11, on_cuda), linspace(0, 1, 11)));
  EXPECT_TRUE(test::same_bits(eye(4, 6, on_cuda), eye(4, 6)));
  EXPECT_TRUE(test::same_bits(tensor({{1, 2}, {3, 4}}, on_cuda), tensor({{1, 2}, {3, 4}})));
  EXPECT_EQ(ones_like(full({2}, 1, on_cuda)).device().name(), "cuda:0");
  for (const Dtype dtype : test::kAllDtypes) {
    EXPECT_TRUE(
        test::same_bits(ones({37}, {.dtype = dtype, .device = "cuda"}), ones({37}, {.dtype = dtype})));
  }
  EXPECT_EQ(default_device(), cpu);
  set_default_device("cuda");
  EXPECT_TRUE(zeros({2}).is_cuda());
  EXPECT_TRUE(tensor({1., 2}).is_cuda());
  set_default_device(cpu);
  EXPECT_THROW(set_default_device("cuda:63"), TensorError);
  EXPECT_EQ(default_device(), cpu);
}

TEST_F(TensorsOnCuda, AreCountedByTheByte) {
  const std::int64_t before = memory_allocated("cuda");
  const Tensor x = zeros({32, 32}, {.device = "cuda"});
  EXPECT_EQ(memory_allocated("cuda") - before, 4096);
  const Tensor y = x.t();
  const Tensor z = y.contiguous();
  EXPECT_EQ(memory_allocated("cuda") - before, 8192);
}

TEST_F(TensorsOnCuda, LookingAtThemCostsNothing) {
  const Tensor x = test::filled({12, 10}, bfloat16);
  const Tensor there = x.to("cuda").t().slice(0, 1, {}, 3);
  const Tensor same = x.t().slice(0, 1, {}, 3);
  reset_peak_memory_stats("cuda");
  const std::int64_t allocated = memory_allocated("cuda");
  const Counters before = counters();
  EXPECT_EQ(read_elements(there, select_all(there.sizes())).reals,
            read_elements(same, select_all(same.sizes())).reals);
  EXPECT_EQ(statistics(there).mean, statistics(same).mean);
  EXPECT_EQ(counters(), before);
  EXPECT_EQ(max_memory_allocated("cuda"), allocated);
  EXPECT_EQ(there[0][1].item<float>(), same[0][1].item<float>());
  EXPECT_NE(to_string(there).find("device='cuda:0'"), std::string::npos) << to_string(there);
}

TEST_F(TensorsOnCuda, PinnedMemoryServesCopiesThatGoOn) {
  const Tensor numbers = test::filled({1000}, float32);
  const Tensor pinned = numbers.pin_memory();
  EXPECT_TRUE(pinned.is_pinned());
  EXPECT_FALSE(numbers.is_pinned());
  EXPECT_TRUE(pinned.pin_memory().is_same(pinned));
  EXPECT_TRUE(test::same_bits(pinned, numbers));
  const Tensor there = pinned.to("cuda", true);
  const Tensor back = zeros({1000}).pin_memory();
  back.copy_(there, true);
  cuda::current_stream().record_event().synchronize();
  EXPECT_TRUE(test::same_bits(back, numbers));
  EXPECT_THROW((void)there.pin_memory(), TensorError);
}

TEST_F(TensorsOnCuda, LargeOnesComeInPartsFromPageableMemory) {
  for (const std::int64_t more : {-1, 0, 1, 5'000'000}) {
    SCOPED_TRACE(more);
    Tensor numbers = arange((std::int64_t{12} << 20) / 4 + more);
    const Tensor expected = numbers.clone();
    const Tensor there = numbers.to("cuda");
    numbers.fill_(-1);  // the copy has been made
    EXPECT_TRUE(test::same_bits(there.cpu(), expected));
    there.slice(0, 1).copy_(expected.slice(0, 0, -1).to("cuda"));  // what the stream does is waited for
    numbers.copy_(there);
    EXPECT_TRUE(test::same_bits(numbers.slice(0, 1), expected.slice(0, 0, -1)));
  }
}

TEST_F(TensorsOnCuda, EmptyOnesMoveToo) {
  const Tensor empty_one = zeros({0, 3}).to("cuda");
  EXPECT_TRUE(empty_one.is_cuda());
  EXPECT_EQ(empty_one.cpu().sizes(), (Sizes{0, 3}));
  empty_one.fill_(1);
  EXPECT_EQ(empty_one.to(int64).numel(), 0);
}

class TensorsOnTwoGpus : public test::FakeGpus {};

TEST_F(TensorsOnTwoGpus, NumbersGoFromOneToTheOther) {
  const Tensor numbers = test::filled({6, 8}, float32);
  const Tensor there = numbers.to("cuda:1").to("cuda:0");
  EXPECT_EQ(there.device().name(), "cuda:0");
  EXPECT_TRUE(test::same_bits(there.cpu(), numbers));
}

}  // namespace
}  // namespace lectern
