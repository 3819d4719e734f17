#pragma once

#include <cstdint>
#include <optional>

#include "distributed/tensor_parallel.h"
#include "nn/multihead_attention.h"

namespace lectern::distributed {

struct ParallelAttentionOptions {
  bool bias = true;
  bool is_causal = false;  ///< tokens attend to those up to themselves
  Group group = nullptr;   ///< all ranks
  std::optional<Dtype> dtype = {};
};

/// Self-attention of which each of n ranks computes num_heads / n heads (Shoeybi et al. 2019, "Megatron-LM"):
/// x [batch, time, embed_dim], the same on all ranks, becomes what nn::MultiheadAttention makes of it, but
/// for the order of sums in out_proj.
///
/// Forward moves what all_reduce of the output does, backward what all_reduce of the input's gradient does. A
/// rank has accounting::column_parallel_parameters() of q_proj, k_proj and v_proj, and
/// row_parallel_parameters() of out_proj. The random values are those of nn::MultiheadAttention with the same
/// seed, which exists while the constructor runs.
class ParallelAttention : public nn::Module {
 public:
  /// A TensorError unless num_heads divides embed_dim, and the ranks divide num_heads.
  ParallelAttention(std::int64_t embed_dim, std::int64_t num_heads,
                    const ParallelAttentionOptions& options = {});
  /// A part of this one, copied. A TensorError where keys or values have features of their own.
  explicit ParallelAttention(const nn::MultiheadAttention& whole,
                             const ParallelAttentionOptions& options = {});

  Tensor operator()(const Tensor& x) const;

  /// Of all ranks.
  std::int64_t num_heads() const { return num_heads_; }

  ColumnParallelLinear q_proj, k_proj, v_proj;  ///< their parts: of embed_dim / n outputs
  RowParallelLinear out_proj;

 private:
  std::int64_t num_heads_;
  bool is_causal_;
};

}  // namespace lectern::distributed
