#include "distributed/divided_module.h"

#include <fmt/format.h>

#include "base/tensor_error.h"
#include "tensor/copy.h"
#include "tensor/layout.h"

namespace lectern::distributed {

nn::Parameter DividedModule::own_part(const Tensor& whole, std::int64_t dim) const {
  const std::int64_t part = whole.size(dim) / get_world_size(group_);
  const Tensor view = whole.detach().narrow(dim, get_rank(group_) * part, part);
  return nn::Parameter(
      copied("distributed", view, view.dtype(), view.device(), contiguous_strides(view.sizes())));
}

void check_divides(std::string_view operation, std::string_view what, std::int64_t count,
                   const Group& group) {
  const int ranks = get_world_size(group);
  if (count % ranks == 0) return;
  throw TensorError(operation, what, fmt::format("a multiple of the number of ranks, {}", ranks),
                    std::to_string(count));
}

}  // namespace lectern::distributed
