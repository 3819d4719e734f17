#include "distributed/tensor_parallel.h"

#include <gtest/gtest.h>

#include "accounting/parallelism.h"
#include "accounting/scope.h"
#include "distributed/collectives.h"
#include "distributed/model.h"
#include "distributed/parallel_regions.h"
#include "ops/compare.h"
#include "ops/expect_error.h"

namespace lectern {
namespace {

using distributed::ColumnParallelLinear;
using distributed::RowParallelLinear;

/// Up, and down again: the MLP of Megatron-LM.
struct ParallelMlp : nn::Module {
  ColumnParallelLinear up;
  RowParallelLinear down;

  ParallelMlp(std::int64_t width, std::int64_t hidden)
      : up(width, hidden, {.gather_output = false}), down(hidden, width, {.input_is_parallel = true}) {
    LECTERN_REGISTER(up, down);
  }
  Tensor operator()(const Tensor& x) const { return down(up(x).tanh()); }
};

struct WholeMlp : nn::Module {
  nn::Linear up, down;

  WholeMlp(std::int64_t width, std::int64_t hidden) : up(width, hidden), down(hidden, width) {
    LECTERN_REGISTER(up, down);
  }
  Tensor operator()(const Tensor& x) const { return down(up(x).tanh()); }
};

/// This rank's part of a tensor.
Tensor own(const Tensor& whole, std::int64_t dim) {
  const std::int64_t part = whole.size(dim) / test::ranks();
  return whole.detach().narrow(dim, test::rank() * part, part).contiguous();
}

void expect_bits(const Tensor& got, const Tensor& expected) {
  EXPECT_TRUE(test::same_bits(got.detach().contiguous(), expected.detach().contiguous()));
}

RANKS_TEST(TensorParallel, LinearsAreOneProcesses, 3) {
  test::join();
  for (const bool is_column : {true, false}) {
    nn::Linear whole(6, 9);
    whole.weight.detach().copy_(test::filled({9, 6}, float32, 2));  // whose sums are exact
    whole.bias.detach().copy_(test::filled({9}, float32, 3));
    const Tensor x = test::filled({4, 6}, float32).requires_grad_(), whole_x = x.detach().requires_grad_();
    const Tensor grad = test::filled({4, 9}, float32, 4);
    whole(whole_x).backward(grad);
    Tensor y;
    if (is_column) {
      const ColumnParallelLinear column(whole);
      y = column(x);
      y.backward(grad);
      expect_bits(column.weight.grad(), own(whole.weight.grad(), 0));
      expect_bits(column.bias.grad(), own(whole.bias.grad(), 0));
    } else {
      const RowParallelLinear row(whole);
      y = row(x);
      y.backward(grad);
      expect_bits(row.weight.grad(), own(whole.weight.grad(), 1));
      expect_bits(row.bias.grad(), whole.bias.grad());
    }
    expect_bits(y, whole(whole_x));
    expect_bits(x.grad(), whole_x.grad());
  }
  distributed::destroy_process_group();
}

RANKS_TEST(TensorParallel, MlpIsOneProcessesAndCostsWhatTheFormulasSay, 4) {
  test::join();
  constexpr std::int64_t kWidth = 128, kHidden = 512, kBatch = 80;
  const MemoryByCategory before = memory_by_category();
  manual_seed(3);
  ParallelMlp mlp(kWidth, kHidden);
  const auto held = [&](MemoryCategory category) {
    return static_cast<double>(memory_by_category()[category] - before[category]);
  };
  const double parameters = accounting::column_parallel_parameters(kWidth, kHidden, test::ranks()) +
                            accounting::row_parallel_parameters(kHidden, kWidth, test::ranks());
  EXPECT_EQ(held(MemoryCategory::parameter), 4 * parameters);

  const Tensor x = test::uniform({kBatch, kWidth}, float32).requires_grad_();
  Tensor y;
  {
    const accounting::Scope scope;
    y = mlp(x);
    const double once = accounting::all_reduce_bytes(4. * kBatch * kWidth, test::ranks());
    EXPECT_EQ(static_cast<double>(scope.cost().communication.sent), once);
    y.sum().backward();
    EXPECT_EQ(static_cast<double>(scope.cost().communication.sent), 2 * once);
    EXPECT_EQ(scope.cost().communication.calls, 2);
  }
  EXPECT_EQ(held(MemoryCategory::gradient), 4 * parameters + 4 * kBatch * kWidth);

  manual_seed(3);
  const WholeMlp whole(kWidth, kHidden);
  expect_bits(mlp.up.weight, own(whole.up.weight, 0));
  expect_bits(mlp.up.bias, own(whole.up.bias, 0));
  expect_bits(mlp.down.weight, own(whole.down.weight, 1));
  const Tensor whole_x = x.detach().requires_grad_();
  const Tensor whole_y = whole(whole_x);
  whole_y.sum().backward();
  EXPECT_TRUE(y.allclose(whole_y, 1e-5, 1e-5));  // sums in another order
  EXPECT_TRUE(x.grad().allclose(whole_x.grad(), 1e-5, 1e-5));
  EXPECT_TRUE(mlp.up.weight.grad().allclose(own(whole.up.weight.grad(), 0), 1e-5, 1e-5));
  EXPECT_TRUE(mlp.down.weight.grad().allclose(own(whole.down.weight.grad(), 1), 1e-5, 1e-5));
  distributed::destroy_process_group();
}

RANKS_TEST(TensorParallel, GroupsOfTwoWithinFour, 4) {
  test::join();
  const auto first = distributed::new_group({0, 1}), second = distributed::new_group({2, 3});
  const auto& group = test::rank() < 2 ? first : second;
  const Tensor x = full({1, 2}, 1. + test::rank() / 2).requires_grad_();  // alike within a group
  const Tensor part = distributed::scatter_to_parallel_region(x, group);
  EXPECT_EQ(part.sizes(), (Sizes{1, 1}));
  const Tensor sum = distributed::reduce_from_parallel_region(part, group);
  EXPECT_EQ(sum.item<float>(), test::rank() < 2 ? 2 : 4);
  sum.sum().backward();
  expect_bits(x.grad(), ones({1, 2}));
  const Tensor own_x = full({2}, test::rank()).to(float32).requires_grad_();
  const Tensor joined = distributed::gather_from_parallel_region(own_x, group);
  EXPECT_EQ(joined.sizes(), (Sizes{4}));
  EXPECT_EQ(joined[2].item<float>(), test::rank() < 2 ? 1 : 3);
  (joined * tensor({1., 2., 3., 4.})).sum().backward();
  expect_bits(own_x.grad(), test::rank() % 2 == 0 ? tensor({1., 2.}) : tensor({3., 4.}));
  distributed::destroy_process_group();
}

RANKS_TEST(TensorParallel, WrongUses, 2) {
  test::join();
  EXPECT_PROBLEM(ColumnParallelLinear(4, 5),
                 "ColumnParallelLinear: out_features must be a multiple of the number of ranks, 2, not 5");
  EXPECT_PROBLEM(RowParallelLinear(5, 4),
                 "RowParallelLinear: in_features must be a multiple of the number of ranks, 2, not 5");
  EXPECT_PROBLEM(distributed::scatter_to_parallel_region(ones({4, 3})),
                 "2 ranks can't divide the last dimension of [4, 3] evenly");
  EXPECT_PROBLEM(distributed::gather_from_parallel_region(tensor(1.)), "x must be of one dimension or more");
  const RowParallelLinear row(4, 2, {.input_is_parallel = true});
  EXPECT_PROBLEM(row(ones({1, 4})), "linear: x must be of last size 2");
  distributed::destroy_process_group();
}

}  // namespace
}  // namespace lectern
