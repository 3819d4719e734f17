#include "tensor/item.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/tensor_error.h"
#include "tensor/creation.h"

namespace lectern {
namespace {

TEST(Item, BecomesWhatItInitialises) {
  const double real = tensor(2.5).item();
  const auto single = static_cast<float>(tensor(2.5).item());
  const int whole = tensor(7).item();
  const std::int64_t from_real = tensor(7.).item();
  const std::uint8_t byte = tensor(200).item();
  const bool truth = tensor(true).item(), from_number = tensor(0.5).item();
  EXPECT_EQ(real, 2.5);
  EXPECT_EQ(single, 2.5F);
  EXPECT_EQ(whole, 7);
  EXPECT_EQ(from_real, 7);
  EXPECT_EQ(byte, 200);
  EXPECT_TRUE(truth && from_number);
  std::vector<double> losses;
  losses.push_back(tensor(0.5).item());
  EXPECT_EQ(losses.at(tensor(0).item()), 0.5);
  EXPECT_EQ(std::sqrt(tensor(4.).item()), 2);
  EXPECT_EQ(std::exp(tensor(0).item()), 1);
  EXPECT_EQ(tensor(2.5).item<float>(), 2.5F);
  EXPECT_EQ(tensor(2.5).item<int>(), 2) << "as in PyTorch's C++";
  EXPECT_TRUE(zeros({2}).sum().item() == 0);
}

TEST(Item, RefusesToLoseWhatItIs) {
  EXPECT_THROW([[maybe_unused]] const int n = tensor(2.5).item(), TensorError);
  EXPECT_THROW([[maybe_unused]] const std::int8_t n = tensor(200).item(), TensorError);
  EXPECT_THROW([[maybe_unused]] const unsigned n = tensor(-1).item(), TensorError);
  EXPECT_THROW([[maybe_unused]] const int n = tensor(std::nan("")).item(), TensorError);
  EXPECT_THROW([[maybe_unused]] const std::int64_t n = tensor(1e20).item(), TensorError);
  constexpr std::int64_t kOdd = (std::int64_t{1} << 53) + 1;
  EXPECT_THROW([[maybe_unused]] const double n = tensor(kOdd).item(), TensorError);
  EXPECT_THROW([[maybe_unused]] const double n = tensor(std::numeric_limits<std::int64_t>::max()).item(),
               TensorError);
  const std::int64_t exact = tensor(kOdd).item();
  EXPECT_EQ(exact, kOdd);
  try {
    [[maybe_unused]] const int n = tensor(2.5).item();
    FAIL();
  } catch (const TensorError& error) {
    EXPECT_NE(std::string(error.what()).find("a whole number in the range of int32"), std::string::npos)
        << error.what();
  }
}

TEST(Item, IsOfOneElement) {
  EXPECT_THROW(zeros({2}).item(), TensorError);
  EXPECT_THROW(zeros({0}).item(), TensorError);
  EXPECT_TRUE(ones({1, 1}).item() == 1);
}

TEST(Item, Computes) {
  const auto half = tensor(0.5).item();
  const auto seven = tensor(7).item();
  EXPECT_EQ(half + 1, 1.5);
  EXPECT_EQ(1 - half, 0.5);
  EXPECT_EQ(seven / 2, 3.5);
  EXPECT_EQ(seven * half, 3.5);
  EXPECT_EQ(-seven, -7);
  EXPECT_EQ(abs(-1 * tensor(3).item()), 3);
  EXPECT_EQ(abs(tensor(-3).item()), 3);
  double total = 1;
  total += half;
  EXPECT_EQ(total, 1.5);
  int count = 1;
  count += seven;
  EXPECT_EQ(count, 8);
  EXPECT_THROW(count += half, TensorError);
}

TEST(Item, Compares) {
  const auto seven = tensor(7).item();
  EXPECT_TRUE(seven == 7 && 7 == seven && seven == 7. && seven != 8);
  EXPECT_TRUE(seven > 6.5 && 6 < seven && seven <= 7U && seven >= 7L);
  EXPECT_TRUE(seven == tensor(7.).item() && tensor(1).item() < seven);
  constexpr std::int64_t kOdd = (std::int64_t{1} << 53) + 1;
  EXPECT_TRUE(tensor(kOdd).item() == kOdd && tensor(kOdd).item() != kOdd - 1) << "integers exactly";
  EXPECT_FALSE(tensor(std::nan("")).item() == std::nan(""));
  EXPECT_TRUE(tensor(true).item() == true);
  EXPECT_TRUE(tensor(true).item() ? true : false);
  EXPECT_TRUE(!tensor(0).item());
}

TEST(Item, Prints) {
  std::ostringstream out;
  out << tensor(0.1).item() << ' ' << tensor(7).item() << ' ' << tensor(true).item();
  EXPECT_EQ(out.str(), "0.1 7 1");
}

TEST(Item, IsAScalarForOperations) {
  const auto two = tensor(2).item();
  EXPECT_EQ(full({2}, two).dtype(), int64);
  EXPECT_TRUE(tensor({two, two}).dtype() == int64);
  EXPECT_EQ(zeros({two, 3}).sizes(), (Sizes{2, 3}));
}

}  // namespace
}  // namespace lectern
