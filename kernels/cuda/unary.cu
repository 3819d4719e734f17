#include "kernels/cuda/elementwise.h"
#include "kernels/cuda/elementwise_kernels.h"

namespace lectern::kernels::cuda {

void apply(Unary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
           const Array& a) {
  apply_operation(operation, common, sizes, out, a);
}

}  // namespace lectern::kernels::cuda
