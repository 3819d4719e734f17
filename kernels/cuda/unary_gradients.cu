#include "kernels/cuda/elementwise_kernels.h"
#include "kernels/elementwise.h"

namespace lectern::kernels::cuda {

void apply_unary_gradient(Unary operation, Dtype common, std::span<const std::int64_t> sizes,
                          const Array& out, std::span<const Array> in) {
  apply_gradient_operation(UnaryGradientOperation{operation}, common, sizes, out, in);
}

}  // namespace lectern::kernels::cuda
