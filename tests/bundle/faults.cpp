// What tests may do to a GPU, for survives_test.sh: no test of the stack.
#include <csignal>

#include <gtest/gtest.h>

#include "ops/reductions.h"
#include "simulated_gpu/driver.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

class Works : public testing::TestWithParam<int> {};

TEST_P(Works, AndSays) {
  EXPECT_EQ(ones({GetParam()}, {.device = "cuda"}).sum().item<float>(), static_cast<float>(GetParam()));
}
INSTANTIATE_TEST_SUITE_P(Before, Works, testing::Range(1, 61));
INSTANTIATE_TEST_SUITE_P(Between, Works, testing::Range(1, 41));

TEST(Faults, Hangs) {
  for (volatile bool forever = true; forever;) continue;
}

TEST(Faults, Crashes) {
  std::raise(SIGKILL);
}

TEST(Faults, BreaksTheContext) {
  const Tensor x = ones({4}, {.device = "cuda"});
  cuda::break_context("an illegal memory access was encountered");
  EXPECT_EQ(x.sum().item<float>(), 4);
}

TEST(Faults, IsWrong) {
  EXPECT_EQ(ones({4}, {.device = "cuda"}).sum().item<float>(), 5);
}

INSTANTIATE_TEST_SUITE_P(After, Works, testing::Range(1, 31));

}  // namespace
}  // namespace lectern
