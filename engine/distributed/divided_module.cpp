#include "distributed/divided_module.h"

#include <fmt/format.h>

#include "base/tensor_error.h"
#include "tensor/copy.h"
#include "tensor/layout.h"

namespace lectern::distributed {

void check_divides(std::string_view operation, std::string_view what, std::int64_t count,
                   const Group& group) {
  const int ranks = get_world_size(group);
  if (count % ranks == 0) return;
  throw TensorError(operation, what, fmt::format("a multiple of the number of ranks, {}", ranks),
                    std::to_string(count));
}

Tensor own_part(const Tensor& x, std::int64_t dim, const Group& group) {
  const std::int64_t count = x.size(dim) / get_world_size(group);
  const Tensor view = x.detach().narrow(dim, get_rank(group) * count, count);
  return copied("distributed", view, view.dtype(), view.device(), contiguous_strides(view.sizes()));
}

}  // namespace lectern::distributed
