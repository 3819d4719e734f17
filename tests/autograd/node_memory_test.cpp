#include <gtest/gtest.h>
#include <malloc.h>

#include "autograd/leaf.h"
#include "autograd/record.h"
#include "ops/elementwise.h"
#include "ops/matmul.h"
#include "ops/reductions.h"

// How much memory a graph takes besides the tensors that it saves.

namespace lectern {
namespace {

/// In bytes; 0 where another allocator is in the C library's place.
std::size_t in_use() {
  const struct mallinfo2 state = mallinfo2();
  return state.uordblks + state.hblkhd;
}

/// Per operation of a long chain.
template <typename Operation>
double bytes_per_node(const Operation& operation) {
  constexpr int kLength = 20'000;
  Tensor x = ones({}, {.device = cpu, .requires_grad = true});
  for (int i = 0; i < 100; ++i) x = operation(x);  // what is made once
  const std::size_t before = in_use();
  for (int i = 0; i < kLength; ++i) x = operation(x);
  return static_cast<double>(in_use() - before) / kLength;
}

// PyTorch 1.13 takes 576 for a sum with a number, whose node saves nothing, and 1,150 for a product with one,
// 1,195 for a sine and 1,344 for a product of two tensors, which save their operands: a tensor each.
TEST(Node, TakesNoMoreMemoryThanPyTorchs) {
  if (in_use() == 0) GTEST_SKIP() << "the C library's allocator is not in use";
  const double sum = bytes_per_node([](const Tensor& x) { return x + 1; });
  EXPECT_LE(sum, 576);
  EXPECT_GT(sum, 100);
  RecordProperty("bytes_of_a_sum", static_cast<int>(sum));
  EXPECT_LE(bytes_per_node([](const Tensor& x) { return x * 1.0001; }), 1150);
  EXPECT_LE(bytes_per_node([](const Tensor& x) { return x.sin(); }), 1195);
  EXPECT_LE(bytes_per_node([](const Tensor& x) { return x * x; }), 1344);
}

TEST(Saved, KeepsTheLayout) {
  const Tensor many = test::uniform({2, 1, 3, 1, 2, 1, 2}, float32);
  for (const Tensor& tensor : {ones({}), many, many.transpose(0, 2), many[0], many.sum(Sizes{6}).slice(2, 1),
                               ones({4}).expand({3, 4}), ones({2, 3}).t(), zeros({0, 3}), ones({3, 1}).t()}) {
    const autograd::Saved saved(tensor);
    EXPECT_EQ(saved.get().sizes(), tensor.sizes());
    EXPECT_EQ(saved.get().strides(), tensor.strides());
    EXPECT_EQ(saved.get().storage_offset(), tensor.storage_offset());
    EXPECT_TRUE(saved.get().storage() == tensor.storage());
  }
}

}  // namespace
}  // namespace lectern
