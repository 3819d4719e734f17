#include "kernels/cuda/elementwise_kernels.h"
#include "kernels/elementwise.h"

namespace lectern::kernels::cuda {

void apply_binary(Binary operation, Dtype common, std::span<const std::int64_t> sizes, const Array& out,
                  const Array& a, const Array& b) {
  apply_operation(operation, common, sizes, out, a, b);
}

}  // namespace lectern::kernels::cuda
