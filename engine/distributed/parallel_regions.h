#pragma once

#include "distributed/process_group.h"
#include "tensor/tensor.h"

// Collectives within a graph: where a computation that all ranks of a group repeat becomes one of which each
// does a part, and back (Shoeybi et al. 2019, "Megatron-LM", and Megatron's mappings). Each is the other's
// gradient: copy and reduce, scatter and gather.
//
// Floating tensors; errors as those of distributed/collectives.h. For n ranks and a tensor of B
// bytes, of which scatter and gather count the whole one, all_reduce moves 2 (n - 1) / n B per rank, and
// all_gather (n - 1) / n B.

namespace lectern::distributed {

/// x itself, the same on all ranks, as the input of what each does a part of. Backward: all_reduce of the
/// gradient.
Tensor copy_to_parallel_region(const Tensor& x, const Group& group = nullptr);

/// The sum of all ranks' x, by all_reduce. Backward: nothing moves.
Tensor reduce_from_parallel_region(const Tensor& x, const Group& group = nullptr);

/// This rank's part of the last dimension of x, which is the same on all ranks. Backward: all_gather. A
/// TensorError when the ranks can't divide the dimension.
Tensor scatter_to_parallel_region(const Tensor& x, const Group& group = nullptr);

/// All ranks' x side by side, in the last dimension, by all_gather. Backward: nothing moves.
Tensor gather_from_parallel_region(const Tensor& x, const Group& group = nullptr);

}  // namespace lectern::distributed
