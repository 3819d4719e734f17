#include "distributed/parallel_regions.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "autograd/record.h"
#include "base/tensor_error.h"
#include "distributed/buffers.h"
#include "distributed/collectives.h"
#include "distributed/divided_module.h"
#include "ops/join.h"
#include "tensor/copy.h"
#include "tensor/layout.h"

namespace lectern::distributed {
namespace {

Tensor sum_of_ranks(const Tensor& x, const Group& group) {
  const Tensor sum = copied("distributed", x, x.dtype(), x.device(), contiguous_strides(x.sizes()));
  all_reduce(sum, ReduceOp::sum, {.group = group});
  return sum;
}

Tensor gathered(const Tensor& x, const Group& group) {
  const std::vector<Tensor> parts = adjacent_like(x, get_world_size(group));
  all_gather(parts, x, {.group = group});
  return cat(parts, -1);
}

void check_has_last_dimension(const char* operation, const Tensor& x) {
  if (x.dim() == 0) throw TensorError(operation, "x", "of one dimension or more", "a single number");
}

}  // namespace

Tensor copy_to_parallel_region(const Tensor& x, const Group& group) {
  return autograd::record_view("copy_to_parallel_region", x, x.detach(), [&] {
    return [group](const Tensor& grad) { return sum_of_ranks(grad, group); };
  });
}

Tensor reduce_from_parallel_region(const Tensor& x, const Group& group) {
  return autograd::recorded(
      "reduce_from_parallel_region", {&x}, [&] { return sum_of_ranks(x, group); },
      [] { return [](const Tensor& grad, Gradients& gradients) { gradients.add(0, grad); }; });
}

Tensor scatter_to_parallel_region(const Tensor& x, const Group& group) {
  check_has_last_dimension("scatter_to_parallel_region", x);
  const int ranks = get_world_size(group);
  if (x.size(-1) % ranks != 0)
    throw TensorError(
        "scatter_to_parallel_region",
        fmt::format("{} ranks can't divide the last dimension of {} evenly", ranks, to_string(x.sizes())));
  return autograd::recorded(
      "scatter_to_parallel_region", {&x}, [&] { return own_part(x, -1, group); },
      [&] {
        return [group](const Tensor& grad, Gradients& gradients) {
          gradients.add(0, [&] { return gathered(grad, group); });
        };
      });
}

Tensor gather_from_parallel_region(const Tensor& x, const Group& group) {
  check_has_last_dimension("gather_from_parallel_region", x);
  return autograd::recorded(
      "gather_from_parallel_region", {&x}, [&] { return gathered(x, group); },
      [&] {
        return [group](const Tensor& grad, Gradients& gradients) {
          gradients.add(0, [&] { return own_part(grad, -1, group); });
        };
      });
}

}  // namespace lectern::distributed
