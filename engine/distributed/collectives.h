#pragma once

#include <cstdint>
#include <vector>

#include "distributed/process_group.h"
#include "distributed/work.h"
#include "tensor/tensor.h"

// Collectives, with the names and meanings of torch.distributed. Every rank of the group must call the same
// ones in the same order; src and dst are global ranks.
//
// Tensors of every dtype, of any layout and without elements, on the CPU or on GPUs, all of a collective's on
// one device. Shapes and dtypes that must be equal and are not are a TensorError that names both ranks and
// what they have. Collectives are not recorded for backward(); those of distributed/parallel_regions.h are.
//
// Reductions add the ranks' elements in the order of ranks, in float32 where the dtype has 16 or 8 bits, and
// round once: all_reduce, reduce and reduce_scatter give the same bits, on all ranks, with any threads.
// Integers wrap around; of bools sum and max are "or", product and min are "and".
//
// Of CUDA tensors the ranks agree on the host, and then NCCL runs the collective on a stream of its own,
// after what the caller's current stream was given before: the host waits for the agreement, and in
// Work::wait() the current stream for the collective. NCCL sums in an order of its own, in the tensor's
// dtype, and does not reduce int16 and the 8-bit floating dtypes. Lists that all_gather and reduce_scatter
// take are copied, unless each tensor begins where the one before ends; all_gather_into_tensor and
// reduce_scatter_tensor need no copy. Each process uses one GPU (cuda::set_device), no two the same.
//
// Each call counts what this rank sends and receives (device/communication.h). For n ranks and a tensor of B
// bytes, where n divides its elements: all_reduce 2 (n - 1) / n B, or (n - 1) B up to kSmallAllReduce;
// reduce_scatter and all_gather (n - 1) / n of the larger tensor; as accounting/parallelism.h says. Of
// broadcast, scatter and gather, each rank but the root has B once, the root (n - 1) B; of reduce the same.

namespace lectern::distributed {

/// Up to so many bytes, all_reduce on the CPU takes one round of messages: each rank sends all of the tensor
/// to each. Two ranks move as many bytes so as in two rounds.
inline constexpr std::int64_t kSmallAllReduce = 1 << 15, kSmallAllReduceOfTwo = 1 << 20;

enum class ReduceOp { sum, avg, product, min, max };

struct CollectiveOptions {
  Group group = nullptr;  ///< all ranks
  /// Returns at once; else the call waits, and its Work is complete.
  bool async_op = false;
};

/// Until all ranks have come.
Work barrier(const CollectiveOptions& options = {});

/// src's elements into everybody's tensor.
Work broadcast(const Tensor& tensor, int src, const CollectiveOptions& options = {});

/// In place, on all ranks. A TensorError for the average of integers.
Work all_reduce(const Tensor& tensor, ReduceOp op = ReduceOp::sum, const CollectiveOptions& options = {});

/// In place, on rank dst; the others' tensors stay as they are.
Work reduce(const Tensor& tensor, int dst, ReduceOp op = ReduceOp::sum,
            const CollectiveOptions& options = {});

/// outputs[i] becomes the group's i-th rank's tensor.
Work all_gather(const std::vector<Tensor>& outputs, const Tensor& tensor,
                const CollectiveOptions& options = {});
/// The same into one tensor, [n · size, …] or [n, size, …].
Work all_gather_into_tensor(const Tensor& output, const Tensor& input, const CollectiveOptions& options = {});

/// On rank dst outputs[i] becomes the i-th rank's tensor; the others have no outputs.
Work gather(const Tensor& tensor, const std::vector<Tensor>& outputs = {}, int dst = 0,
            const CollectiveOptions& options = {});

/// The i-th rank's tensor becomes src's inputs[i]; the others have no inputs.
Work scatter(const Tensor& tensor, const std::vector<Tensor>& inputs = {}, int src = 0,
             const CollectiveOptions& options = {});

/// The i-th rank's output becomes the reduction of all ranks' inputs[i].
Work reduce_scatter(const Tensor& output, const std::vector<Tensor>& inputs, ReduceOp op = ReduceOp::sum,
                    const CollectiveOptions& options = {});
/// The same from one tensor, [n · size, …] or [n, size, …].
Work reduce_scatter_tensor(const Tensor& output, const Tensor& input, ReduceOp op = ReduceOp::sum,
                           const CollectiveOptions& options = {});

/// outputs[i] becomes the i-th rank's inputs[own rank]. Each may have a shape of its own.
Work all_to_all(const std::vector<Tensor>& outputs, const std::vector<Tensor>& inputs,
                const CollectiveOptions& options = {});
/// The same with parts of dimension 0, of these sizes, or equal ones.
Work all_to_all_single(const Tensor& output, const Tensor& input,
                       const std::vector<std::int64_t>& output_split_sizes = {},
                       const std::vector<std::int64_t>& input_split_sizes = {},
                       const CollectiveOptions& options = {});

/// From one rank to another; messages with one tag arrive in order. Each waits for the other side: two ranks
/// that both send() first wait for each other until the timeout. CUDA tensors are to be received in the order
/// in which they are sent, whatever the tags: another one is a TensorError.
void send(const Tensor& tensor, int dst, const Group& group = nullptr, int tag = 0);
void recv(const Tensor& tensor, int src, const Group& group = nullptr, int tag = 0);
Work isend(const Tensor& tensor, int dst, const Group& group = nullptr, int tag = 0);
Work irecv(const Tensor& tensor, int src, const Group& group = nullptr, int tag = 0);

}  // namespace lectern::distributed
