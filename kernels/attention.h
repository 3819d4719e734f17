#pragma once

#include <array>
#include <cstdint>

#include "base/dtype.h"
#include "kernels/kernel.h"

// Attention in one pass over the keys, of bfloat16 and float16 by tensor cores, of float32 by fused
// multiply-adds: softmax(query keyᵀ scale) value, whose weights are never stored. A block of threads has some
// of the queries and goes over blocks of keys with a running maximum and sum of each query's weights (Dao
// 2023, "FlashAttention-2", arXiv:2307.08691, algorithm 1). The gradient makes the weights again from the
// scores and the logarithm of their sum: as in algorithm 2 there, where several blocks add to query's
// gradient, or with that one in a pass of its own over the keys, so that the bits are always the same.
//
// Products are summed in float32; weights and their gradients are rounded to the dtype before they are
// multiplied, results once.

namespace lectern::kernels {

/// As many dimensions as the batches may have.
inline constexpr int kAttentionBatchRank = 4;

/// A matrix for each element of the batch. Strides are in elements; 0 repeats.
struct AttentionMatrices {
  void* data = nullptr;
  std::array<std::int64_t, kAttentionBatchRank> batch = {};
  std::int64_t row = 0;
  std::int64_t column = 0;
};

struct AttentionProblem {
  Dtype dtype;
  std::array<std::int64_t, kAttentionBatchRank> batch;  ///< sizes, 1 where there are fewer
  std::int64_t queries, keys;
  std::int64_t head;  ///< columns of query, key and value
  double scale;
  bool is_causal;  ///< query i sees keys up to i
  AttentionMatrices query, key, value;
  AttentionMatrices mask;  ///< queries × keys; no data: none
  bool mask_is_added;      ///< of the dtype; otherwise bool, true where a query sees a key
};

/// Whether rows of that dtype are as these kernels read and write them: of contiguous columns, each from a
/// multiple of 16 bytes on.
inline bool has_attention_rows(const AttentionMatrices& matrices, Dtype dtype) {
  std::int64_t strides = matrices.row;
  for (const std::int64_t stride : matrices.batch) strides |= stride;
  return matrices.column == 1 && strides % (16 / element_size(dtype)) == 0 &&
         reinterpret_cast<std::uintptr_t>(matrices.data) % 16 == 0;
}

/// Whether there is a kernel for this dtype, these sizes and this scale: on a GPU of compute capability 8.0
/// or more, for something to attend to, a head of a multiple of 8 (of float32: of 4) up to 128 (to 64 where a
/// block has less than 138 KiB of shared memory: 8.6, 8.9, 12.x) and a positive scale. (The matrices are not
/// looked at.)
LECTERN_KERNEL(bool, fused_attention_takes, const AttentionProblem& problem);

/// out = attention, of a problem that is taken, all with such rows; log_sum_exp, a float for each query of
/// the batch, = ln Σ exp(score). Not on the CPU. O(queries keys head). Few queries of many keys go by parts
/// of the keys side by side, whose results are joined: how many depends on the number of multiprocessors.
LECTERN_KERNEL(void, fused_attention, const AttentionProblem& problem, const AttentionMatrices& out,
               float* log_sum_exp);

struct AttentionGradients {
  AttentionMatrices query, key, value;
};

/// From so many pairs of a query and a key in a head on, attention takes so much of the time of training that
/// its gradient may be added up in any order.
inline constexpr std::int64_t kManyPairs = 1 << 24;

/// The gradients, from that of out. Along dimensions of the batch where key and value both have stride 0,
/// their gradients are summed: those have one matrix there (stride 0 as well). Unless is_deterministic, all
/// three gradients of 16-bit floats without a mask are made in one pass, on GPUs of compute capability 9.0 to
/// 11.x: that takes 4 bytes for each element of query, and the last digits of query's gradient vary.
LECTERN_KERNEL(void, fused_attention_backward, const AttentionProblem& problem, const AttentionMatrices& out,
               const float* log_sum_exp, const AttentionMatrices& grad, const AttentionGradients& gradients,
               bool is_deterministic);

// The same by cuDNN 9 if it is enabled, with the same log_sum_exp: on a GPU of compute capability 9.0 or
// more, of problems that fused_attention_takes() and that have no mask, with a batch that its two dimensions
// can describe. The first time that a problem of some shape and strides comes, cuDNN makes a plan for it,
// which takes a good part of a second: kernels are compiled. None is made while a stream is being captured.

/// Whether cuDNN is there and has a plan, for such an out.
LECTERN_KERNEL(bool, library_attention_takes, const AttentionProblem& problem, const AttentionMatrices& out);

/// Returns false, with nothing done, where there is no plan.
LECTERN_KERNEL(bool, library_attention, const AttentionProblem& problem, const AttentionMatrices& out,
               float* log_sum_exp);

/// All three gradients; those of key and value as above. cuDNN's for 9.x that always give the same bits store
/// an element of 16 bits for each pair of a query and a key. Where these take more than 256 MiB, and a head
/// has kManyPairs or more, several blocks add to the query's gradient in float32 instead, in any order.
/// Returns false, with nothing done, where a head has fewer pairs than that, and on other GPUs.
LECTERN_KERNEL(bool, library_attention_backward, const AttentionProblem& problem,
               const AttentionMatrices& out, const float* log_sum_exp, const AttentionMatrices& grad,
               const AttentionGradients& gradients);

}  // namespace lectern::kernels
