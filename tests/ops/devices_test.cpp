// Operations between tensors of two devices.
#include <gtest/gtest.h>

#include "base/tensor_error.h"
#include "device/cuda.h"
#include "ops/elementwise.h"
#include "ops/linear.h"
#include "ops/matmul.h"
#include "ops/tensors.h"

namespace lectern {
namespace {

class TwoDevices : public testing::Test {
 protected:
  void SetUp() override {
    if (!cuda::is_available()) GTEST_SKIP() << "needs a GPU: " << cuda::unavailable_reason();
  }

  const TensorOptions here_{.device = cpu};
};

TEST_F(TwoDevices, ATensorWithoutDimensionsServesOnTheGpuAsANumber) {
  const Tensor x = test::filled({4, 5}, float32).cpu();
  const Tensor number = tensor(3.5, here_);
  const Tensor there = x.to("cuda");
  for (const Tensor& result : {there + number, number + there}) {
    EXPECT_TRUE(result.is_cuda());
    EXPECT_TRUE(test::same_bits(result, x + number));
  }
  EXPECT_TRUE(test::same_bits(there / tensor(3, here_), x / 3));
  EXPECT_TRUE(test::same_bits(there.to(bfloat16) * tensor(0.1, here_), x.to(bfloat16) * tensor(0.1, here_)));
  there += number;
  EXPECT_TRUE(test::same_bits(there, x + number));
}

TEST_F(TwoDevices, OthersAreErrorsThatNameBoth) {
  const Tensor x = ones({2, 2}, here_);
  const Tensor there = x.to("cuda");
  const auto names_both = [](const auto& call) {
    try {
      call();
      FAIL() << "no error";
    } catch (const TensorError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("cuda:0"), std::string::npos) << message;
      EXPECT_NE(message.find("cpu"), std::string::npos) << message;
    }
  };
  names_both([&] { (void)(x + there); });
  names_both([&] { (void)(there + x); });
  names_both([&] { there += x; });
  names_both([&] { x += there; });
  names_both([&] { x += there[0][0]; });
  names_both([&] { (void)matmul(x, there); });
  names_both([&] { (void)linear(there, x, x[0]); });
}

}  // namespace
}  // namespace lectern
