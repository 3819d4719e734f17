#include "distributed/parallel_attention.h"

#include <gtest/gtest.h>

#include "accounting/parallelism.h"
#include "accounting/scope.h"
#include "checkpoint/sharded_checkpoint.h"
#include "distributed/parallel_embedding.h"
#include "distributed/ranks.h"
#include "distributed/sharded_checkpoint.h"
#include "ops/compare.h"
#include "ops/expect_error.h"
#include "ops/random.h"
#include "ops/tensors.h"

namespace lectern {
namespace {

using distributed::ParallelAttention;
using distributed::VocabParallelEmbedding;

Tensor own_rows(const Tensor& whole) {
  const std::int64_t part = whole.size(0) / test::ranks();
  return whole.detach().narrow(0, test::rank() * part, part).contiguous();
}

RANKS_TEST(VocabParallelEmbedding, HasTheBitsOfOneProcess, 3) {
  test::join();
  manual_seed(5);
  const VocabParallelEmbedding parallel(12, 4);
  const Tensor after = rand({2});
  manual_seed(5);
  const nn::Embedding whole(12, 4);
  EXPECT_TRUE(test::same_bits(rand({2}), after)) << "what comes after it draws other numbers";
  EXPECT_TRUE(test::same_bits(parallel.weight.detach(), own_rows(whole.weight)));
  const Tensor indices = tensor({{0, 3, 4}, {11, 3, 7}});
  const Tensor grad = test::filled({2, 3, 4}, float32);
  const accounting::Scope scope;
  const Tensor rows = parallel(indices);
  EXPECT_EQ(scope.cost().communication.calls, 1);
  rows.backward(grad);
  EXPECT_EQ(scope.cost().communication.calls, 1) << "backward moves nothing";
  whole(indices).backward(grad);
  EXPECT_TRUE(test::same_bits(rows.detach(), whole(indices).detach()));
  EXPECT_TRUE(test::same_bits(parallel.weight.grad(), own_rows(whole.weight.grad())));
  EXPECT_PROBLEM(parallel(tensor({12})), "index 12 is out of range");
  EXPECT_PROBLEM(parallel(tensor({-1})), "index -1 is out of range");
  EXPECT_PROBLEM(VocabParallelEmbedding(10, 4),
                 "num_embeddings must be a multiple of the number of ranks, 3, not 10");
  EXPECT_PROBLEM(VocabParallelEmbedding(nn::Embedding(12, 4, {.padding_idx = 0})), "are not supported");
  distributed::destroy_process_group();
}

RANKS_TEST(ParallelAttention, IsThatOfOneProcessAndCostsWhatTheFormulasSay, 2) {
  test::join();
  constexpr std::int64_t kWidth = 64, kTime = 40, kBatch = 4;
  for (const bool is_causal : {false, true}) {
    const MemoryByCategory before = memory_by_category();
    manual_seed(7);
    ParallelAttention parallel(kWidth, 4, {.is_causal = is_causal});
    const double parameters = 3 * accounting::column_parallel_parameters(kWidth, kWidth, 2) +
                              accounting::row_parallel_parameters(kWidth, kWidth, 2);
    EXPECT_EQ(static_cast<double>(memory_by_category()[MemoryCategory::parameter] -
                                  before[MemoryCategory::parameter]),
              4 * parameters);
    manual_seed(7);
    const nn::MultiheadAttention whole(kWidth, 4, {.batch_first = true});
    const Tensor x = test::uniform({kBatch, kTime, kWidth}, float32).requires_grad_();
    const Tensor whole_x = x.detach().requires_grad_();
    const Tensor grad = test::uniform({kBatch, kTime, kWidth}, float32, 9);
    const accounting::Scope scope;
    const Tensor y = parallel(x);
    y.backward(grad);
    EXPECT_EQ(static_cast<double>(scope.cost().communication.sent),
              2 * accounting::all_reduce_bytes(4. * kBatch * kTime * kWidth, 2));
    const Tensor whole_y = whole(whole_x, whole_x, whole_x, {.is_causal = is_causal});
    whole_y.backward(grad);
    EXPECT_TRUE(y.allclose(whole_y, 1e-5, 1e-5));  // sums in another order
    EXPECT_TRUE(x.grad().allclose(whole_x.grad(), 1e-4, 1e-5));
    const Tensor in_proj = whole.in_proj_weight.grad();
    EXPECT_TRUE(parallel.q_proj.weight.grad().allclose(own_rows(in_proj.chunk(3)[0]), 1e-4, 1e-4));
    EXPECT_TRUE(parallel.k_proj.weight.grad().allclose(own_rows(in_proj.chunk(3)[1]), 1e-4, 1e-4));
    EXPECT_TRUE(
        parallel.v_proj.bias.grad().allclose(own_rows(whole.in_proj_bias.grad().chunk(3)[2]), 1e-4, 1e-4));
    EXPECT_TRUE(parallel.out_proj.bias.grad().allclose(whole.out_proj.bias.grad(), 1e-4, 1e-4));
  }
  distributed::destroy_process_group();
}

RANKS_TEST(ParallelAttention, IsSavedAsPartsOfAWholeOne, 2) {
  test::join();
  manual_seed(1);
  const ParallelAttention saved(8, 2);
  manual_seed(2);
  const ParallelAttention loaded(8, 2);
  const std::string folder = test::meeting_folder() + ".checkpoint";
  distributed::save_sharded(folder, {{"model", distributed::sharded_state_dict(saved)}});
  const ShardedCheckpoint checkpoint(folder);
  EXPECT_EQ(checkpoint.get_tensor("model.q_proj.weight").sizes(), (Sizes{8, 8}));
  distributed::load_sharded(checkpoint, "model", distributed::sharded_state_dict(loaded));
  for (const auto& [name, tensor] : saved.state_dict())
    EXPECT_TRUE(test::same_bits(loaded.state_dict().at(name), tensor)) << name;
  EXPECT_PROBLEM(ParallelAttention(6, 3), "num_heads must be a multiple of the number of ranks, 2, not 3");
  EXPECT_PROBLEM(saved(zeros({3, 8})), "x must be of shape [batch, time, embed_dim], not [3, 8]");
  distributed::destroy_process_group();
}

}  // namespace
}  // namespace lectern
