#include "kernels/cuda/elementwise_kernels.h"
#include "kernels/elementwise.h"

namespace lectern::kernels::cuda {

void apply_unary(Unary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
                 const Array& a) {
  apply_operation(operation, common, sizes, out, a);
}

}  // namespace lectern::kernels::cuda
